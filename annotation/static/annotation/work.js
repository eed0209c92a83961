// The annotator's page: drafts, checks while typing, sending that survives a bad network, keys. Without it the form
// still works: this only makes it safer and quicker.

// In these fields Enter alone does something else: a new line, a mark, the way back to the text.
const NEEDS_CTRL = "textarea, [data-canvas], [data-attribute] :is(select, input), [data-find]";
const WAIT_MS = 700; // after the last key, before the draft is saved
const RETRY_MS = 3000; // while the network is away
const WARN_S = 120; // before the time is over
const IDLE_MS = 30000; // without a key or a move: not at work
const MOST_KEPT_ALIVE = 60000; // bytes: browsers refuse larger requests that outlive their page
const CHECK_MS = 10000; // after asking whether the task is still this person's, before asking again

let page = null; // what belongs to the task on screen

function begin() {
  page?.stop();
  page = null;
  const form = document.querySelector("form.task__form");
  if (form) page = new TaskPage(form);
  document.querySelector("form[data-hand-over]")?.requestSubmit(); // the answer is stored: tell the marketplace
  // With drafts kept, Back brings the text back; without JavaScript only a tab of its own keeps it.
  for (const link of document.querySelectorAll("a[data-same-tab]")) link.removeAttribute("target");
}

class TaskPage {
  constructor(form) {
    this.form = form;
    this.kept = form.dataset.assignment ? `tesa-draft-${form.dataset.assignment}` : ""; // a lesson or a try is not kept
    this.status = form.querySelector("[data-status]");
    this.signals = { active_ms: 0, pastes: 0, pasted: 0, blurs: 0, keys: 0 };
    this.lastMove = performance.now();
    this.isSending = false;
    this.stopper = new AbortController();
    const on = (target, type, work) => target.addEventListener(type, work, { signal: this.stopper.signal });
    on(form, "input", () => this.typed());
    on(form, "submit", (event) => this.submit(event));
    on(form, "paste", (event) => this.pasted(event));
    on(document, "keydown", (event) => this.key(event));
    for (const type of ["pointermove", "pointerdown", "scroll"]) on(document, type, () => this.moved());
    on(window, "blur", () => (this.signals.blurs += 1));
    on(window, "online", () => this.saveDraft());
    on(document, "visibilitychange", () => (document.hidden ? this.saveDraft() : this.checkTurn()));
    on(window, "pageshow", (event) => event.persisted && this.checkTurn());
    on(form, "focusin", () => this.checkTurn());
    on(form, "focusin", (event) => this.showKeys(event.target));
    this.checked = performance.now();
    // Without a script a field may show in other words what was sent.
    for (const field of form.querySelectorAll("[data-sent]")) field.value = field.dataset.sent;
    this.saved = this.fields().toString();
    this.sent = [this.saved]; // what the server may have by now
    this.restore();
    form.dispatchEvent(new Event("task:changed", { bubbles: true })); // for the script of the task type
    this.saveDraft();
    this.startClock();
    this.focus();
  }

  // On a phone the first field stands below the text: nobody is taken past what they have to read.
  focus() {
    if ("preview" in this.form.dataset) return; // the editor beside it keeps the focus
    const wrong = this.form.querySelector("[aria-invalid]");
    const first = this.form.querySelector("[data-first]");
    if (wrong) wrong.focus();
    else if (first?.getBoundingClientRect().bottom < window.innerHeight) this.focusOn(first);
  }

  // Enter begins a new line in a field with several, and marks words in a text.
  showKeys(field) {
    const hint = this.form.querySelector("[data-enter]");
    if (hint) hint.textContent = field.matches(NEEDS_CTRL) ? "Ctrl+Enter" : "Enter";
  }

  // A ring around the first of several options would look like a choice, so their group gets the focus.
  focusOn(first) {
    const group = first.matches("[type=radio], [type=checkbox]") ? first.closest("fieldset, .part") : first;
    if (group !== first) group.tabIndex = -1; // the style sheet draws no ring around it
    group.focus({ preventScroll: true });
  }

  stop() {
    this.stopper.abort();
    clearTimeout(this.saving);
    clearInterval(this.clock);
  }

  // That all is well stands in the head, where nothing moves for it; what went wrong stands under the button.
  say(text, isBad = false) {
    const head = document.querySelector("[data-saved]");
    if (head) head.textContent = isBad ? "" : text;
    if (this.isWarned && !isBad) return; // the warning stays
    this.status.textContent = isBad || !head ? text : "";
    this.status.classList.toggle("task__status--bad", isBad);
  }

