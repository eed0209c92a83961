// Rankings: rows that arrows, keys and dragging move, which writes their places into the fields; and keys for pairs.
// Everything listens on the document, because the page's body may be replaced without a reload.

const SCROLL = { block: "nearest" };

const rowsOf = (ranking) => [...ranking.querySelectorAll("[data-row]")];
const fieldOf = (row) => row.querySelector("select");
const placeOf = (row) => Number(fieldOf(row).value); // 0: none yet
const byPlace = (left, right) => placeOf(left) - placeOf(right);
const orderAround = (element) => element.closest?.('[data-ranking="order"]');

// ---- What the fields say, as it looks

function update() {
  for (const ranking of document.querySelectorAll("[data-ranking]")) {
    for (const element of ranking.querySelectorAll("[data-scripted]")) element.hidden = false;
    if (ranking.dataset.ranking === "order") arrange(ranking);
    const isTouched = [...ranking.querySelectorAll("select, input")].some(isFilled);
    const [keep, clear] = ["[data-keep]", "[data-clear]"].map((own) => ranking.querySelector(own));
    if (keep) keep.hidden = isTouched;
    if (clear) clear.hidden = !isTouched;
  }
}

function arrange(ranking) {
  const rows = rowsOf(ranking);
  const isPlaced = rows.length > 0 && rows.every(placeOf);
  ranking.classList.toggle("ranking--placed", isPlaced);
  for (const row of rows) {
    row.tabIndex = 0;
    row.setAttribute("aria-keyshortcuts", "Alt+ArrowUp Alt+ArrowDown");
  }
  const sorted = [...rows].sort(byPlace); // stable: those of one place stay as they are
  if (!isPlaced || ranking.querySelector(".ranking__row--dragged") || sorted.every((row, at) => row === rows[at])) return;
  const focused = document.activeElement;
  rows[0].parentElement.append(...sorted);
  if (ranking.contains(focused)) focused.focus({ preventScroll: true }); // an element that moves loses it
}

function isFilled(field) {
  return ["radio", "checkbox"].includes(field.type) ? field.checked : Boolean(field.value.trim());
}

// ---- Changing places

function changed(ranking, row = null) {
  ranking.removeAttribute("aria-invalid");
  ranking.dispatchEvent(new Event("input", { bubbles: true })); // the draft is saved
  update();
  const place = ranking.querySelector("[data-moved]");
  if (!row || !place) return;
  place.textContent = placeOf(row) ? `${row.dataset.row}: place ${placeOf(row)} of ${rowsOf(ranking).length}` : "";
  row.scrollIntoView(SCROLL);
}

// Rows that share a place are a group; `alone` shares with nobody.
function groupsOf(rows, alone = null) {
  const isPlaced = rows.every(placeOf);
  const groups = [];
  rows.forEach((row, at) => {
    const before = rows[at - 1];
    const isShared = before && isPlaced && row !== alone && before !== alone && placeOf(row) === placeOf(before);
    if (isShared) groups.at(-1).push(row);
    else groups.push([row]);
  });
  return groups;
}

function write(groups) {
  let place = 1;
  for (const group of groups) {
    for (const row of group) fieldOf(row).value = place;
    place += group.length;
  }
}

function step(ranking, row, by) {
  const groups = groupsOf(rowsOf(ranking));
  const at = groups.findIndex((group) => group.includes(row));
  const others = groups[at].filter((other) => other !== row);
  if (others.length) groups.splice(at, 1, ...(by < 0 ? [[row], others] : [others, [row]]));
  else if (groups[at + by]) [groups[at], groups[at + by]] = [groups[at + by], groups[at]];
  write(groups);
  changed(ranking, row);
}

function give(ranking, row, place) {
  const others = rowsOf(ranking).filter((other) => other !== row);
  const hasTies = "ties" in ranking.dataset;
  fieldOf(row).value = place || "";
  if (place && others.every(placeOf)) {
    const sorted = hasTies ? [...others, row].sort(byPlace) : others.sort(byPlace);
    if (!hasTies) sorted.splice(place - 1, 0, row);
    write(hasTies ? groupsOf(sorted) : sorted.map((own) => [own]));
  } else if (place && !hasTies) {
    for (const other of others) if (placeOf(other) === place) fieldOf(other).value = "";
  }
  changed(ranking, row);
}

