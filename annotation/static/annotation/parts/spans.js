// Marks in a text: by mouse, by touch and by keys. The field holds them as a list of offsets, which the server counts.
// Everything listens on the document, because the page's body may be replaced without a reload.

const STEPS = 200; // that can be undone
const LEVELS = 4; // of underlines
const known = new WeakMap();

const keyOf = (span) => `${span.start}-${span.end}:${span.label}`;
const byPlace = (left, right) => left.start - right.start || left.end - right.end || (left.label < right.label ? -1 : 1);
const overlap = (left, right) => left.start < right.end && right.start < left.end;
const encloses = (outer, inner) => outer.start <= inner.start && inner.end <= outer.end;
const make = (tag, className, attributes = {}) => Object.assign(document.createElement(tag), { className, ...attributes });

class Marking {
  constructor(place) {
    this.place = place;
    this.canvas = place.querySelector("[data-canvas]");
    this.field = place.querySelector("textarea");
    this.list = place.querySelector("[data-list]");
    this.box = place.querySelector("[data-nothing]");
    this.pieces = [...this.canvas.querySelectorAll(":scope > [data-start]")];
    this.tokens = this.pieces.filter((piece) => "token" in piece.dataset);
    this.numbers = new Map(this.tokens.map((token, number) => [token, number]));
    this.at = new Map(this.pieces.map((piece, number) => [Number(piece.dataset.start), number]));
    this.before = new Map(this.pieces.map((piece, number) => [Number(piece.dataset.end), number]));
    this.words = this.pieces.map((piece) => piece.textContent); // before there are any marks in them
    this.labels = new Map([...place.querySelectorAll("[data-label]")].map((button) => [button.dataset.label, button]));
    this.label = this.labels.keys().next().value;
    this.suggested = new Set(listIn(place.dataset.suggested ?? "").map(keyOf)); // until they are touched
    this.spans = [];
    this.past = [];
    this.future = [];
    this.drawn = [];
    this.rows = new Map();
    this.picked = null; // the first and the last token that are selected, as they were chosen
    this.current = ""; // the key of a mark
    for (const element of place.querySelectorAll("[data-scripted]")) element.hidden = false;
    place.querySelector("[data-plain]").hidden = true;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "Text to mark");
  }

  // ---- The field

  read() {
    if (this.field.matches("[aria-invalid]")) {
      this.field.removeAttribute("aria-invalid");
      this.canvas.setAttribute("aria-invalid", "true");
    }
    if (this.field.value === this.written) return;
    const isFirst = this.field.value === this.field.defaultValue;
    this.written = this.field.value;
    this.spans = isFirst ? JSON.parse(this.place.dataset.marks) : listIn(this.field.value);
    this.draw();
  }

  write(spans, said) {
    this.past = [...this.past.slice(1 - STEPS), this.spans];
    this.future = [];
    this.set(spans, said);
  }

  set(spans, said) {
    this.spans = spans;
    this.written = this.field.value = spans.length ? JSON.stringify(spans) : "";
    if (spans.length && this.box) this.box.checked = false;
    if (!spans.some((span) => keyOf(span) === this.current)) this.current = "";
    this.canvas.removeAttribute("aria-invalid");
    this.draw();
    this.say(`${said} ${spans.length === 1 ? "1 mark" : `${spans.length} marks`}.`);
    this.field.dispatchEvent(new Event("input", { bubbles: true })); // the draft is saved
  }

  step(from, to, said) {
    if (!this[from].length) return this.say(`There is nothing to ${said}.`);
    this[to].push(this.spans);
    this.set(this[from].pop(), from === "past" ? "Undone." : "Done again.");
  }

  // ---- What is selected

  range() {
    if (!this.picked) return null;
    const [first, last] = [...this.picked].sort((left, right) => left - right);
    return { start: Number(this.tokens[first].dataset.start), end: Number(this.tokens[last].dataset.end) };
  }

  pick(first, last, isOpen = false) {
    this.picked = first === null ? null : [first, last];
    this.isOpen = isOpen; // the next tap says where it ends
    this.current = "";
    this.draw();
    if (!this.picked) return;
    const range = this.range();
    const around = this.spans.filter((span) => encloses(span, range)).map((span) => this.nameOf(span));
    this.say([`“${this.textOf(range)}”`, ...around].join(", "));
  }

  tap(number) {
    const isEnd = this.isOpen && this.picked;
    this.pick(isEnd ? this.picked[0] : number, number, !isEnd);
  }

  go(span) {
    this.pick(null);
    this.current = keyOf(span);
    this.draw();
    this.pieces[this.at.get(span.start)].scrollIntoView({ block: "nearest" });
    this.say(`“${this.textOf(span)}”, ${this.nameOf(span)}, mark ${this.spans.indexOf(span) + 1} of ${this.spans.length}`);
  }

  next(by) {
    if (!this.spans.length) return this.say("There are no marks yet.");
    const now = this.spans.findIndex((span) => keyOf(span) === this.current);
    const after = this.range()?.start ?? -1;
    const found = this.spans.findIndex((span) => span.start >= after);
    const start = now >= 0 ? now + by : by > 0 ? Math.max(found, 0) : (found < 0 ? this.spans.length : found) - 1;
    this.go(this.spans.at(start % this.spans.length));
  }

  move(by, isExtended) {
    const last = this.picked ? this.picked[1] : this.tokenOfCurrent() ?? (by > 0 ? -1 : this.tokens.length);
    const to = Math.min(Math.max(last + by, 0), this.tokens.length - 1);
    if (to < 0) return;
    this.pick(isExtended && this.picked ? this.picked[0] : to, to);
    this.tokens[to].scrollIntoView({ block: "nearest" });
  }

  tokenOfCurrent() {
    const span = this.marked();
    return span && this.numbers.get(this.pieces[this.at.get(span.start)]);
  }

  // How many tokens on the token above or below lies.
  lines(by) {
    const from = this.tokens[this.picked?.[1] ?? 0].getBoundingClientRect();
    let best = 0;
    let top = null;
    for (let number = (this.picked?.[1] ?? 0) + by; this.tokens[number]; number += by) {
      const box = this.tokens[number].getBoundingClientRect();
      if (Math.abs(box.top - from.top) < 8) continue;
      top ??= box.top;
      if (Math.abs(box.top - top) >= 8) break;
      const nearest = best && this.tokens[(this.picked?.[1] ?? 0) + best].getBoundingClientRect().left;
      if (!best || Math.abs(box.left - from.left) < Math.abs(nearest - from.left)) best = number - (this.picked?.[1] ?? 0);
    }
    return best;
  }

  // ---- Changing marks

  marked() {
    return this.spans.find((span) => keyOf(span) === this.current);
  }

  mark(label) {
    this.label = label;
    const [old, range] = [this.marked(), this.range()];
    if (!old && !range) {
      this.draw();
      return this.say(`${this.nameOf({ label })}: select words in the text.`);
    }
    const place = old ?? range;
    const span = { start: place.start, end: place.end, label };
    const isApart = this.place.dataset.overlap === "none";
    const replaced = old ?? (isApart && this.spans.find((own) => own.start === span.start && own.end === span.end));
    const rest = this.spans.filter((own) => own !== replaced && keyOf(own) !== keyOf(span));
    const why = this.refusal(rest, span);
    if (why) return this.say(why);
    this.suggested.delete(keyOf(span));
    this.picked = null;
    this.current = keyOf(span);
    this.write([...rest, span].sort(byPlace), `“${this.textOf(span)}” is ${this.nameOf(span)}.`);
  }

  refusal(spans, span) {
    const { overlap: allowed, most } = this.place.dataset;
    if (spans.length >= Number(most)) return `There may be ${most} marks at most.`;
    const isBad = (own) => overlap(own, span) && (allowed === "none" || !(encloses(own, span) || encloses(span, own)));
    const other = allowed !== "any" && spans.find(isBad);
    return other ? `This overlaps with “${this.textOf(other)}”: marks may not overlap like this here.` : "";
  }

  remove(spans) {
    if (!spans.length) return this.say("There is no mark here to remove.");
    const said = spans.length === 1 ? `“${this.textOf(spans[0])}” is no longer marked.` : `${spans.length} marks are removed.`;
    this.write(this.spans.filter((span) => !spans.includes(span)), said);
  }

  removeHere() {
    const [own, range] = [this.marked(), this.range()];
    if (own || !range) return this.remove(own ? [own] : []);
    const around = this.spans.filter((span) => encloses(span, range) || encloses(range, span));
    this.remove(around.sort((left, right) => left.end - left.start - (right.end - right.start)).slice(0, 1));
  }

  same() {
    const span = this.marked();
    if (!span) return this.say("Choose a mark first: its words are then marked everywhere.");
    const inside = this.tokens.filter((token) => encloses(span, rangeOf(token)));
    const texts = inside.map((token) => this.wordsOf(token));
    const spans = [...this.spans];
    for (let number = 0; number + texts.length <= this.tokens.length; number += 1) {
      if (texts.some((text, more) => text !== this.wordsOf(this.tokens[number + more]))) continue;
      const end = this.tokens[number + texts.length - 1];
      const own = { start: rangeOf(this.tokens[number]).start, end: rangeOf(end).end, label: span.label };
      const isThere = spans.some((other) => keyOf(other) === keyOf(own));
      if (!isThere && this.textOf(own) === this.textOf(span) && !this.refusal(spans, own)) spans.push(own);
    }
    const added = spans.length - this.spans.length;
    if (!added) return this.say("There are no further places with the same words.");
    this.write(spans.sort(byPlace), `${added === 1 ? "1 more place" : `${added} more places`} marked.`);
  }

  // ---- Drawing: only what has changed

  wordsOf(piece) {
    return this.words[this.at.get(Number(piece.dataset.start))];
  }

  textOf(range) {
    return this.words.slice(this.at.get(range.start), this.before.get(range.end) + 1).join("").replace(/\s+/g, " ");
  }

  nameOf(span) {
    return this.labels.get(span.label)?.dataset.words ?? span.label;
  }

  colourOf(span) {
    return [...(this.labels.get(span.label)?.classList ?? [])].find((name) => /^spans--\d$/.test(name)) ?? "";
  }

  draw() {
    const marks = this.pieces.map(() => []);
    for (const [span, level] of levelsOf(this.spans)) {
      const [first, last] = [this.at.get(span.start), this.before.get(span.end)];
      for (let number = first; number <= last; number += 1) {
        marks[number].push({ span, level, isFirst: number === first, isLast: number === last });
      }
    }
    const [range, current] = [this.range(), this.marked()];
    this.pieces.forEach((piece, number) => {
      const own = rangeOf(piece);
      const drawn = marks[number].map((mark) => `${keyOf(mark.span)} ${mark.level} ${this.suggested.has(keyOf(mark.span))}`).join();
      const isPicked = range && encloses(range, own);
      const isCurrent = current && encloses(current, own);
      const isAt = this.picked && this.tokens[this.picked[1]] === piece;
      const classes = [isPicked && "spans__picked", isCurrent && `spans__current ${this.colourOf(current)}`, isAt && "spans__at"];
      const className = classes.filter(Boolean).join(" ");
      if (piece.className !== className) piece.className = className;
      if ((this.drawn[number] ?? "") === drawn) return;
      this.drawn[number] = drawn;
      piece.replaceChildren(this.words[number], ...this.signsOf(marks[number], this.words[number].includes("\n")));
    });
    for (const [label, button] of this.labels) button.setAttribute("aria-pressed", String(label === this.label));
    this.drawList();
  }

  signsOf(marks, isBreak) {
    const signs = [];
    for (const { span, level, isFirst, isLast } of marks) {
      const colour = this.colourOf(span);
      const place = `spans__line spans__line--${level}${isFirst ? " spans__line--first" : ""} ${colour}${this.openClass(span)}`;
      if (!isBreak) signs.push(make("i", place));
      if (!isLast) continue;
      signs.push(make("b", `spans__tag ${colour}${this.openClass(span)}`));
      signs.at(-1).dataset.tag = this.nameOf(span);
    }
    return signs;
  }

  openClass(span) {
    return this.suggested.has(keyOf(span)) ? " spans__open" : "";
  }

  drawList() {
    const keys = new Set(this.spans.map(keyOf));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.remove();
      this.rows.delete(key);
    }
    this.spans.forEach((span, number) => {
      const key = keyOf(span);
      if (!this.rows.has(key)) this.rows.set(key, this.rowOf(span));
      const row = this.rows.get(key);
      row.classList.toggle("spans__row--current", key === this.current);
      row.querySelector(".spans__tag").classList.toggle("spans__open", this.suggested.has(key));
      if (this.list.children[number] !== row) this.list.insertBefore(row, this.list.children[number] ?? null);
    });
  }

  rowOf(span) {
    const row = make("li", "spans__row");
    row.dataset.mark = keyOf(span);
    const go = make("button", "btn", { type: "button" });
    go.append(make("bdi", "", { textContent: this.textOf(span) }));
    go.append(make("span", `spans__tag ${this.colourOf(span)}`, { textContent: this.nameOf(span) }));
    const remove = make("button", "btn ghost", { type: "button", textContent: "Remove", lang: "en" });
    remove.setAttribute("aria-label", `Remove the mark ${this.textOf(span)}, ${this.nameOf(span)}`);
    go.dataset.act = "go";
    remove.dataset.act = "remove";
    row.append(go, remove);
    return row;
  }

  say(text) {
    this.place.querySelector("[data-said]").textContent = text;
  }
}