  fields() {
    const data = new URLSearchParams(new FormData(this.form));
    data.delete("signals");
    data.delete("confirmed");
    return data;
  }

  // ---- A page that was left open: the task may have gone back, or the campaign may be over

  async checkTurn() {
    if (!this.form.dataset.turn || this.isSending || performance.now() - this.checked < CHECK_MS) return;
    this.checked = performance.now();
    const answer = await fetch(this.form.dataset.turn).catch(() => null);
    if (answer?.ok && !this.stopper.signal.aborted) this.tellGone((await answer.json()).gone);
  }

  tellGone(why) {
    const place = document.querySelector("[data-gone]");
    if (!place || place.textContent === why) return;
    place.textContent = why;
    place.hidden = !why;
    if (why) this.say("See the note above the text.", true);
  }

  // ---- While typing

  typed() {
    this.moved();
    this.form.dispatchEvent(new Event("task:changed", { bubbles: true }));
    this.form.elements.confirmed.value = ""; // a changed answer is asked about again
    this.keepHere();
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.saveDraft(), WAIT_MS);
  }

  keepHere() {
    keep(this.kept, JSON.stringify({ text: this.fields().toString(), sent: this.sent.slice(-3) }));
  }

  // What was typed here comes back, unless another device has saved something since.
  restore() {
    const kept = keptText(this.kept);
    const isEmpty = ![...this.fields().values()].some(Boolean);
    if (!kept || (!isEmpty && !kept.sent.includes(this.saved))) return;
    fill(this.form, new URLSearchParams(kept.text));
  }

  async saveDraft() {
    const data = this.fields();
    if (this.isSending || !this.form.dataset.draft || data.toString() === this.saved) return;
    this.sent.push(data.toString());
    this.keepHere();
    try {
      const keepalive = data.toString().length < MOST_KEPT_ALIVE;
      const answer = await fetch(this.form.dataset.draft, { method: "POST", body: data, keepalive });
      if (!answer.ok && answer.status !== 409 && answer.status !== 413) throw new Error(answer.status);
      const told = await answer.json();
      if (told.problem) return this.say(told.problem, true);
      this.tellGone(told.gone ?? "");
      if (told.findings) this.tell(told.findings); // of a practice question, too, which is not saved
      if (!told.saved) return;
      this.saved = data.toString();
      if (!told.gone && !this.isSending) this.say("Saved");
    } catch {
      if (this.isSending || this.stopper.signal.aborted) return;
      this.say("No connection: what you type is kept in this browser.", true);
      clearTimeout(this.saving);
      this.saving = setTimeout(() => this.saveDraft(), RETRY_MS);
    }
  }

  tell(findings) {
    for (const place of this.form.querySelectorAll("[data-told]")) {
      const name = place.dataset.told;
      const isFilled = this.fields().getAll(name).some((value) => value.trim());
      const told = isFilled ? findings.filter((one) => one.field === name) : [];
      place.replaceChildren(...told.map((one) => Object.assign(document.createElement("p"), { textContent: one.why })));
      place.classList.toggle("field__told--ask", told.every((one) => one.level === "ask"));
      if (told.length) continue;
      for (const field of this.form.querySelectorAll("[aria-invalid]")) {
        if (field.name === name) field.removeAttribute("aria-invalid");
      }
    }
  }

  // ---- Sending

  async submit(event) {
    if (event.submitter?.hasAttribute("formaction")) return; // given back, not sent
    event.preventDefault();
    if (this.isSending) return;
    this.isSending = true;
    clearTimeout(this.saving);
    if ("signals" in this.form.dataset) this.form.elements.signals.value = JSON.stringify(this.rounded());
    this.say("Sending …");
    const answer = await this.send(new URLSearchParams(new FormData(this.form)));
    if (answer) this.show(answer.html, answer.url);
  }

  async send(data) {
    while (!this.stopper.signal.aborted) {
      try {
        const answer = await fetch(this.form.action, { method: "POST", body: data });
        if (answer.status >= 500) throw new Error(answer.status);
        if (answer.ok) forget(this.kept);
        return { html: await answer.text(), url: answer.redirected ? answer.url : this.form.dataset.home };
      } catch {
        this.say("No connection. Your answer is kept here and is sent as soon as there is one.", true);
        await new Promise((wake) => {
          setTimeout(wake, RETRY_MS);
          addEventListener("online", wake, { once: true });
        });
      }
    }
    return null;
  }

  show(html, url) {
    const next = new DOMParser().parseFromString(html, "text/html");
    document.title = next.title;
    document.body.replaceWith(document.adoptNode(next.body));
    for (const link of next.querySelectorAll("link[rel=stylesheet]")) {
      if (![...document.styleSheets].some((one) => one.href === link.href)) document.head.append(document.adoptNode(link));
    }
    for (const { src } of next.scripts) {
      if ([...document.scripts].some((one) => one.src === src)) continue;
      document.head.append(Object.assign(document.createElement("script"), { type: "module", src }));
    }
    history.replaceState(null, "", url);
    scrollTo(0, 0);
    begin();
  }

  // ---- Keys, time, signals

  key(event) {
    this.moved();
    this.signals.keys += 1;
    const isTyping = event.target.closest?.("input:not([type=checkbox], [type=radio]), textarea");
    if (event.altKey && event.code === "KeyN") {
      const box = this.form.querySelector('[data-alt="n"]');
      if (!box) return;
      event.preventDefault();
      box.click();
      this.form.elements[box.checked ? box.dataset.focusChecked : box.dataset.focusCleared]?.focus();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented && this.isField(event.target)) {
      event.preventDefault();
      this.form.requestSubmit();
    } else if (event.key === "?" && (!isTyping || !event.target.value)) {
      event.preventDefault();
      help();
    }
  }

  isField(target) {
    return this.form.contains(target) && target.matches("input, select, textarea, [data-canvas]");
  }

  pasted(event) {
    this.signals.pastes += 1;
    this.signals.pasted += event.clipboardData?.getData("text").length ?? 0;
  }

  moved() {
    this.lastMove = performance.now();
  }

  rounded() {
    return Object.fromEntries(Object.entries(this.signals).map(([name, value]) => [name, Math.round(value)]));
  }

  startClock() {
    const place = document.querySelector("[data-seconds]");
    const end = performance.now() + 1000 * Number(place?.dataset.seconds ?? 0);
    let before = performance.now();
    const tick = () => {
      const moment = performance.now();
      if (!document.hidden && moment - this.lastMove < IDLE_MS) this.signals.active_ms += moment - before;
      before = moment;
      if (!place) return;
      const left = Math.max(0, Math.round((end - moment) / 1000));
      place.querySelector("[data-time]").textContent = clockText(left);
      place.classList.toggle("work__time--short", left <= WARN_S);
      if (left <= WARN_S && !this.isWarned) {
        this.isWarned = true;
        this.say(`${left > 60 ? "Two minutes" : "Less than a minute"} left. What you have typed is kept.`, true);
      }
      if (left === 0 && !this.isOver) {
        this.isOver = true;
        this.say("The time is over. You can still send it: it counts unless somebody else was given the task.", true);
        this.checkTurn();
      }
    };
    tick();
    this.clock = setInterval(tick, 1000);
  }
}

