// Review by keyboard. Every form of an answer is posted by htmx; this marks the decision at once, takes the mark back when the
// server refuses it, goes on to the next open answer, and leaves the page only when everything is saved.
const list = document.getElementById("answers");
const next = document.getElementById("next");
const toasts = document.getElementById("toasts");
let saving = 0;
let afterwards = null; // what waits until everything is saved
let currentId = list?.querySelector(".answer--current")?.id;

const current = () => document.getElementById(currentId);

function choose(answer) {
  if (!answer) return;
  list.querySelectorAll(".answer--current").forEach((one) => one.classList.remove("answer--current"));
  answer.classList.add("answer--current");
  currentId = answer.id;
  answer.focus({ preventScroll: true });
  answer.scrollIntoView({ block: "nearest" });
}

function goOn() {
  const open = [...list.querySelectorAll(".answer[data-open]")];
  const here = Number(current().dataset.number);
  const answer = open.find((one) => Number(one.dataset.number) > here) ?? open[0];
  if (answer) choose(answer);
  else next.focus({ preventScroll: true });
}

function whenSaved(action) {
  if (saving) afterwards = action;
  else action();
}

function show(answer, name) {
  const form = answer.querySelector(`[data-form="${name}"]`);
  form.hidden = false;
  form.dispatchEvent(new Event("task:changed", { bubbles: true }));
  const input = form.querySelector("input:not([type=hidden]), select, textarea");
  input?.focus();
  if (input?.value) input.select();
}

function toast(answer, text) {
  const element = Object.assign(document.createElement("div"), { className: "toast" });
  element.dataset.about = answer.id; // until it is sent again
  const words = Object.assign(document.createElement("b"), { className: "bad", textContent: text });
  element.append(words);
  toasts.append(element);
}

list?.addEventListener("submit", (event) => {
  const answer = event.target.closest(".answer");
  const verdict = event.submitter?.value;
  if (answer.dataset.saving) return event.preventDefault() || event.stopImmediatePropagation();
  answer.dataset.saving = verdict;
  toasts.querySelectorAll(`[data-about="${answer.id}"]`).forEach((one) => one.remove());
  saving += 1;
  answer.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; });
  if (verdict === "comment" || event.target.dataset.form || event.submitter?.closest(".answer__form")) return choose(answer);
  answer.querySelectorAll("[aria-pressed]").forEach((one) => {
    one.dataset.was = one.getAttribute("aria-pressed");
    one.setAttribute("aria-pressed", one === event.submitter);
  });
  answer.removeAttribute("data-open");
  currentId = answer.id;
  goOn();
}, true);

document.addEventListener("htmx:afterRequest", (event) => {
  const answer = event.detail.requestConfig.elt.closest(".answer"); // as it was sent; by now another may be in its place
  if (!answer?.dataset.saving) return;
  if (event.detail.isHeld) return; // the session has ended: it is sent again when the person has signed in
  saving -= 1;
  if (event.detail.successful) return saving || afterwards?.();
  afterwards = null;
  if (event.detail.xhr.status !== 422) takeBack(answer); // otherwise the answer came back with the reason
});

document.addEventListener("tesa:not-sent", (event) => {
  const answer = event.target.closest(".answer");
  if (!answer?.dataset.saving) return;
  saving -= 1;
  afterwards = null;
  takeBack(answer);
});

function takeBack(answer) {
  delete answer.dataset.saving;
  answer.setAttribute("data-open", "");
  answer.querySelectorAll("[data-was]").forEach((one) => one.setAttribute("aria-pressed", one.dataset.was));
  choose(answer);
  toast(answer, `Answer ${answer.dataset.number} was not saved. Try again.`);
}

document.addEventListener("htmx:afterSettle", (event) => {
  const { target, xhr } = event.detail;
  const answer = target.matches(".answer") && document.getElementById(target.id);
  if (answer && xhr.status === 422) {
    choose(answer);
    if (answer.querySelector("[data-form=correct]:not([hidden])")) show(answer, "correct");
  } else if (answer && currentId === answer.id) {
    answer.classList.add("answer--current");
    if (document.activeElement.matches("input, textarea")) return; // somebody types already
    if (answer.hasAttribute("data-open")) choose(answer);
    else if (document.activeElement !== next) goOn();
  }
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-opens]");
  if (link) {
    event.preventDefault();
    const answer = link.closest(".answer");
    link.closest("details").open = false;
    choose(answer);
    show(answer, link.dataset.opens);
  }
  if (saving && event.target.closest("#next, [data-undo]")) {
    event.preventDefault();
    const button = event.target.closest("#next, [data-undo]");
    whenSaved(() => (button === next ? button.click() : document.querySelector("[data-undo]").click()));
  }
});

// Keys: never while somebody types; a key held down counts once. Escape ends the typing.
document.addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.key === "Escape" && target.matches("input, textarea")) choose(target.closest(".answer") ?? current());
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog[open]")) return;
  const key = event.key.toLowerCase();
  if (key === "u") whenSaved(() => document.querySelector("[data-undo]")?.click());
  if (!list) return;
  if (key === "enter" && !target.closest("a, button, summary")) whenSaved(() => next.click());
  if (/^[1-9]$/.test(key)) choose(list.querySelector(`[data-number="${key}"]`));
  const control = /^[a-z]$/.test(key) && current()?.querySelector(`[data-key="${key}"]`);
  if (control) {
    event.preventDefault();
    if (control.getAttribute("aria-pressed") === "true") goOn();
    else control.click();
  } else if (key === "t") {
    const field = document.querySelector("#task-answer form :is(input:not([type=hidden]), select, textarea)");
    if (field) event.preventDefault();
    field?.focus();
  }
});