function clear(ranking) {
  for (const field of ranking.querySelectorAll("select")) field.value = "";
  for (const field of ranking.querySelectorAll("input:checked")) field.checked = false;
  changed(ranking);
  ranking.querySelector("[data-row][tabindex], input")?.focus();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-step], [data-keep], [data-clear]");
  const ranking = button?.closest("[data-ranking]");
  if (!ranking) return;
  if (button.dataset.step) return step(ranking, button.closest("[data-row]"), Number(button.dataset.step));
  if ("clear" in button.dataset) return clear(ranking);
  write(groupsOf(rowsOf(ranking)));
  changed(ranking);
  rowsOf(ranking)[0].focus();
});

document.addEventListener("change", (event) => {
  const ranking = event.target.closest?.("[data-ranking]");
  const row = event.target.closest?.("[data-row]");
  if (!ranking) return;
  if (event.target.matches("select")) return give(ranking, row, Number(event.target.value));
  // The best is not the worst.
  for (const field of row?.querySelectorAll("input:checked") ?? []) if (field !== event.target) field.checked = false;
  changed(ranking);
});

// ---- Dragging. The other rows move around the dragged one, which would lose the pointer if it left the page.

document.addEventListener("pointerdown", (event) => {
  const handle = event.target.closest?.("[data-handle]");
  const ranking = handle && orderAround(handle);
  if (!ranking || event.button) return;
  event.preventDefault();
  const row = handle.closest("[data-row]");
  const before = rowsOf(ranking);
  const stopper = new AbortController();
  const on = (type, work, target = handle) => target.addEventListener(type, work, { signal: stopper.signal });
  const end = (isKept) => {
    stopper.abort();
    row.classList.remove("ranking__row--dragged");
    const rows = rowsOf(ranking);
    if (rows.every((own, at) => own === before[at])) return;
    if (!isKept) return row.parentElement.append(...before);
    write(groupsOf(rows, row));
    changed(ranking, row);
  };
  handle.setPointerCapture(event.pointerId);
  row.classList.add("ranking__row--dragged");
  on("pointermove", (move) => follow(row, move.clientY));
  on("pointerup", () => end(true));
  on("pointercancel", () => end(false));
  on("keydown", (pressed) => pressed.key === "Escape" && end(false), document);
});

function follow(row, y) {
  const middle = (other) => other.getBoundingClientRect().top + other.offsetHeight / 2;
  const [next, previous] = [row.nextElementSibling, row.previousElementSibling];
  if (next && y > middle(next)) row.before(next);
  else if (previous && y < middle(previous)) row.after(previous);
  else return;
  row.scrollIntoView(SCROLL);
  follow(row, y);
}

// ---- Keys

document.addEventListener("keydown", (event) => {
  const ranking = orderAround(event.target);
  const row = event.target.closest?.("[data-row]");
  if (!ranking || !row || event.ctrlKey || event.metaKey || event.target.matches("select")) return;
  const by = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : 0;
  const place = !event.altKey && /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
  if (!by && !(place && place <= rowsOf(ranking).length)) return;
  event.preventDefault();
  if (!row.closest(".task__form")) event.stopPropagation(); // a reviewer's page has keys of its own
  if (by) step(ranking, row, by);
  else give(ranking, row, place);
}, true);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!/^[0-2]$/.test(event.key) || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("input:not([type=radio], [type=checkbox]), select, textarea, [contenteditable]")) return;
  const focused = event.target.closest?.(".part[data-part]"); // a question of another kind has keys of its own
  const ranking = (focused ?? firstOpenPart())?.querySelector('[data-ranking="pair"]');
  const radio = ranking?.querySelector(`[data-digit="${event.key}"]`);
  if (!radio) return;
  event.preventDefault();
  radio.focus();
  radio.click();
});

function firstOpenPart() {
  const parts = [...document.querySelectorAll("form.task__form .part[data-part]")].filter((part) => part.getClientRects().length);
  return parts.find((part) => ![...part.querySelectorAll("input, select, textarea")].some(isFilled));
}

for (const type of ["task:changed", "htmx:load"]) document.addEventListener(type, update);
update();
