// Parts that depend on another part: shown while the earlier part has one of the values that they wait for. What is
// hidden keeps its words here, and the server leaves it out of the answer.

function update(form) {
  offer(form);
  for (const part of form.querySelectorAll(".part[data-when]")) {
    const values = part.dataset.values.split(" ");
    const before = form.querySelectorAll(`[name="${CSS.escape(part.dataset.when)}"]`);
    const isHidden = before[0]?.closest(".part")?.hidden;
    part.hidden = isHidden || ![...before].some((field) => field.checked && values.includes(field.value));
  }
}

// A radio button cannot be released, so a part that may be left out has a button for it.
function offer(form) {
  for (const button of form.querySelectorAll("[data-clear-part]")) {
    button.hidden = !button.closest(".part").querySelector(":checked");
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-clear-part]");
  if (!button) return;
  const part = button.closest(".part");
  for (const field of part.querySelectorAll(":checked")) field.checked = false;
  for (const field of part.querySelectorAll("input:not([type=radio], [type=checkbox], [type=hidden])")) field.value = "";
  part.querySelector("input, select")?.focus();
  part.dispatchEvent(new Event("input", { bubbles: true }));
});

const forms = () => new Set([...document.querySelectorAll(".parts")].map((parts) => parts.closest("form")));

function updateAll() {
  for (const form of forms()) if (form) update(form);
}

for (const type of ["input", "change", "task:changed"]) {
  document.addEventListener(type, (event) => {
    const form = event.target.closest?.("form");
    if (form?.querySelector(".parts")) update(form);
  });
}
document.addEventListener("htmx:afterSettle", updateAll);
updateAll();
