// Marks in a text: by mouse, by touch and by keys. The field holds them as a list of offsets, which the server counts.
// The server draws the marks that a page begins with; from then on, only what changes is drawn.
// Everything listens on the document, because the page's body may be replaced without a reload.

const STEPS = 200; // that can be undone
const LEVELS = 4; // of underlines
const AFTER_MS = 100; // after a change, before the page saves its draft: what has changed is drawn first
const SHORT = 60; // characters of the text that are said
const known = new WeakMap();

const keyOf = (span) => `${span.start}-${span.end}:${span.label}`;
const isSame = (left, right) => left.start === right.start && left.end === right.end && left.label === right.label;
const byPlace = (left, right) => left.start - right.start || left.end - right.end || (left.label < right.label ? -1 : 1);
const overlap = (left, right) => left.start < right.end && right.start < left.end;
const encloses = (outer, inner) => outer.start <= inner.start && inner.end <= outer.end;
const counted = (number, noun) => (number === 1 ? `1 ${noun}` : `${number} ${noun}s`);
const shortened = (text) => (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text);
const inALine = (text) => text.trim().replace(/\s+/g, " ");
const make = (tag, className, properties = {}) => Object.assign(document.createElement(tag), { className, ...properties });

class Marking {
  constructor(place) {
    this.place = place;
    this.canvas = place.querySelector("[data-canvas]");
    this.field = place.querySelector("textarea");
    this.list = place.querySelector("[data-list]");
    this.box = place.querySelector("[data-nothing]");
    this.search = place.querySelector("[data-find]");
    this.pieces = [...this.canvas.querySelectorAll("[data-start]")];
    this.starts = this.pieces.map((piece) => Number(piece.dataset.start));
    this.ends = this.pieces.map((piece) => Number(piece.dataset.end));
    this.at = new Map(this.starts.map((start, number) => [start, number]));
    this.before = new Map(this.ends.map((end, number) => [end, number]));
    this.tokens = [...this.pieces.keys()].filter((number) => "token" in this.pieces[number].dataset);
    this.numbers = new Map(this.tokens.map((piece, number) => [this.pieces[piece], number]));
    this.panel = place.querySelector("[data-attributes]");
    this.attributes = [...place.querySelectorAll("[data-attribute]")].map((element) => ({
      name: element.dataset.attribute,
      labels: element.dataset.labels.split(" ").filter(Boolean), // none: all
      isRequired: "required" in element.dataset,
      element,
      field: element.querySelector("select, input"),
      hasPages: Boolean(element.querySelector("[data-pages]")), // a list of titles, which span_pages.js asks for
    }));
    this.labels = new Map([...place.querySelectorAll("[data-label]")].map((button) => [button.dataset.label, button]));
    this.label = this.labels.keys().next().value;
    this.suggestedField = place.querySelector("[data-suggested]"); // keys of suggestions that nobody has touched
    this.suggested = new Set();
    this.spans = [];
    this.past = [];
    this.future = [];
    this.levels = new Map(); // of the marks that are drawn
    this.states = new Map(); // of the pieces that are selected
    this.rows = new Map();
    this.lit = []; // what shows the mark that is chosen
    this.picked = null; // the first and the last token that are selected, as they were chosen
    this.current = null; // the mark that is chosen
    for (const element of place.querySelectorAll("[data-scripted]")) element.hidden = false;
    place.querySelector("[data-plain]").hidden = true;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "Text to mark");
    if (this.isFirst()) this.canvas.focus({ preventScroll: true });
  }

  // On a first visit the page looks for its first field before the text can have the focus.
  isFirst() {
    const isFree = "first" in this.canvas.dataset && document.activeElement === document.body;
    const isTask = this.place.closest(".task__form:not([data-preview])");
    return isFree && isTask && this.canvas.getBoundingClientRect().bottom < innerHeight;
  }

  // ---- The field

  read() {
    if (this.field.matches("[aria-invalid]")) {
      this.field.removeAttribute("aria-invalid");
      this.canvas.setAttribute("aria-invalid", "true");
    }
    const suggested = this.suggestedField?.value ?? "";
    if (this.field.value === this.written && suggested === this.writtenSuggested) return;
    this.suggested = new Set(suggested.split(" "));
    this.writtenSuggested = suggested;
    const marks = JSON.parse(this.place.dataset.marks); // as the server has read and drawn them
    if (this.written === undefined && !suggested) this.levels = levelsOf(marks);
    this.written = this.field.value;
    this.spans = this.field.value === this.field.defaultValue ? marks : listIn(this.field.value);
    this.draw();
  }

  // What is typed into one field is one step, which `typing` names.
  write(spans, words, typing = "") {
    if (!typing || typing !== this.typing) this.past = [...this.past.slice(1 - STEPS), this.spans];
    this.typing = typing;
    this.future = [];
    this.set(spans, words);
  }

  set(spans, words) {
    this.spans = spans;
    this.written = this.field.value = spans.length ? JSON.stringify(spans) : "";
    if (this.suggestedField) this.writtenSuggested = this.suggestedField.value = [...this.suggested].join(" ");
    if (spans.length && this.box) this.box.checked = false;
    this.canvas.removeAttribute("aria-invalid");
    this.draw();
    this.say(`${words} ${counted(spans.length, "mark")}.`);
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.field.dispatchEvent(new Event("input", { bubbles: true })), AFTER_MS);
  }

  step(from, to, what) {
    if (!this[from].length) return this.say(`There is nothing to ${what}.`);
    this.typing = "";
    this[to].push(this.spans);
    this.set(this[from].pop(), from === "past" ? "Undone." : "Done again.");
  }

  // ---- What is selected

  range() {
    if (!this.picked) return null;
    const [first, last] = [...this.picked].sort((left, right) => left - right);
    return this.rangeOf(first, last);
  }

  rangeOf(first, last = first) {
    return { start: this.starts[this.tokens[first]], end: this.ends[this.tokens[last]] };
  }

  pick(first, last, isHalf = false) {
    this.picked = first === null ? null : [first, last];
    this.isHalf = isHalf; // the next tap says where it ends
    this.current = null;
    this.drawStates();
    if (!this.picked) return;
    const range = this.range();
    const around = this.spans.filter((span) => encloses(span, range)).map((span) => this.nameOf(span));
    this.say([this.quoted(range), ...around].join(", "));
  }

  tap(number) {
    const isEnd = this.isHalf && this.picked;
    this.pick(isEnd ? this.picked[0] : number, number, !isEnd);
  }

  go(span) {
    this.picked = null;
    this.current = span;
    this.drawStates();
    this.show(this.at.get(span.start));
    this.say(`${this.quoted(span)}, ${this.nameOf(span)}, mark ${this.spans.indexOf(span) + 1} of ${this.spans.length}`);
  }

  next(by) {
    if (!this.spans.length) return this.say("There are no marks yet.");
    const now = this.spans.indexOf(this.current);
    const after = this.range()?.start ?? -1;
    const behind = this.spans.findIndex((span) => span.start >= after);
    const start = now >= 0 ? now + by : by > 0 ? Math.max(behind, 0) : (behind < 0 ? this.spans.length : behind) - 1;
    this.go(this.spans.at(start % this.spans.length));
  }

  move(by, isExtended) {
    const last = this.picked ? this.picked[1] : this.tokenOfCurrent() ?? (by > 0 ? -1 : this.tokens.length);
    const to = Math.min(Math.max(last + by, 0), this.tokens.length - 1);
    if (to < 0) return;
    this.pick(isExtended && this.picked ? this.picked[0] : to, to);
    this.show(this.tokens[to]);
  }

  show(number) {
    this.pieces[number].scrollIntoView({ block: "nearest" });
  }

  tokenOfCurrent() {
    const span = this.current;
    return span && this.numbers.get(this.pieces[this.at.get(span.start)]);
  }

  // How many tokens on the token above or below lies.
  lines(by) {
    const from = this.picked?.[1] ?? this.tokenOfCurrent() ?? 0;
    const boxOf = (number) => this.pieces[this.tokens[number]].getBoundingClientRect();
    const { top: height, left: column } = boxOf(from);
    let [best, nearest, top] = [0, Infinity, null];
    for (let number = from + by; number in this.tokens; number += by) {
      const box = boxOf(number);
      if (Math.abs(box.top - height) < 8) continue;
      top ??= box.top;
      if (Math.abs(box.top - top) >= 8) break;
      if (Math.abs(box.left - column) >= nearest) continue;
      [best, nearest] = [number - from, Math.abs(box.left - column)];
    }
    return best;
  }

  // ---- Changing marks

  mark(label) {
    this.label = label;
    const [old, range] = [this.current, this.range()];
    if (!old && !range) {
      this.drawStates();
      return this.say(`${this.nameOf({ label })}: select words in the text.`);
    }
    const place = old ?? range;
    const span = this.spanOf(place, label, old?.attributes);
    const isApart = this.place.dataset.overlap === "none";
    const replaced = old ?? (isApart && this.spans.find((own) => own.start === span.start && own.end === span.end));
    const rest = this.spans.filter((own) => own !== replaced && !isSame(own, span));
    const why = this.refusal(rest, span);
    if (why) return this.say(why);
    this.suggested.delete(keyOf(span));
    this.picked = null;
    this.current = span;
    this.write([...rest, span].sort(byPlace), `${this.quoted(span)} is ${this.nameOf(span)}.`);
  }

  spanOf({ start, end }, label, attributes = {}) {
    const own = this.asked({ label }).flatMap(({ name }) => (attributes[name]?.length ? [[name, attributes[name]]] : []));
    return own.length ? { start, end, label, attributes: Object.fromEntries(own) } : { start, end, label };
  }

  refusal(spans, span) {
    const { overlap: allowed, most } = this.place.dataset;
    if (spans.length >= Number(most)) return `There may be ${counted(Number(most), "mark")} at most.`;
    const isBad = (own) => overlap(own, span) && (allowed === "none" || !(encloses(own, span) || encloses(span, own)));
    const other = allowed !== "any" && spans.find(isBad);
    return other ? `This overlaps with ${this.quoted(other)}: marks may not overlap like this here.` : "";
  }

  remove(spans) {
    if (!spans.length) return this.say("There is no mark here to remove.");
    const words = spans.length === 1 ? `${this.quoted(spans[0])} is no longer marked.` : `${spans.length} marks are removed.`;
    this.write(this.spans.filter((span) => !spans.includes(span)), words);
  }

  removeHere() {
    const [own, range] = [this.current, this.range()];
    if (own || !range) return this.remove(own ? [own] : []);
    const around = this.spans.filter((span) => encloses(span, range) || encloses(range, span));
    this.remove(around.sort((left, right) => left.end - left.start - (right.end - right.start)).slice(0, 1));
  }

  // ---- The same words in other places

  same() {
    const span = this.current;
    if (!span) return this.say("Choose a mark first: its words are then marked everywhere.");
    this.markAll(this.placesOf(this.textOf(span), true), span.label, span.attributes);
  }

  markAll(places, label, attributes) {
    const spans = [...this.spans];
    const keys = new Set(spans.map(keyOf));
    for (const place of places) {
      const span = this.spanOf(place, label, attributes);
      if (!keys.has(keyOf(span)) && !this.refusal(spans, span)) spans.push(span);
    }
    const added = spans.length - this.spans.length;
    if (!added) return this.say("There are no further places to mark.");
    this.write(spans.sort(byPlace), `${added === 1 ? "1 more place" : `${added} more places`} marked as ${this.nameOf({ label })}.`);
  }

  // Places with these words, as whole words; small letters stand for capitals too unless `isExact`.
  placesOf(words, isExact) {
    const asCompared = (text) => (isExact ? text : text.toLowerCase());
    const wanted = asCompared(inALine(words));
    const letters = wanted.replaceAll(" ", "");
    if (!letters) return [];
    const texts = this.tokens.map((number) => asCompared(this.pieces[number].textContent));
    const places = [];
    for (let first = 0; first < texts.length; first += 1) {
      let [last, length] = [first, 0];
      while (last < texts.length && letters.startsWith(texts[last], length)) length += texts[last++].length;
      if (length < letters.length) continue;
      const place = this.rangeOf(first, last - 1);
      if (asCompared(this.textOf(place)) === wanted) places.push(place);
    }
    return places;
  }

  searched() {
    const words = this.search.value;
    return this.placesOf(words, words !== words.toLowerCase());
  }

  sayPlaces() {
    if (this.search.value.trim()) this.say(`${counted(this.searched().length, "place")} in the text.`);
  }

  find() {
    const places = this.searched();
    if (!places.length) return this.sayPlaces() ?? this.search.focus();
    const after = this.range()?.start ?? -1;
    const place = places.find((own) => own.start > after) ?? places[0];
    const [first, last] = [this.at.get(place.start), this.before.get(place.end)].map((number) => this.numbers.get(this.pieces[number]));
    this.pick(first, last);
    this.show(this.tokens[first]);
    this.say(`${this.quoted(place)}, place ${places.indexOf(place) + 1} of ${places.length}`);
  }

  // ---- Answers about a mark

  asked(span) {
    return this.attributes.filter(({ labels }) => !labels.length || labels.includes(span.label));
  }

  isOpen(span) {
    return this.asked(span).some(({ name, isRequired }) => isRequired && !span.attributes?.[name]?.length);
  }

  answer(field) {
    const { name } = this.attributes.find((own) => own.field === field);
    this.answerWith(name, inALine(field.value), inALine(field.selectedOptions?.[0].text ?? field.value), true);
  }

  answerWith(name, value, words, isTyped = false) {
    const span = this.current;
    if (!span) return;
    const changed = this.spanOf(span, span.label, { ...span.attributes, [name]: value });
    const spans = this.spans.map((own) => (own === span ? changed : own));
    this.suggested.delete(keyOf(span));
    this.write(spans, `${name}: ${shortened(words || "no answer")}.`, isTyped ? `${keyOf(span)} ${name}` : "");
  }

  // Give the same answer to every mark with the same words and label, and mark the places that have no mark.
  answerSame(name) {
    const span = this.current;
    const [words, value] = [this.textOf(span), span.attributes[name]];
    const isOther = (own) => own.label === span.label && this.textOf(own) === words && `${own.attributes?.[name] ?? ""}` !== `${value}`;
    const spans = this.spans.map((own) => (isOther(own) ? this.spanOf(own, own.label, { ...own.attributes, [name]: value }) : own));
    let count = spans.filter((own, number) => own !== this.spans[number]).length;
    for (const place of this.placesOf(words, true)) {
      const added = this.spanOf(place, span.label, { [name]: value });
      if (spans.some((own) => isSame(own, added)) || this.refusal(spans, added)) continue;
      spans.push(added);
      count += 1;
    }
    if (!count) return this.say("There are no other places with these words.");
    this.write(spans.sort(byPlace), `${count === 1 ? "1 more place" : `${count} more places`} with the same answer.`);
  }

  // The first field of the mark that is chosen; undefined if nothing is asked about it.
  firstField() {
    const span = this.current;
    return span && this.asked(span)[0]?.field;
  }

  answersOf(span) {
    const wordsOf = ({ name, field }) => {
      const value = span.attributes?.[name];
      if (Array.isArray(value)) return `${name}: ${value.join(", ")}`;
      return value && `${name}: ${[...(field.options ?? [])].find((own) => own.value === value)?.text ?? value}`;
    };
    return this.asked(span).map(wordsOf).filter(Boolean).join(", ");
  }

  // ---- Drawing

  textOf(range) {
    let text = "";
    for (let number = this.at.get(range.start); number <= this.before.get(range.end); number += 1) {
      text += this.pieces[number].textContent;
    }
    return inALine(text);
  }

  quoted(range) {
    return `“${shortened(this.textOf(range))}”`;
  }

  nameOf(span) {
    return this.labels.get(span.label)?.dataset.words ?? span.label;
  }

  colourOf(span) {
    return this.labels.get(span.label)?.dataset.colour ?? "1";
  }

  draw() {
    this.current &&= this.spans.find((span) => isSame(span, this.current)) ?? null;
    this.drawMarks();
    this.drawList();
    this.drawStates();
  }

  drawMarks() {
    const levels = levelsOf(this.spans);
    const changed = new Set();
    for (const [span, level] of levels) if (this.levels.get(span) !== level) this.addPieces(changed, span);
    for (const span of this.levels.keys()) if (!levels.has(span)) this.addPieces(changed, span);
    this.levels = levels;
    if (!changed.size) return;
    const marks = new Map([...changed].map((number) => [number, []]));
    for (const [span, level] of levels) {
      const [first, last] = [this.at.get(span.start), this.before.get(span.end)];
      for (let number = first; number <= last; number += 1) {
        marks.get(number)?.push({ span, level, isFirst: number === first, isLast: number === last });
      }
    }
    for (const [number, own] of marks) this.drawPiece(this.pieces[number], own);
  }

  addPieces(numbers, span) {
    for (let number = this.at.get(span.start); number <= this.before.get(span.end); number += 1) numbers.add(number);
  }

  drawPiece(piece, marks) {
    const names = marks.length ? ["spans__in"] : [];
    const tags = [];
    for (const { span, level, isFirst, isLast } of marks) {
      const colour = this.colourOf(span);
      names.push(`u${level}-${colour}${this.suggested.has(keyOf(span)) ? ` s${level}` : ""}`);
      if (isFirst) names.push(`f${level}`);
      if (isLast) tags.push(this.tagOf(span, colour));
    }
    piece.className = names.join(" ");
    if (tags.length || piece.childElementCount) piece.replaceChildren(piece.textContent, ...tags);
  }

  tagOf(span, colour) {
    const tag = make("b", `spans__tag spans--${colour}${this.suggestedClass(span)}`);
    tag.dataset.mark = keyOf(span);
    tag.dataset.tag = this.isOpen(span) ? `${this.nameOf(span)} …` : this.nameOf(span);
    return tag;
  }

  suggestedClass(span) {
    return this.suggested.has(keyOf(span)) ? " spans__tag--suggested" : "";
  }

  drawStates() {
    const states = new Map();
    const add = (range, state) => {
      for (let number = this.at.get(range.start); number <= this.before.get(range.end); number += 1) states.set(number, state);
    };
    const [range, current] = [this.range(), this.current];
    if (range) add(range, "picked");
    if (current) add(current, "current");
    if (this.picked) states.set(this.tokens[this.picked[1]], "picked at");
    for (const number of this.states.keys()) if (!states.has(number)) delete this.pieces[number].dataset.state;
    for (const [number, state] of states) {
      if (this.states.get(number) !== state) this.pieces[number].dataset.state = state;
    }
    this.states = states;
    for (const [label, button] of this.labels) button.setAttribute("aria-pressed", String(label === this.label));
    this.drawCurrent(current);
    this.drawAttributes(current);
  }

  drawCurrent(span) {
    for (const element of this.lit) element.removeAttribute("aria-current");
    const last = span && this.pieces[this.before.get(span.end)];
    this.lit = span ? [this.rows.get(span), last.querySelector(`[data-mark="${keyOf(span)}"]`)] : [];
    for (const element of this.lit) element.setAttribute("aria-current", "true");
  }

  drawAttributes(span) {
    if (!this.panel) return;
    const asked = span ? this.asked(span) : [];
    this.panel.hidden = !asked.length;
    for (const attribute of this.attributes) {
      const { name, element, field, hasPages } = attribute;
      const value = span?.attributes?.[name] ?? "";
      element.hidden = !asked.includes(attribute);
      if (hasPages) this.askForPages(element, element.hidden ? null : span, value);
      else if (inALine(field.value) !== value) field.value = value;
    }
  }

  askForPages(element, span, value) {
    const detail = span && { key: keyOf(span), words: this.textOf(span), titles: value || [] };
    element.dispatchEvent(new CustomEvent("spans:asked", { bubbles: true, detail }));
  }

  drawList() {
    for (const [span, row] of this.rows) {
      if (this.levels.has(span)) continue;
      row.remove();
      this.rows.delete(span);
    }
    let after = null;
    for (const span of [...this.spans].reverse()) {
      if (!this.rows.has(span)) this.list.insertBefore(this.rowOf(span), after);
      after = this.rows.get(span);
    }
  }

  rowOf(span) {
    const row = make("li", "spans__mark");
    row.dataset.mark = keyOf(span);
    const go = make("button", "btn ghost", { type: "button" });
    go.append(make("bdi", "", { textContent: this.textOf(span) }));
    go.append(make("span", `spans__tag spans--${this.colourOf(span)}${this.suggestedClass(span)}`, { textContent: this.nameOf(span) }));
    const answers = this.answersOf(span);
    if (answers) go.append(make("span", "spans__answers", { textContent: answers }));
    const remove = make("button", "btn ghost", { type: "button", textContent: "Remove", lang: "en" });
    remove.setAttribute("aria-label", `Remove the mark ${this.textOf(span)}, ${this.nameOf(span)}`);
    go.dataset.act = "go";
    remove.dataset.act = "remove";
    row.append(go, remove);
    this.rows.set(span, row);
    return row;
  }

  say(text) {
    this.place.querySelector("[data-said]").textContent = text;
  }
}

