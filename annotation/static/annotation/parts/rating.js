// Ratings by digits, and one criterion at a time. The body of the page may be replaced, so everything listens on the document.

const PART = '[data-kind="rating"]';
const TYPING = "textarea, select, input:not([type=radio], [type=checkbox]), [contenteditable]";
const touched = new WeakSet(); // groups of pages that the person has used: these turn when asked only

const isOpen = (row) => !row.querySelector("input:checked") && !row.querySelector("select")?.value;
const isShown = (element) => !element.closest("[hidden]:not([data-rating-page])");
const rowsOf = (place) => [...place.querySelectorAll("[data-rating-row]")].filter(isShown);
const controlOf = (row) => row.querySelector("input:checked") ?? row.querySelector("input, select");

// ---- Digits

// By what a key says or, on keyboards that write digits otherwise, by where it lies.
function digitOf(event) {
  if (/^[0-9]$/.test(event.key)) return event.key;
  return event.key.length === 1 ? (/^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1] ?? "") : "";
}

function isAnswered(part) {
  if (part.matches(PART)) return !rowsOf(part).some(isOpen);
  const fields = [...part.querySelectorAll("input, select, textarea")].filter((field) => field.name && field.type !== "hidden");
  return fields.some((field) => (["radio", "checkbox"].includes(field.type) ? field.checked : field.value.trim()));
}

function rowFor(form, place) {
  const part = place?.closest("[data-kind]");
  if (part && !part.matches(PART)) return null; // that part has keys of its own
  if (!part) {
    const first = [...form.querySelectorAll("[data-kind]")].find((own) => isShown(own) && !isAnswered(own));
    if (!first?.matches(PART)) return null;
  }
  return place?.closest("[data-rating-row]") ?? rowsOf(part ?? form).find(isOpen) ?? rowsOf(form).find(isOpen);
}

function focusOn(row) {
  const page = row.closest("[data-rating-page]");
  if (page?.hidden) turnTo(page);
  controlOf(row)?.focus();
}

function choose(form, row, digit) {
  const input = [digit, digit === "0" ? "10" : digit]
    .map((value) => row.querySelector(`input[value="${value}"]`))
    .find(Boolean);
  if (!input) return false;
  input.checked = true;
  input.focus();
  for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, { bubbles: true }));
  const rows = rowsOf(form);
  const next = [...rows.slice(rows.indexOf(row) + 1), ...rows].find(isOpen);
  if (next) focusOn(next);
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || event.isComposing || !digitOf(event)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
  const form = document.querySelector("form.task__form");
  const place = form?.contains(document.activeElement) ? document.activeElement : null;
  const row = form && rowFor(form, place);
  if (row && choose(form, row, digitOf(event))) event.preventDefault();
});

// ---- Pages

function turnTo(page) {
  const group = page.closest("[data-rating-pages]");
  const pages = [...group.querySelectorAll("[data-rating-page]")];
  const place = pages.indexOf(page);
  for (const own of pages) own.hidden = own !== page;
  const turn = group.querySelector("[data-rating-turn]");
  turn.hidden = false;
  turn.querySelector("[data-rating-place]").textContent = `${place + 1} of ${pages.length}`;
  turn.querySelector('[data-turn-by="-1"]').disabled = place === 0;
  turn.querySelector('[data-turn-by="1"]').disabled = place === pages.length - 1;
}

// The page with something to correct, or else the first that is not finished.
function begin() {
  for (const group of document.querySelectorAll("[data-rating-pages]")) {
    if (touched.has(group)) continue;
    const pages = [...group.querySelectorAll("[data-rating-page]")];
    const isUnfinished = (page) => [...page.querySelectorAll("[data-rating-row]")].some(isOpen);
    turnTo(pages.find((page) => page.querySelector("[aria-invalid]")) ?? pages.find(isUnfinished) ?? pages[0]);
  }
}

function touch(event) {
  const group = event.target.closest?.("[data-rating-pages]");
  if (group) touched.add(group);
}

document.addEventListener("input", touch, true);
document.addEventListener("click", (event) => {
  touch(event);
  const button = event.target.closest?.("[data-turn-by]");
  if (!button) return;
  const pages = [...button.closest("[data-rating-pages]").querySelectorAll("[data-rating-page]")];
  const page = pages[pages.findIndex((own) => !own.hidden) + Number(button.dataset.turnBy)];
  const rows = [...page.querySelectorAll("[data-rating-row]")];
  turnTo(page);
  focusOn(rows.find(isOpen) ?? rows[0]);
});
document.addEventListener("task:changed", begin); // also when another task has come

begin();
