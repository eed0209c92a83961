// What happens on an open page: figures that change by themselves, jobs that were started here, input that outlives a session.

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The text at an address; a server that is busy or away is asked again. After the end of a session it waits
// until somebody signs in again. Null when there is nothing more to see.
async function read(address, headers = {}) {
  for (;;) {
    const answer = await window.tesa.ask(address, { headers }, { isQuiet: true });
    if (answer && answer.status < 500 && (!answer.ok || answer.redirected)) return null;
    const text = answer?.ok ? await answer.text().catch(() => null) : null;
    if (text !== null) return text;
    await pause(5000);
  }
}

// ---------- Figures: parts with data-live and an id are read again every 15 seconds while the page is in view, every 2.5 with
// data-live="soon"; parts with data-renew when a job ends. The count of jobs goes with both. Their place and size stay. A part
// in which somebody types, has changed something or has ticked rows is left alone, by htmx too. A page with data-reload is that
// of something unfinished, and is loaded again.
const MOVING = "[data-live], #open-jobs";
const CHANGED = "[data-live], [data-renew]";

// A box without a value says "on", and a token is renewed by signing in: neither is somebody's doing.
const isChanged = (field) => /^(checkbox|radio)$/.test(field.type) ? field.checked !== field.defaultChecked
  : field.type !== "hidden" && field.value !== field.defaultValue;
const isInUse = (part) => part.matches(":active") || part.querySelector("input:focus, textarea:focus, select:focus, .tick :checked")
  || [...part.querySelectorAll("input, textarea")].some(isChanged);

// False when there is nothing to read at this address any more.
async function renew(which) {
  const text = await read(location.href);
  if (text === null) return false;
  const page = new DOMParser().parseFromString(text, "text/html");
  if (window.tesa.person(page) !== window.tesa.person()) return true; // somebody else signed in, in another tab: this page is not theirs
  for (const part of document.querySelectorAll(which)) {
    const fresh = page.getElementById(part.id);
    if (!fresh) continue;
    for (const name of ["data-live", "data-renew"]) {
      if (fresh.hasAttribute(name)) part.setAttribute(name, fresh.getAttribute(name));
      else part.removeAttribute(name);
    }
    if (fresh.innerHTML === part.innerHTML || isInUse(part)) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement.id : "";
    const open = [...part.querySelectorAll("details")].map((one) => one.open);
    part.replaceChildren(...fresh.childNodes);
    part.querySelectorAll("details").forEach((one, index) => { one.open ||= Boolean(open[index]); });
    if (focused) document.getElementById(focused)?.focus();
  }
  return true;
}
async function keepMoving() {
  for (let turn = 1; ; turn++) {
    await pause(2500);
    if (!document.hidden && document.querySelector(turn % 6 ? '[data-live="soon"]' : "[data-live]")) await renew(MOVING);
  }
}
document.addEventListener("htmx:beforeRequest", (event) => { if (event.detail.elt.querySelector(".tick :checked")) event.preventDefault(); });
keepMoving();

// A form that htmx sends says which button was pressed, even if the focus has left that button since, or a line of requests had to be
// waited for: htmx itself takes the button that has the focus when it sends.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const button = detail.triggeringEvent?.submitter;
  if (button?.name) detail.parameters[button.name] = button.value;
});

// ---------- Jobs: a form with data-job is sent without leaving the page, and a toast follows its job until it ends. The list of
// followed jobs is kept for the next page. If no job was started, the form is sent again as a browser does, to show the answer; but a
// refused form with a file is shown as it came back, with the same file, because sending it again would upload the file again.
const toasts = document.getElementById("toasts");
const followed = () => JSON.parse(sessionStorage.getItem("jobs") ?? "[]");
const keep = (jobs) => sessionStorage.setItem("jobs", JSON.stringify(jobs));

async function follow(address) {
  const toast = document.createElement("div");
  toast.className = "toast";
  toast.addEventListener("click", (event) => event.target.closest("[data-dismiss]") && toast.remove());
  let text = "";
  for (let is_open = true, before = ""; is_open; ) {
    text = await read(address, { "HX-Request": "true", "HX-Target": "toasts" });
    if (text === null) break;
    toast.innerHTML = text;
    toasts.append(toast);
    const status = toast.querySelector("[data-open]")?.dataset.open;
    if (status === "running" && before === "queued") renew(MOVING); // what the page says about its start
    [is_open, before] = [status !== undefined, status];
    if (is_open) await pause(document.hidden ? 5000 : 1000);
  }
  if (!toast.querySelector(".bad")) setTimeout(() => toast.matches(":focus-within") || toast.remove(), 8000);
  keep(followed().filter((one) => one !== address));
  if (document.querySelector("[data-reload]")) location.reload();
  else if (!await renew(CHANGED) && text !== null) location.assign(address); // what this page was about is gone: the job says why
}
followed().forEach(follow);