function listIn(text) {
  try {
    return text.trim() ? JSON.parse(text) : [];
  } catch {
    return []; // lines, which only the server reads
  }
}

// The shortest marks are next to the words; those that overlap have lines of their own. The server counts alike.
function levelsOf(spans) {
  const rows = Array.from({ length: LEVELS - 1 }, () => []);
  const levels = new Map();
  for (const span of [...spans].sort((left, right) => left.end - left.start - (right.end - right.start))) {
    let level = 0;
    while (level < rows.length && !isPut(rows[level], span)) level += 1;
    levels.set(span, level);
  }
  return levels;
}

// Put a mark into a row of marks that do not overlap, which is in the order of the text; false if it does not fit.
function isPut(row, span) {
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row[middle].start < span.end) low = middle + 1;
    else high = middle;
  }
  if (low && row[low - 1].end > span.start) return false;
  row.splice(low, 0, span);
  return true;
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
  const tag = event.target.closest("b[data-mark]");
  const button = event.target.closest("[data-act], [data-label]");
  const number = tokenAround(marking, event.target);
  if (tag) marking.go(spanAround(marking, tag));
  else if (number !== undefined) marking.tap(number);
  else if (button) press(marking, button);
});

function spanAround(marking, element) {
  const key = element.closest("[data-mark]").dataset.mark;
  return marking.spans.find((span) => keyOf(span) === key);
}

