// All answers in one text: steps from difference to difference, and takes each from an answer, leaves it out or lets the
// reviewer mark it again. The field of the marks holds the result; spans.js writes it, so everything can be undone.

const LETTERS = "abcdefghijkl"; // keys of people; later letters have other uses here
const KEYS = { x: '[data-take=""]', m: "[data-again]", u: '[data-act="undo"]' };
const known = new WeakMap();

const inOrder = (values) => Object.entries(values).sort();
const keyOf = (span) => JSON.stringify([span.start, span.end, span.label, inOrder(span.attributes ?? {})]);
const isSameMark = (left, right) => left.start === right.start && left.end === right.end && left.label === right.label;
const overlap = (left, right) => left.start < right.end && right.start < left.end;

class Together {
  constructor(place) {
    this.place = place;
    this.marking = place.querySelector("[data-spans]");
    this.canvas = place.querySelector("[data-canvas]");
    this.field = place.querySelector("textarea");
    this.boxes = [...place.querySelectorAll(".together__box input")];
    for (const box of this.boxes) {
      box.mark = JSON.parse(box.value);
      box.key = keyOf(box.mark);
    }
    this.ofAnswers = new Set(this.boxes.map((box) => box.key));
    this.rows = [...place.querySelectorAll("[data-differences] > li")];
    this.differences = this.rows.map((row, number) => ({
      row,
      number: number + 1,
      start: Number(row.dataset.start),
      end: Number(row.dataset.end),
      boxes: [...row.querySelectorAll("input")],
      links: [],
      pieces: [],
      isDecided: "kept" in place.dataset,
      hasOwn: false, // a mark of the reviewer's
      before: "", // what was marked here when this was last looked at
    }));
    for (const link of place.querySelectorAll(".together__who")) this.of(link).links.push(link);
    for (const piece of this.canvas.querySelectorAll("[data-in]")) {
      for (const number of piece.dataset.in.split(" ")) this.differences[number - 1].pieces.push(piece);
    }
    for (const link of place.querySelectorAll(".together__who")) link.tabIndex = -1;
    for (const row of this.rows) row.hidden = true;
    for (const help of place.querySelectorAll("[data-without-script]")) help.hidden = true;
    place.querySelector("[data-tools]").hidden = !this.rows.length;
    if (this.rows.length) this.show(this.differences[0]);
    this.read(true);
  }

  of(link) {
    return this.differences[Number(link.dataset.difference) - 1];
  }

  // ---- The field

  get spans() {
    const { value, defaultValue } = this.field;
    if (value === defaultValue) return JSON.parse(this.marking.dataset.marks);
    return value.trim() ? JSON.parse(value) : [];
  }

  read(isFirst = false) {
    const spans = new Map(this.spans.map((span) => [keyOf(span), span]));
    const own = [...spans].filter(([key]) => !this.ofAnswers.has(key));
    for (const box of this.boxes) box.checked = spans.has(box.key);
    for (const difference of this.differences) {
      const taken = difference.boxes.filter((box) => box.checked).map((box) => box.key);
      const marked = own.filter(([, span]) => overlap(span, difference)).map(([key]) => key);
      const here = [...taken, ...marked].join();
      if (here !== difference.before && (!isFirst || here)) difference.isDecided = true;
      difference.hasOwn = marked.length > 0;
      difference.before = here;
      this.draw(difference);
    }
    this.press();
  }

  // A mark of this difference, or the reviewer's own: those of other differences and what everybody made are not.
  isAbout(difference, span) {
    const key = keyOf(span);
    return !this.ofAnswers.has(key) || difference.boxes.some((box) => box.key === key);
  }

  write(difference, marks, words, range) {
    const rest = this.spans.filter((span) => !(overlap(span, difference) && this.isAbout(difference, span)));
    const spans = [...rest, ...marks];
    const before = new Set(this.spans.map(keyOf));
    const isChange = spans.length !== before.size || spans.some((span) => !before.has(keyOf(span)));
    const detail = { spans: isChange ? spans : null, said: words, range };
    this.canvas.dispatchEvent(new CustomEvent("spans:write", { bubbles: true, detail }));
  }

  // ---- Steps

  get open() {
    return this.differences.filter((difference) => !difference.isDecided);
  }

  show(difference) {
    if (this.current) {
      this.current.row.hidden = true;
      for (const piece of this.current.pieces) piece.removeAttribute("data-at");
    }
    this.current = difference;
    difference.row.hidden = false;
    for (const piece of difference.pieces) piece.setAttribute("data-at", "");
    for (const link of this.place.querySelectorAll('.together__who[tabindex="0"]')) link.tabIndex = -1;
    difference.links[0].tabIndex = 0;
    this.place.querySelector("[data-count]").textContent = `${difference.number} of ${this.differences.length}`;
    this.press();
  }