function showRefused(form, text) {
  const selector = "form[data-job][enctype='multipart/form-data']";
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector(selector);
  if (!fresh) return false;
  for (const field of form.querySelectorAll("[type=file]")) {
    for (const { name, value } of fresh.elements[field.name].attributes) if (name.startsWith("aria-")) field.setAttribute(name, value);
    fresh.elements[field.name].replaceWith(field);
  }
  form.replaceWith(fresh);
  (fresh.querySelector("[aria-invalid]") ?? fresh.querySelector("input:not([type=hidden])")).focus();
  return true;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented || !form.matches("[data-job]")) return;
  event.preventDefault();
  const button = event.submitter;
  const body = new FormData(form, button);
  const focused = document.activeElement;
  form.inert = true;
  document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; });
  const answer = await window.tesa.ask(form.action, { method: "POST", body, headers: { "HX-Request": "true" } });
  form.inert = false;
  if (document.activeElement === document.body) focused.focus({ preventScroll: true }); // an inert form loses the focus
  if (answer?.status === 401) return; // still signed out
  const started = answer?.status === 204 && JSON.parse(answer.headers.get("HX-Trigger") ?? "{}").job;
  if (!started) {
    if (answer?.status === 422 && form.enctype === "multipart/form-data" && showRefused(form, await answer.text())) return;
    form.removeAttribute("data-job");
    return form.requestSubmit(button);
  }
  keep([...followed(), started.address]);
  for (const field of form.elements) [field.defaultValue, field.defaultChecked] = [field.value, field.checked]; // sent: no news
  if (started.to) location.assign(started.to);
  else {
    follow(started.address);
    renew(CHANGED);
  }
});

// ---------- Input: what was sent from a form is kept in this tab until the next page. If that is the sign-in page or an error,
// the form is filled again when the same person comes back to it. Passwords, files and hidden fields are never kept.
const KEPT = "sent";
const page = location.pathname + location.search;
const fields = (form) => [...form.elements].filter((one) => one.name && !/^(hidden|password|file|submit|button|fieldset)$/.test(one.type));
const sent = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
const signIn = document.querySelector("form[data-sign-in]");

const isLost = signIn || document.querySelector(".error-status");
if (sent && signIn) signIn.elements.next.value = sent.page;
if (sent && isLost) sessionStorage.setItem(KEPT, JSON.stringify({ ...sent, isLost: true }));
else sessionStorage.removeItem(KEPT);
if (sent?.isLost && !isLost && sent.page === page && sent.person === window.tesa.person()) {
  const form = document.querySelectorAll("main form")[sent.number];
  const places = form ? fields(form) : [];
  if (places.length === sent.values.length) {
    places.forEach((place, index) => {
      const value = sent.values[index];
      if (Array.isArray(value)) [...place.options].forEach((option) => { option.selected = value.includes(option.value); });
      else if (typeof value === "boolean") place.checked = value;
      else place.value = value;
      place.dispatchEvent(new Event("input", { bubbles: true }));
    });
    form.closest("dialog:not([open])")?.showModal();
    form.closest("details")?.setAttribute("open", "");
    const toast = Object.assign(document.createElement("div"), { className: "toast", textContent: "Nothing was saved yet: your session had ended. Your input is back in the form." });
    toasts.append(toast);
  }
}
document.addEventListener("submit", (event) => {
  const number = [...document.querySelectorAll("main form")].indexOf(event.target);
  if (event.defaultPrevented || number < 0 || event.target.method !== "post" || signIn || event.target.querySelector("[type=password]")) return;
  const values = fields(event.target).map((one) =>
    one.multiple ? [...one.selectedOptions].map((option) => option.value) : /^(checkbox|radio)$/.test(one.type) ? one.checked : one.value);
  sessionStorage.setItem(KEPT, JSON.stringify({ page, number, values, person: window.tesa.person() }));
});
