// The field in which people look up pages for a mark. spans.js says which mark is chosen (spans:asked) and keeps the
// answer (spans:answer). Everything listens on the document, because the page's body may be replaced without a reload.

const AFTER_MS = 150; // after the last key
const KEPT = 300; // answers that are remembered
const SHORT = 80; // characters of what is written
const fields = new WeakMap();
const answers = new Map(); // of the look-up, by address

const make = (tag, className, textContent = "") => Object.assign(document.createElement(tag), { className, textContent });
const counted = (number, noun) => (number === 1 ? `1 ${noun}` : `${number} ${noun}s`);
const shortened = (text) => (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text);

async function lookUp(address, words, signal) {
  const url = `${address}?${new URLSearchParams({ q: words })}`;
  if (answers.has(url)) return answers.get(url);
  const response = await fetch(url, { headers: { Accept: "application/json" }, signal });
  const answer = await response.json();
  if (response.ok) {
    if (answers.size >= KEPT) answers.delete(answers.keys().next().value);
    answers.set(url, answer);
  }
  return answer;
}

class PageField {
  constructor(place) {
    this.place = place;
    this.input = place.querySelector("input");
    this.list = place.querySelector("[role=listbox]");
    this.chosen = place.querySelector("[data-chosen]");
    this.said = place.querySelector("[data-pages-said]");
    this.same = place.querySelector("[data-same-page]");
    this.name = place.closest("[data-attribute]").dataset.attribute;
    this.most = Number(place.dataset.most);
    this.mark = null; // that is chosen in the text: its key, words and titles
    this.options = []; // what can be chosen, in the order of the list
    this.at = -1; // the option that the arrow keys are on
  }

  // ---- The mark

  show(mark) {
    const isOther = mark?.key !== this.mark?.key;
    if (!isOther && String(mark?.titles) === String(this.mark?.titles)) return;
    this.mark = mark;
    if (isOther) {
      this.input.value = "";
      this.close();
    }
    this.drawChosen();
  }

  drawChosen() {
    const titles = this.mark?.titles ?? [];
    this.chosen.replaceChildren(...titles.map((title) => this.rowOf(title)));
    this.same.hidden = !titles.length;
    this.input.hidden = titles.length >= this.most && this.most > 1;
  }

  rowOf(title) {
    const row = make("li", "lookup__page");
    const words = make("span", "lookup__words");
    const opening = make("bdi", "lookup__opening");
    const remove = Object.assign(make("button", "btn ghost", "Remove"), { type: "button" });
    remove.dataset.title = title;
    remove.setAttribute("aria-label", `Remove the page ${title}`);
    words.append(make("bdi", "lookup__title", title), opening);
    row.append(words, remove);
    this.tell(title, opening);
    return row;
  }

  // The first sentence of a page that was chosen before this page was loaded has to be looked up.
  async tell(title, element) {
    const { named } = await lookUp(this.place.dataset.lookup, title).catch(() => ({}));
    if (!named) return;
    element.textContent = named.is_known ? named.opening : "This page is not in this installation.";
  }

  // ---- The list