const ACTS = {
  undo: (marking) => marking.step("past", "future", "undo"),
  redo: (marking) => marking.step("future", "past", "do again"),
  same: (marking) => marking.same(),
  next: (marking) => marking.next(1),
  previous: (marking) => marking.next(-1),
  find: (marking) => marking.find(),
  "mark-all": (marking) => marking.markAll(marking.searched(), marking.label),
  "remove-here": (marking) => marking.removeHere(),
  go: (marking, button) => marking.go(spanAround(marking, button)),
  remove: (marking, button) => {
    marking.remove([spanAround(marking, button)]);
    marking.canvas.focus({ preventScroll: true }); // the button is gone
  },
};

function press(marking, button) {
  const { act, label } = button.dataset;
  if (label) marking.mark(label);
  else ACTS[act](marking, button);
}

document.addEventListener("change", (event) => {
  const marking = event.target.matches("[data-nothing]:checked") ? markingAround(event.target) : null;
  if (marking?.spans.length) marking.write([], "All marks are removed; Undo brings them back.");
});

// Another script of the page changes the marks, and may select a piece of the text to mark.
document.addEventListener("spans:write", (event) => {
  const marking = markingAround(event.target);
  const { spans, said, range } = event.detail;
  if (spans) marking.write([...spans].sort(byPlace), said);
  if (!range) return;
  const isInside = (piece) => marking.starts[piece] >= range.start && marking.ends[piece] <= range.end;
  const inside = [...marking.tokens.keys()].filter((number) => isInside(marking.tokens[number]));
  marking.pick(inside[0], inside.at(-1));
  marking.canvas.focus({ preventScroll: true });
});