function rangeOf(piece) {
  return { start: Number(piece.dataset.start), end: Number(piece.dataset.end) };
}

function listIn(text) {
  try {
    return text.trim() ? JSON.parse(text) : [];
  } catch {
    return []; // lines, which only the server reads
  }
}

// The shortest marks are next to the words; those that overlap have lines of their own.
function levelsOf(spans) {
  const placed = [];
  for (const span of [...spans].sort((left, right) => left.end - left.start - (right.end - right.start))) {
    const taken = new Set(placed.filter(([other]) => overlap(other, span)).map(([, level]) => level));
    let level = 0;
    while (taken.has(level) && level < LEVELS - 1) level += 1;
    placed.push([span, level]);
  }
  return placed;
}

// ---- Mouse and touch

function markingAround(element) {
  const place = element?.closest?.("[data-spans]");
  return place && known.get(place);
}

function tokenAround(marking, element) {
  return marking?.numbers.get(element?.closest?.("[data-token]"));
}

let dragged = null;

document.addEventListener("pointerdown", (event) => {
  const marking = markingAround(event.target);
  const number = tokenAround(marking, event.target);
  dragged = number === undefined || event.button || event.pointerType === "touch" ? null : { marking, number, isMoved: false };
});

document.addEventListener("pointermove", (event) => {
  if (!dragged || !event.buttons) return;
  const number = tokenAround(dragged.marking, event.target);
  if (number === undefined || (number === dragged.number && !dragged.isMoved)) return;
  dragged.isMoved = true;
  if (dragged.marking.picked?.[1] !== number) dragged.marking.pick(dragged.number, number);
});