// A name may have several values: boxes that are ticked, options that are chosen, or fields one after the other.
function fill(form, texts) {
  const values = new Map([...texts.keys()].map((name) => [name, texts.getAll(name)]));
  for (const field of form.elements) {
    const kept = values.get(field.name);
    if (["checkbox", "radio"].includes(field.type)) field.checked = Boolean(kept?.includes(field.value));
    else if (field.type === "select-multiple") {
      for (const option of field.options) option.selected = Boolean(kept?.includes(option.value));
    } else if (kept?.length) field.value = kept.shift();
  }
}

function clockText(seconds) {
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = String(seconds % 60).padStart(2, "0");
  return seconds < 3600 ? `${minutes}:${rest}` : `${Math.floor(seconds / 3600)}:${String(minutes).padStart(2, "0")}:${rest}`;
}

// A browser may keep nothing at all (a private window): then the server's draft has to do.

function keep(name, text) {
  if (!name) return;
  try {
    localStorage.setItem(name, text);
  } catch {}
}

function keptText(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

function forget(name) {
  try {
    localStorage.removeItem(name);
  } catch {}
}

async function help() {
  const link = document.querySelector("[data-help]");
  if (!link || document.querySelector("dialog.help")) return;
  const answer = await fetch(link.href).catch(() => null);
  if (!answer?.ok) return;
  const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
  const dialog = document.createElement("dialog");
  dialog.className = "help";
  dialog.setAttribute("aria-label", "Instructions");
  const close = document.createElement("button");
  close.className = "btn sm help__close";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(close, parsed.querySelector("[data-instructions]"));
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-help]") && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    help();
  }
});

begin();
