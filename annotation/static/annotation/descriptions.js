// The editor of own tasks: the annotator's page follows what is typed, and every problem leads to its line.

const WAIT_MS = 60; // after the last key, before the page is drawn again
const form = document.querySelector("[data-describe]");
const text = form.elements.text;
const frame = form.querySelector("[data-frame]");
const problems = form.querySelector("[data-problems]");
const state = form.querySelector("[data-state]");
const stored = text.value;
let waiting = 0;
let asked = 0; // requests sent; an answer that a later one has overtaken is not shown
let isSaving = false;

form.querySelector("[data-without-script]")?.remove();

async function look() {
  const number = (asked += 1);
  const body = new URLSearchParams({ text: text.value, csrfmiddlewaretoken: form.elements.csrfmiddlewaretoken.value });
  const answer = await fetch(form.dataset.preview, { method: "POST", body }).catch(() => null);
  if (number !== asked) return;
  if (!answer?.ok) {
    state.textContent = "(no connection: this is the last one that was drawn)";
    return;
  }
  const { html, problems: wrong } = await answer.json();
  if (number !== asked) return;
  state.textContent = html ? "" : "(the last one without errors)";
  if (html) draw(html);
  tell(wrong);
}

// The frame keeps the place to which somebody has scrolled.
function draw(html) {
  if (frame.srcdoc === html) return;
  const top = frame.contentWindow?.scrollY ?? 0;
  frame.addEventListener("load", () => frame.contentWindow.scrollTo(0, top), { once: true });
  frame.srcdoc = html;
}

function tell(wrong) {
  if (!wrong.length) return problems.replaceChildren();
  const note = Object.assign(document.createElement("div"), { className: "note bad" });
  const list = document.createElement("ul");
  list.append(...wrong.map(({ line, sentence }) => {
    const item = document.createElement("li");
    item.dataset.line = line;
    item.textContent = sentence;
    return item;
  }));
  note.append(list);
  problems.replaceChildren(note);
  link();
}

// Each problem becomes a button that goes to its line.
function link() {
  for (const item of problems.querySelectorAll("li[data-line]")) {
    if (item.dataset.line === "0") continue;
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: item.textContent });
    button.addEventListener("click", () => goTo(Number(item.dataset.line)));
    item.replaceChildren(button);
  }
}

function goTo(line) {
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  show("text");
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  const height = parseFloat(getComputedStyle(text).lineHeight);
  text.scrollTop = Math.max(0, (line - 4) * height);
}

function show(name) {
  form.dataset.shows = name;
  for (const tab of form.querySelectorAll("[data-tab]")) tab.setAttribute("aria-pressed", String(tab.dataset.tab === name));
}

text.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(look, WAIT_MS);
});

// Tab leaves the field, as everywhere; a new line begins where the one before began.
text.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
  const before = text.value.slice(0, text.selectionStart);
  const indent = before.slice(before.lastIndexOf("\n") + 1).match(/^ */)[0];
  if (!indent) return;
  event.preventDefault();
  text.setRangeText(`\n${indent}`, text.selectionStart, text.selectionEnd, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
});

for (const tab of form.querySelectorAll("[data-tab]")) tab.addEventListener("click", () => show(tab.dataset.tab));
form.querySelector(".describe__tabs").hidden = false;
form.addEventListener("submit", () => (isSaving = true));
addEventListener("beforeunload", (event) => {
  if (!isSaving && text.value !== stored) event.preventDefault();
});
show("text");
link();