document.addEventListener("click", (event) => {
  const wasDragged = dragged?.isMoved;
  dragged = null;
  if (wasDragged) return;
  const marking = markingAround(event.target);
  if (!marking) return;
  const button = event.target.closest("[data-act], [data-label]");
  const number = tokenAround(marking, event.target);
  if (number !== undefined) marking.tap(number);
  else if (button) press(marking, button);
});

function press(marking, button) {
  const { act, label } = button.dataset;
  if (label) marking.mark(label);
  else if (act === "undo") marking.step("past", "future", "undo");
  else if (act === "redo") marking.step("future", "past", "do again");
  else if (act === "same") marking.same();
  else {
    const span = marking.spans.find((own) => keyOf(own) === button.closest("[data-mark]").dataset.mark);
    if (act === "go") return marking.go(span);
    marking.remove([span]);
    marking.canvas.focus({ preventScroll: true }); // the button is gone
  }
}

document.addEventListener("change", (event) => {
  const marking = event.target.matches("[data-nothing]:checked") && markingAround(event.target);
  if (marking?.spans.length) marking.write([], "All marks are removed; Undo brings them back.");
});

// Another script of the page changes the marks, and may select a piece of the text to mark.
document.addEventListener("spans:write", (event) => {
  const marking = markingAround(event.target);
  const { spans, said, range } = event.detail;
  if (spans) marking.write([...spans].sort(byPlace), said);
  if (!range) return;
  const inside = marking.tokens.filter((token) => encloses(range, rangeOf(token)));
  marking.pick(marking.numbers.get(inside[0]), marking.numbers.get(inside.at(-1)));
  marking.canvas.focus({ preventScroll: true });
});