document.addEventListener("input", (event) => {
  const marking = markingAround(event.target);
  if (event.target === marking?.search) marking.sayPlaces();
  if (event.target.closest?.("[data-attribute]") && !event.target.closest("[data-pages]")) marking?.answer(event.target);
});

// The script of a field answers about the mark that is chosen: with a value, or with the same for all its words.
document.addEventListener("spans:answer", (event) => {
  const marking = markingAround(event.target);
  const { name, value, words, isSame: isForAll, isDone: isOver } = event.detail;
  if (isForAll) marking.answerSame(name);
  else if (value) marking.answerWith(name, value, words);
  if (isOver) marking.canvas.focus({ preventScroll: true });
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
  if (event.target.closest("[data-pages]")) return false; // it has keys of its own
  if (event.target.closest("[data-attribute]")) return isWorkOfAnswer(marking, key, event);
  if (event.target === marking.search) return isWorkOfSearch(marking, key, event);
  if (event.target.matches("input:not([type=checkbox]), textarea, select")) return false;
  if (event.ctrlKey || event.metaKey) {
    const isSent = key === "Enter" && event.target === marking.canvas && marking.place.closest(".task__form");
    if (isSent) return isDone(isSent.requestSubmit());
    if (key !== "z" && key !== "y") return false;
    const isRedo = key === "y" || event.shiftKey;
    return isDone(isRedo ? ACTS.redo(marking) : ACTS.undo(marking));
  }
  if (event.target !== marking.canvas) return false;
  const isFromRight = getComputedStyle(marking.canvas).direction === "rtl";
  const steps = { ArrowRight: isFromRight ? -1 : 1, ArrowLeft: isFromRight ? 1 : -1, Home: -1e6, End: 1e6 };
  if (key in steps) return isDone(marking.move(steps[key], event.shiftKey));
  if (key === "ArrowDown" || key === "ArrowUp") {
    return isDone(marking.move(marking.lines(key === "ArrowDown" ? 1 : -1), event.shiftKey));
  }
  const field = key === "Enter" && marking.firstField();
  if (field) return isDone(field.focus());
  if (key === "Enter") return isDone(marking.mark(marking.label));
  if (key === "Delete" || key === "Backspace") return isDone(marking.removeHere());
  if (key === "Escape") return isDone(marking.pick(null));
  if (key === "." || key === ",") return isDone(marking.next(key === "." ? 1 : -1));
  if (key === "=") return isDone(marking.same());
  if (key === "/") return isDone(marking.search.focus());
  const label = [...marking.labels.values()].find((button) => button.dataset.key && button.dataset.key === letterOf(event));
  return label ? isDone(marking.mark(label.dataset.label)) : false;
}

function isWorkOfSearch(marking, key, event) {
  if (key === "Enter" && !event.ctrlKey && !event.metaKey) return isDone(marking.find());
  return key === "Escape" && isDone(marking.canvas.focus());
}

function isWorkOfAnswer(marking, key, event) {
  const isBack = key === "Escape" || (key === "Enter" && !event.ctrlKey && !event.metaKey);
  return isBack && isDone(marking.canvas.focus({ preventScroll: true }));
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
    if (place.closest("form[hidden]")) continue; // a reviewer's page has a form for each answer: drawn when it is opened
    if (!known.has(place)) known.set(place, new Marking(place));
    known.get(place).read();
  }
}

for (const type of ["task:changed", "htmx:load"]) document.addEventListener(type, update);
update();
