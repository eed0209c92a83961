// A session that ended while a page is open. The server answers 401 to scripts then. What the person has just asked for is held while
// they sign in over the page, and is sent again; parts that renew themselves only say so, and wait. People who sign in as somebody else
// get a fresh page: nothing is sent in another person's name.
const address = document.querySelector("meta[name=sign-in]").content;
const person = (page = document) => page.querySelector(".menu__who b")?.textContent ?? "";
const BY_SCRIPT = { "X-Requested-With": "XMLHttpRequest" };

let signingIn = null; // a promise while the dialog is open
let isOut = false;
let resting = []; // what goes on once somebody has signed in

// Who is signed in ({ person, token }), or the form to sign in with ({ html }); {} if the server says neither.
async function whoIsIn(request = {}) {
  const answer = await fetch(address, { ...request, headers: BY_SCRIPT }).catch(() => null);
  if (answer?.status !== 200 && answer?.status !== 422) return {};
  const isJson = answer.headers.get("Content-Type").startsWith("application/json");
  return isJson ? answer.json() : { html: await answer.text() };
}

// ---------- The dialog: resolves to who signed in, or to {} when it was closed.
function askInDialog(html) {
  const dialog = Object.assign(document.createElement("dialog"), { className: "dialog" });
  dialog.setAttribute("aria-labelledby", "signed-out-title");
  dialog.setAttribute("aria-describedby", "signed-out-why");
  const fill = (text, name) => {
    dialog.innerHTML = text;
    const { username, password, next } = dialog.querySelector("form").elements;
    username.value ||= name;
    next.value = location.pathname + location.search;
    return () => (username.value ? password : username).focus();
  };
  let isSending = false;
  let signedIn = {};
  dialog.addEventListener("click", (event) => event.target.closest("[data-close]") && dialog.close());
  dialog.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    const form = event.target;
    const answer = await whoIsIn({ method: "POST", body: new FormData(form) });
    const isClear = Boolean(answer.person || answer.html);
    const { html: fresh, ...who } = isClear ? answer : await whoIsIn(); // a form that was open for long is exchanged
    isSending = false;
    if (who.person) {
      signedIn = who;
      return dialog.close();
    }
    if (fresh) fill(fresh, form.elements.username.value)();
    dialog.querySelector("[data-problem]").hidden = isClear;
  });
  const focus = fill(html, person());
  document.body.append(dialog);
  dialog.showModal();
  focus();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    dialog.remove();
    resolve(signedIn);
  }));
}

// ---------- Signed in again: as the same person, everything goes on; as another one, the page is loaded again.
function goOn(who) {
  if (who.person !== person()) {
    location.reload();
    return new Promise(() => {});
  }
  document.querySelectorAll("[name=csrfmiddlewaretoken]").forEach((field) => { field.value = who.token; });
  if (document.body.hasAttribute("hx-headers")) document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": who.token }));
  isOut = false;
  document.querySelector("[data-signed-out]")?.remove();
  resting.splice(0).forEach((wake) => wake(true));
  return true;
}

async function signIn() {
  const { html, ...who } = await whoIsIn(); // perhaps somebody has, in another tab
  const signedIn = html ? await askInDialog(html) : who;
  if (signedIn.person) return goOn(signedIn);
  tellOut();
  return false;
}

function tellOut() {
  isOut = true;
  const toasts = document.getElementById("toasts");
  if (!toasts || toasts.querySelector("[data-signed-out]")) return;
  const toast = Object.assign(document.createElement("div"), { className: "toast" });
  const words = Object.assign(document.createElement("b"), { textContent: "You were signed out." });
  const button = Object.assign(document.createElement("button"), { type: "button", className: "btn sm", textContent: "Sign in" });
  const row = Object.assign(document.createElement("div"), { className: "row between" });
  button.addEventListener("click", () => signInAgain());
  toast.dataset.signedOut = "";
  row.append(words, button);
  toast.append(row);
  toasts.append(toast);
}

// Resolves to whether the same person is signed in again. What they asked for opens the dialog; what a page does by itself is quiet.
function signInAgain(isQuiet = false) {
  if (isQuiet) {
    if (!signingIn) tellOut();
    return new Promise((resolve) => resting.push(resolve));
  }
  signingIn ??= signIn().finally(() => { signingIn = null; });
  return signingIn;
}

document.addEventListener("visibilitychange", async () => {
  if (document.hidden || !isOut || signingIn) return;
  const who = await whoIsIn();
  if (who.person) goOn(who);
});

// ---------- Requests: those of our scripts, and those of htmx.
// The server's answer, or null without one. An answer with 401 comes back only when the person did not sign in.
async function ask(url, request = {}, { isQuiet = false } = {}) {
  const send = () => fetch(url, { ...request, headers: { ...BY_SCRIPT, ...request.headers } }).catch(() => null);
  const answer = await send();
  if (answer?.status !== 401 || !await signInAgain(isQuiet)) return answer;
  request.body?.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  return send();
}

const isAsked = (event) => ["submit", "click"].includes(event?.type);
const sentAgain = new WeakSet();
document.addEventListener("htmx:beforeRequest", (event) => {
  if (isOut && !isAsked(event.detail.requestConfig.triggeringEvent)) event.preventDefault();
});
document.addEventListener("htmx:beforeOnLoad", async (event) => {
  const { xhr, requestConfig } = event.detail;
  const { elt, verb, path, triggeringEvent } = requestConfig;
  if (xhr.status !== 401 || sentAgain.has(triggeringEvent)) return;
  event.preventDefault();
  event.detail.isHeld = true;
  const isIn = await signInAgain(!isAsked(triggeringEvent));
  if (!isIn || !elt.isConnected) return elt.dispatchEvent(new Event("tesa:not-sent", { bubbles: true }));
  if (triggeringEvent) sentAgain.add(triggeringEvent);
  window.htmx.ajax(verb, path, { source: elt, event: triggeringEvent }).catch(() => {});
});

window.tesa = { ask, person };