// ---- Keys

document.addEventListener("keydown", (event) => {
  const marking = markingAround(event.target);
  if (!marking || event.isComposing || event.altKey || !isWork(marking, event)) return;
  event.preventDefault();
  if (!marking.place.closest(".task__form")) event.stopPropagation(); // a reviewer's page has keys of its own
}, true);

function isWork(marking, event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    if (key !== "z" && key !== "y") return false;
    const isRedo = key === "y" || event.shiftKey;
    return isDone(isRedo ? marking.step("future", "past", "do again") : marking.step("past", "future", "undo"));
  }
  if (event.target !== marking.canvas) return false;
  const isFromRight = getComputedStyle(marking.canvas).direction === "rtl";
  const steps = { ArrowRight: isFromRight ? -1 : 1, ArrowLeft: isFromRight ? 1 : -1, Home: -1e6, End: 1e6 };
  if (key in steps) return isDone(marking.move(steps[key], event.shiftKey));
  if (key === "ArrowDown" || key === "ArrowUp") {
    return isDone(marking.move(marking.lines(key === "ArrowDown" ? 1 : -1), event.shiftKey));
  }
  if (key === "Enter") return isDone(marking.mark(marking.label));
  if (key === "Delete" || key === "Backspace") return isDone(marking.removeHere());
  if (key === "Escape") return isDone(marking.pick(null));
  if (key === "." || key === ",") return isDone(marking.next(key === "." ? 1 : -1));
  if (key === "=") return isDone(marking.same());
  const label = [...marking.labels.values()].find((button) => button.dataset.key && button.dataset.key === letterOf(event));
  return label ? isDone(marking.mark(label.dataset.label)) : false;
}

const isDone = () => true;

// A digit or letter by what it says or, on keyboards of other scripts, by where it lies.
function letterOf(event) {
  const key = event.key.toLowerCase();
  if (/^[a-z0-9]$/.test(key)) return key;
  const place = event.key.length === 1 && /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code);
  return place ? place[1].toLowerCase() : "";
}

function update() {
  for (const place of document.querySelectorAll("[data-spans]")) {
    if (!known.has(place)) known.set(place, new Marking(place));
    known.get(place).read();
  }
}

for (const type of ["task:changed", "htmx:load"]) document.addEventListener(type, update);
update();
