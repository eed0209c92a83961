// Plots people touch: the figures of the nearest mark, one series at a time, arrow keys, and the same figures as a table.
// A mark says its figures in aria-label ("method: boosting; MAP: 0.554"); the marks of one series share a colour.

const MARKS = ":is(.mark-symbol, .mark-rect).role-mark > [aria-label]";
const colourOf = (mark) => ["fill", "stroke"].map((name) => mark.getAttribute(name)).find((colour) => colour && colour !== "none" && colour !== "transparent");
const figures = (mark) => mark.getAttribute("aria-label").split("; ").map((pair) => pair.split(/: (.*)/s).slice(0, 2));
const marksOf = (svg) => [...svg.querySelectorAll(MARKS)].filter((mark) => !mark.classList.contains("off"));
// A plot may be drawn twice, for wide screens and for phones: the one that is shown.
const shownIn = (place) => { const drawn = [...(place?.querySelectorAll("svg") ?? [])]; return drawn.find((svg) => svg.getClientRects().length) ?? drawn[0]; };
const painted = (svg) => [...svg.querySelectorAll(".role-mark [stroke], .role-mark [fill]")];

// ---- One mark: its figures in the tooltip, its series before the others ----

const point = (svg, mark) => {
  const tip = document.querySelector("body > .tip");
  const colours = legendOf(svg).map((entry) => entry.dataset.colour);
  const chosen = mark && colours.length > 1 && colours.includes(colourOf(mark)) ? colourOf(mark) : "";
  painted(svg).forEach((one) => one.classList.toggle("dim", Boolean(chosen) && colourOf(one) !== chosen));
  svg.querySelector(".at")?.classList.remove("at");
  mark?.classList.add("at");
  if (!tip) return;
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = figures(mark).map(([name, value]) => `${name}: ${value}`).join("\n");
  const box = mark.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, innerWidth - tip.offsetWidth - 8));
  const above = box.top - tip.offsetHeight - 8;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(above > 60 ? above : box.bottom + 8) + scrollY}px`;
};
const distance = (mark, { clientX: x, clientY: y }) => {
  const box = mark.getBoundingClientRect();
  return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
};
const REACH = 32;
let pointed = null; // the drawing under the pointer
const follow = (event) => {
  const svg = event.target.closest?.("figure.plot svg");
  if (pointed && pointed !== svg) point(pointed, null);
  pointed = svg;
  if (!svg) return;
  const [nearest, far] = marksOf(svg).reduce(([best, least], mark) => { const d = distance(mark, event); return d < least ? [mark, d] : [best, least]; }, [null, REACH]);
  point(svg, far < REACH ? nearest : null);
};
document.addEventListener("pointermove", follow);
document.addEventListener("pointerdown", follow);
document.addEventListener("focusout", (event) => { const svg = event.target.closest?.("figure.plot svg"); if (svg) point(svg, null); });
document.addEventListener("keydown", (event) => {
  const svg = shownIn(event.target.closest?.("figure.plot .plot__scroll"));
  if (!svg || event.target.closest("[aria-pressed]")) return;
  const marks = marksOf(svg), now = marks.indexOf(document.activeElement);
  const next = { ArrowRight: now + 1, ArrowLeft: now < 0 ? -1 : now - 1, Home: 0, End: -1 }[event.key];
  if (event.key === "Escape" && now >= 0) svg.closest(".plot__scroll").focus();
  if (next === undefined || !marks.length) return;
  event.preventDefault();
  const mark = marks.at(next % marks.length);
  mark.setAttribute("tabindex", -1);
  mark.focus();
  point(svg, mark);
});

// ---- The legend: each entry switches its series off and on ----

const legendOf = (svg) => [...svg.querySelectorAll("[data-colour]")];
const press = (entry) => {
  const svg = entry.closest("svg"), on = entry.getAttribute("aria-pressed") !== "true";
  entry.setAttribute("aria-pressed", on);
  painted(svg).filter((one) => colourOf(one) === entry.dataset.colour).forEach((one) => one.classList.toggle("off", !on));
};
document.addEventListener("click", (event) => { const entry = event.target.closest?.("figure.plot [data-colour]"); if (entry) press(entry); });
document.addEventListener("keydown", (event) => {
  if (!["Enter", " "].includes(event.key) || !event.target.matches?.("figure.plot [data-colour]")) return;
  event.preventDefault();
  press(event.target);
});

// ---- The table ----

const tableOf = (svg) => {
  const marks = [...svg.querySelectorAll(MARKS)];
  const names = [...new Set(marks.flatMap((mark) => figures(mark).map(([name]) => name)))];
  const table = document.createElement("table");
  table.createCaption().textContent = svg.getAttribute("aria-label");
  const head = table.createTHead().insertRow();
  names.forEach((name) => head.append(Object.assign(document.createElement("th"), { scope: "col", textContent: name })));
  const body = table.createTBody();
  marks.forEach((mark) => {
    const row = body.insertRow(), found = Object.fromEntries(figures(mark));
    names.forEach((name) => { row.insertCell().textContent = found[name] ?? "–"; });
  });
  const wrap = Object.assign(document.createElement("div"), { className: "table-wrap plot__table", tabIndex: 0 });
  wrap.append(table);
  return wrap;
};
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-show-table]");
  if (!button) return;
  const figure = button.closest("figure"), table = figure.querySelector(".plot__table");
  table ? table.remove() : figure.append(tableOf(shownIn(figure)));
  button.setAttribute("aria-expanded", !table);
  button.textContent = table ? "Show as table" : "Hide table";
});

// ---- Drawings get ready when the page is there, and when htmx brings one ----

const prepare = (figure, svg) => {
  if (!svg || !marksOf(svg).length || svg.dataset.ready) return;
  svg.dataset.ready = "yes";
  svg.setAttribute("role", "group"); // its marks can be reached now
  svg.querySelectorAll(".role-legend").forEach((legend) => { legend.setAttribute("role", "group"); legend.removeAttribute("aria-roledescription"); legend.setAttribute("aria-label", "Series"); });
  const entries = [...svg.querySelectorAll(".role-legend .role-scope > g")];
  if (entries.length > 1) entries.forEach((entry) => {
    entry.dataset.colour = colourOf(entry.querySelector(".role-legend-symbol path"));
    Object.entries({ role: "button", tabindex: 0, "aria-pressed": true, "aria-label": entry.textContent.trim() }).forEach(([name, value]) => entry.setAttribute(name, value));
  });
  const caption = figure.querySelector("figcaption") ?? figure.appendChild(document.createElement("figcaption"));
  if (caption.querySelector("[data-show-table]")) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "linklike", textContent: "Show as table" });
  button.dataset.showTable = "";
  button.setAttribute("aria-expanded", false);
  caption.append(" ", button);
};
const prepareAll = () => document.querySelectorAll("figure.plot svg").forEach((svg) => prepare(svg.closest("figure"), svg));
prepareAll();
document.addEventListener("htmx:afterSettle", prepareAll);