  go(difference) {
    this.show(difference);
    const [link] = difference.links;
    link.focus({ preventScroll: true });
    link.scrollIntoView({ block: "center" });
    const lines = difference.boxes.map((box) => `${box.dataset.who}: ${box.dataset.words}`);
    const words = `Difference ${difference.number} of ${this.differences.length}. ${lines.join(". ")}.`;
    this.place.querySelector("[data-difference-said]").textContent = words;
  }

  step(by) {
    if (!this.differences.length) return;
    const isHere = this.place.contains(document.activeElement);
    const number = this.current.number - 1 + (isHere ? by : 0);
    this.go(this.differences.at(number % this.differences.length));
  }

  // Goes to the next difference that is open, from here on; after the last one, to the button that saves.
  goOn() {
    const [next] = [...this.open.filter((own) => own.number > this.current.number), ...this.open];
    if (next) return this.go(next);
    this.show(this.current);
    this.place.closest("form").querySelector(".actions button").focus();
  }

  // ---- Decisions

  reading(letter) {
    return this.current.boxes.filter((box) => letter && box.dataset.who.split(" ").includes(letter)).map((box) => box.mark);
  }

  take(letter) {
    const words = letter ? `Taken from ${letter}.` : "Left out.";
    this.write(this.current, this.reading(letter), words);
    this.current.isDecided = true;
    this.draw(this.current);
    this.goOn();
  }

  markAgain() {
    const { start, end } = this.current;
    this.write(this.current, [], "Choose a label for the words, or select others.", { start, end });
  }

  // ---- Drawing

  draw(difference) {
    if (difference.drawn === difference.isDecided) return;
    difference.drawn = difference.isDecided;
    for (const link of difference.links) link.toggleAttribute("data-decided", difference.isDecided);
    for (const piece of difference.pieces) {
      const numbers = piece.dataset.in.split(" ").map(Number);
      piece.toggleAttribute("data-decided", numbers.every((number) => this.differences[number - 1].isDecided));
    }
  }

  press() {
    const left = this.open.length;
    const words = !this.rows.length ? "" : left ? `, ${left} still to decide (left out so far)` : ", all decided";
    this.place.querySelector("[data-progress]").textContent = words;
    if (!this.current) return;
    const taken = this.current.boxes.filter((box) => box.checked);
    for (const button of this.place.querySelectorAll("[data-take]")) {
      const same = this.reading(button.dataset.take).map(keyOf).join() === taken.map((box) => box.key).join();
      button.setAttribute("aria-pressed", String(this.current.isDecided && same && !this.current.hasOwn));
    }
  }
}

function togetherAround(element) {
  return known.get(element?.closest?.("[data-together]"));
}

document.addEventListener("input", (event) => {
  if (event.target.matches("textarea")) togetherAround(event.target)?.read();
});

document.addEventListener("change", (event) => {
  const together = event.target.matches(".together__box input") && togetherAround(event.target);
  if (!together) return;
  const { mark, checked } = event.target;
  const spans = together.spans.filter((span) => !isSameMark(span, mark)); // whatever is said about it
  const detail = { spans: checked ? [...spans, mark] : spans, said: checked ? "Taken." : "Left out." };
  together.canvas.dispatchEvent(new CustomEvent("spans:write", { bubbles: true, detail }));
});

document.addEventListener("click", (event) => {
  const together = togetherAround(event.target);
  const target = together && event.target.closest("[data-step], [data-take], [data-again], .together__who");
  if (!target) return;
  event.preventDefault();
  if (target.dataset.step) together.step(Number(target.dataset.step));
  else if ("take" in target.dataset) together.take(target.dataset.take);
  else if ("again" in target.dataset) together.markAgain();
  else together.go(together.of(target));
});

// ---- Keys

// In the differences and in their text, no key decides on an answer of the page.
function pressHere(event) {
  const together = known.get(event.currentTarget);
  if (!isKey(event)) return;
  const key = event.key.toLowerCase();
  if (!/^[a-z0-9]$/.test(key)) return;
  event.stopPropagation();
  if (stepBy(together, event) || event.repeat) return;
  const letter = LETTERS.includes(key) && key.toUpperCase();
  const selector = letter ? `[data-take="${letter}"]` : KEYS[key];
  const button = selector && together.place.querySelector(selector);
  if (!button) return;
  event.preventDefault();
  button.click();
}

function isKey(event) {
  const isTyping = event.target.closest("textarea, select, dialog[open], input:not([type=checkbox])");
  return !(event.ctrlKey || event.metaKey || event.altKey || isTyping);
}

function stepBy(together, event) {
  const step = { n: 1, p: -1 }[event.key.toLowerCase()];
  if (!step) return false;
  event.preventDefault();
  together.step(step);
  return true;
}

document.addEventListener("keydown", (event) => {
  const together = isKey(event) && known.get(document.querySelector("[data-together]"));
  if (together) stepBy(together, event);
});

function update() {
  for (const place of document.querySelectorAll("[data-together]")) {
    if (known.has(place)) continue;
    known.set(place, new Together(place));
    place.addEventListener("keydown", pressHere);
  }
}

update();