  search(isNow = false) {
    this.isOld = true; // the list, until the answer comes
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.ask(), isNow ? 0 : AFTER_MS);
  }

  async ask() {
    if (!this.mark) return;
    this.asked?.abort();
    this.asked = new AbortController();
    const written = this.input.value.trim();
    const { signal } = this.asked;
    let answer;
    try {
      answer = await lookUp(this.place.dataset.lookup, written || this.mark.words, signal);
    } catch {
      if (signal.aborted) return;
      answer = { problem: "The look-up does not answer. What you write is checked when you submit.", hits: [], named: null };
      if (written) answer.named = { title: written, is_known: false, why_not: "" };
    }
    if (!signal.aborted && document.activeElement === this.input) this.open(answer, written);
  }

  open({ problem, hits, named }, written) {
    const known = hits.map((hit) => ({ ...hit, isKnown: true }));
    if (named?.is_known && !hits.some((hit) => hit.title === named.title)) known.unshift({ ...named, isKnown: true });
    const isUnknown = written && named && !named.is_known && !named.why_not;
    if (isUnknown) known.push({ title: named.title, isKnown: false, opening: "", why_not: "" });
    this.isOld = false;
    this.options = known.slice(0, 11);
    this.list.replaceChildren(...this.options.map((option, number) => this.optionOf(option, number)));
    this.at = -1;
    this.list.hidden = !this.options.length;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.input.removeAttribute("aria-activedescendant");
    this.say(problem || (written && !hits.length && named?.why_not) || this.count(hits.length, written));
  }

  count(number, written) {
    const about = `“${shortened(written || this.mark.words)}”`;
    return number ? `${counted(number, "page")} for ${about}.` : `No page of this installation has ${about} in its title.`;
  }

  optionOf(option, number) {
    const row = make("li", "lookup__option");
    row.id = `${this.list.id}_${number}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", "false");
    row.dataset.number = number;
    if (!option.isKnown) {
      row.append("“", make("bdi", "lookup__title", option.title), "” is not in this installation. Keep it?");
      return row;
    }
    row.append(make("bdi", "lookup__title", option.title));
    if (option.redirected_from) row.append(make("span", "lookup__from", `redirected from “${option.redirected_from}”`));
    if (option.opening) row.append(make("bdi", "lookup__opening", option.opening));
    if (option.why_not) {
      row.setAttribute("aria-disabled", "true");
      row.append(make("span", "lookup__why", option.why_not));
    }
    return row;
  }

  move(by) {
    if (this.list.hidden) return this.search(true);
    const count = this.options.length;
    this.at = this.at < 0 ? (by > 0 ? 0 : count - 1) : (this.at + by + count) % count;
    for (const [number, row] of [...this.list.children].entries()) {
      row.setAttribute("aria-selected", String(number === this.at));
      if (number === this.at) row.scrollIntoView({ block: "nearest" });
    }
    this.input.setAttribute("aria-activedescendant", `${this.list.id}_${this.at}`);
  }

  choose(number) {
    const option = this.options[number];
    if (!option) return;
    if (option.why_not) return this.say(option.why_not);
    const before = this.most === 1 ? [] : this.mark.titles.filter((title) => title !== option.title);
    const titles = [...before, option.title].slice(-this.most);
    this.input.value = "";
    this.close();
    this.answer(titles, titles.length >= this.most);
  }

  remove(title) {
    this.answer(this.mark.titles.filter((own) => own !== title), false);
    this.input.hidden = false;
    this.input.focus();
  }

  answer(titles, isDone) {
    this.send({ value: titles, words: titles.join(", "), isDone });
  }

  send(detail) {
    this.place.dispatchEvent(new CustomEvent("spans:answer", { bubbles: true, detail: { name: this.name, ...detail } }));
  }

  close() {
    clearTimeout(this.waiting);
    this.asked?.abort();
    this.options = [];
    this.at = -1;
    this.list.hidden = true;
    this.list.replaceChildren();
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.say("");
  }

  say(text) {
    this.said.textContent = text;
  }

  // Tell whether a key was for this field.
  press(key, event) {
    if (key === "ArrowDown" || key === "ArrowUp") return this.move(key === "ArrowDown" ? 1 : -1) ?? true;
    if (key === "Escape") {
      if (!this.list.hidden) this.close();
      else if (this.input.value) this.input.value = "";
      else this.send({ isDone: true });
      return true;
    }
    if (key !== "Enter" || event.ctrlKey || event.metaKey) return false;
    const isOnly = this.input.value && this.options.length === 1 && !this.isOld;
    if (this.at >= 0 || isOnly) this.choose(Math.max(this.at, 0));
    else if (this.input.value) this.say("Choose a page of the list with the arrow keys.");
    else this.send({ isDone: true });
    return true;
  }
}

function fieldAround(element) {
  const place = element?.closest?.("[data-pages]");
  if (place && !fields.has(place)) fields.set(place, new PageField(place));
  return place && fields.get(place);
}

document.addEventListener("spans:asked", (event) => fieldAround(event.target.querySelector("[data-pages]")).show(event.detail));

document.addEventListener("focusin", (event) => {
  const field = fieldAround(event.target);
  if (event.target === field?.input && !field.mark?.titles.length) field.search(true);
});

document.addEventListener("focusout", (event) => {
  const field = fieldAround(event.target);
  if (field && !field.place.contains(event.relatedTarget)) field.close();
});

// What is typed here is no answer yet: the page saves nothing, and the script of the marks hears nothing.
document.addEventListener("input", (event) => {
  const field = fieldAround(event.target);
  if (event.target !== field?.input) return;
  event.stopPropagation();
  field.search();
}, true);

document.addEventListener("keydown", (event) => {
  const field = fieldAround(event.target);
  if (event.target !== field?.input || event.isComposing || event.altKey || !field.press(event.key, event)) return;
  event.preventDefault();
  event.stopPropagation();
}, true);

document.addEventListener("mousedown", (event) => {
  if (event.target.closest?.(".lookup__hits")) event.preventDefault(); // the field keeps the focus
});

document.addEventListener("click", (event) => {
  const field = fieldAround(event.target);
  if (!field) return;
  const [option, button] = [event.target.closest("[role=option]"), event.target.closest("button")];
  if (option) field.choose(Number(option.dataset.number));
  else if (button === field.same) field.send({ isSame: true });
  else if (button?.dataset.title) field.remove(button.dataset.title);
});
