// Choices by keys, and “none of these”, which excludes the other boxes. Without this, choices still work.

const TYPED_INTO = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

// A digit or letter by what it says or, on keyboards of other scripts, by where it lies.
function keyOf(event) {
  const key = event.key.toLowerCase();
  if (/^[a-z0-9]$/.test(key)) return key;
  const place = event.key.length === 1 && /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code);
  return place ? place[1].toLowerCase() : "";
}

function offering(choice, key) {
  return [...choice.querySelectorAll("[data-key]")].find((input) => input.dataset.key === key && !input.disabled);
}

const isVisible = (element) => element.getClientRects().length > 0;
const isOpen = (choice) => !choice.querySelector("input:checked");

// Digits choose in ratings too: what is before the choice, and open, comes first.
function isLeftToAnother(choice, key) {
  if (!/[0-9]/.test(key)) return false;
  return [...choice.closest("form").querySelectorAll("[data-kind]")].some((part) => {
    if (part.querySelector("[data-choice]")) return false;
    const radios = [...part.querySelectorAll("[type=radio]")];
    const answered = new Set(radios.filter((radio) => radio.checked).map((radio) => radio.name));
    const isBefore = part.compareDocumentPosition(choice) & Node.DOCUMENT_POSITION_FOLLOWING;
    return isBefore && isVisible(part) && radios.some((radio) => !answered.has(radio.name));
  });
}

function inputOf(key) {
  const focus = document.activeElement;
  const own = focus?.closest("[data-choice]");
  const meant = own && offering(own, key);
  if (meant) return meant;
  if (!own && focus?.matches("input") && /[0-9]/.test(key)) return null; // a rating has the focus
  const choices = [...document.querySelectorAll("form.task__form [data-choice]")];
  const choice = choices.find((place) => isVisible(place) && isOpen(place) && offering(place, key));
  return choice && !isLeftToAnother(choice, key) ? offering(choice, key) : null;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.repeat) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest?.(TYPED_INTO) || document.querySelector("dialog[open]")) return;
  const key = keyOf(event);
  const input = key && inputOf(key);
  if (!input) return;
  event.preventDefault();
  input.click(); // tells that it has changed, if it has
  const words = input.closest("[data-choice]").querySelector(".choices__words input");
  (words && "other" in input.dataset && input.checked ? words : input).focus();
});

// Before anybody else hears of the change: what is saved must have the right boxes.
document.addEventListener("input", (event) => {
  const box = event.target;
  if (box.type !== "checkbox" || !box.checked) return;
  for (const input of box.closest("[data-choice]")?.querySelectorAll("[type=checkbox]:checked") ?? []) {
    if (input !== box && ("none" in input.dataset || "none" in box.dataset)) input.checked = false;
  }
}, true);
