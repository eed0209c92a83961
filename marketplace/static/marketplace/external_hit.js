// In the frame of an HTMLQuestion: the functions that pages made for Amazon call in its externalHIT_v1.js.
// They are global and nothing else is, so that no name of the page is taken.

/** Return a parameter of the frame's address, such as assignmentId, hitId, workerId or turkSubmitTo. */
function turkGetParam(name, otherwise = "") {
  return new URLSearchParams(location.search).get(name) ?? otherwise;
}

/** Return where the form goes, without /mturk/externalSubmit; "" in a preview. */
function turkGetSubmitToHost() {
  return turkGetParam("turkSubmitTo").replace(/\/+$/, "");
}

/** Complete the form: its address and its assignmentId. In a preview, switch its button off instead. */
function turkSetAssignmentID(formName, buttonId) {
  const assignment = turkGetParam("assignmentId");
  const field = document.getElementById("assignmentId");
  const form = document.forms[formName ?? "mturk_form"] ?? field?.form;
  if (field) field.value = assignment;
  if (form && field?.form !== form) {
    const own = form.querySelector("[name=assignmentId]") ?? form.appendChild(document.createElement("input"));
    own.type = "hidden";
    own.name = "assignmentId";
    own.value = assignment;
  }
  const isPreview = !assignment || assignment === "ASSIGNMENT_ID_NOT_AVAILABLE";
  if (form && !isPreview) form.setAttribute("action", `${turkGetSubmitToHost()}/mturk/externalSubmit`);
  const button = document.getElementById(buttonId ?? "submitButton");
  if (button && isPreview) {
    button.disabled = true;
    button[button.tagName === "INPUT" ? "value" : "textContent"] = "Accept the HIT before you submit it";
  }
}
