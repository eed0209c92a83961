// Menus, dialogs, search, tooltips and copying on the researcher's pages. Pages work without it: a menu is a <details>, a dialog's page remains.

// Tabs and filters that do not fit a narrow screen scroll sideways: the current one is in view from the first frame. Measured
// within that frame, which has to lay out the page anyway.
requestAnimationFrame(() => {
  for (const current of document.querySelectorAll(":is(.tabs, .seg) > [aria-current]")) {
    const list = current.parentElement;
    const over = current.getBoundingClientRect().right - list.getBoundingClientRect().right;
    if (over > 0) list.scrollLeft = over + 32;
  }
});

// Our typefaces are fetched when the first page has been drawn, so that it does not wait for them. A cookie says that the browser
// has them, and from the next page on they are there with the first frame: no page changes its type while somebody reads it.
const typefaces = document.querySelector("meta[name=typefaces]")?.content.split(" ") ?? [];
const isFetched = (address) => fetch(address).then((answer) => answer.ok && answer.blob()).then(Boolean, () => false);
async function fetchTypefaces() {
  const fetched = await Promise.all(typefaces.map(isFetched));
  if (fetched.every(Boolean)) document.cookie = "tesa_typefaces=1; Path=/; Max-Age=31536000; SameSite=Lax";
}
if (typefaces.length) addEventListener("load", () => setTimeout(fetchTypefaces, 200));

// A menu closes on Escape, on a click outside it, and when another opens.
const openMenus = () => [...document.querySelectorAll("details.menu[open]")];
document.addEventListener("click", (event) => openMenus().forEach((menu) => menu.contains(event.target) || (menu.open = false)));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") openMenus().forEach((menu) => { menu.open = false; menu.querySelector("summary").focus(); });
  const menu = event.target.closest?.("details.menu[open]");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (menu && step) {
    const items = [...menu.querySelectorAll(".menu__list a, .menu__list button")];
    event.preventDefault();
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length]?.focus();
  }
});

// A link or button with data-dialog opens the dialog of that id; without a script it goes where it points.
document.addEventListener("click", (event) => {
  const dialog = document.getElementById(event.target.closest?.("[data-dialog]")?.dataset.dialog);
  if (!dialog?.showModal) return;
  event.preventDefault();
  openMenus().forEach((menu) => { menu.open = false; });
  dialog.showModal();
});

// A dialog that the address points into, or that comes back with a mistake in its form, is open from the start.
const wanted = document.querySelector("dialog[data-open]") ?? document.getElementById(location.hash.slice(1))?.closest("dialog");
wanted?.showModal?.();

// A step that is asked about first: a link, or a form that only asks, with data-confirm. Its page is read and its part
// #confirm shown as a dialog here; whatever goes wrong on the way, the page itself is opened instead.
const ask = async (url) => {
  const answer = await window.tesa.ask(url);
  if (answer?.status === 401) return; // still signed out
  const page = answer?.ok && !answer.redirected && new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = page && page.getElementById("confirm");
  if (!part) return void (location.href = url);
  const title = Object.assign(document.createElement("h2"), { id: "confirm-title", textContent: page.querySelector("h1").textContent });
  const dialog = Object.assign(document.createElement("dialog"), { className: "dialog" });
  dialog.setAttribute("aria-labelledby", title.id);
  part.className = "dialog__body";
  part.prepend(title);
  dialog.append(part);
  for (const form of dialog.querySelectorAll("form:not([action])")) form.setAttribute("action", url);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) { event.preventDefault(); dialog.close(); }
  });
  document.body.append(dialog);
  openMenus().forEach((menu) => { menu.open = false; });
  dialog.showModal();
};
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-confirm]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  ask(link.href);
});
document.addEventListener("submit", (event) => {
  if (!event.target.hasAttribute("data-confirm")) return;
  event.preventDefault();
  ask(`${event.target.getAttribute("action")}?${new URLSearchParams(new FormData(event.target, event.submitter))}`);
});

// The box in a table's head ticks every box of its column. Below a table whose rows are ticked stands how many are, and only
// what can be done with one of them (data-can; without it, everything).
document.addEventListener("change", (event) => {
  const name = event.target.dataset?.all;
  const form = event.target.form;
  if (name) form.querySelectorAll(`[name="${name}"]`).forEach((box) => { box.checked = event.target.checked; });
  const label = form?.querySelector("[data-counts]");
  if (!label) return;
  const ticked = [...form.querySelectorAll(":is(tbody, ol) .tick :checked")];
  label.textContent = `${ticked.length} ${label.dataset.counts}${ticked.length === 1 ? "" : "s"} selected`;
  for (const button of form.querySelectorAll(".bulk [name=action]")) {
    button.hidden = !ticked.some((box) => (box.dataset.can ?? button.value).split(" ").includes(button.value));
  }
});

// "/" opens the search. Hits come while one types; arrow keys walk through them, Enter opens the first or the chosen one.
const palette = document.getElementById("palette");
if (palette?.showModal) {
  const field = palette.querySelector("input");
  const hits = palette.querySelector("[data-hits]");
  const form = palette.querySelector("form");
  let asked = 0;
  const look = async () => {
    const number = ++asked;
    if (!field.value.trim()) return hits.replaceChildren();
    const answer = await window.tesa.ask(`${form.action}?q=${encodeURIComponent(field.value)}`, { headers: { "HX-Request": "true" } });
    const text = answer?.ok ? await answer.text() : null;
    if (number === asked && text !== null) hits.innerHTML = text;
  };
  let waiting;
  field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 150); });
  form.addEventListener("submit", (event) => {
    const first = hits.querySelector("a");
    if (first) { event.preventDefault(); first.click(); }
  });
  palette.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [field, ...hits.querySelectorAll("a")];
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  });
  palette.addEventListener("click", (event) => { if (event.target === palette) palette.close(); });
  const open = (event) => { event.preventDefault(); palette.showModal(); field.select(); };
  document.querySelector("[data-search]")?.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select") || document.querySelector("dialog[open]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) open(event);
  });
}

// What carries data-tip says it on hover and on focus.
const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
tip.setAttribute("role", "status");
document.body.append(tip);
const showTip = (event) => {
  const mark = event.target.closest?.("[data-tip]");
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const box = mark.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, innerWidth - tip.offsetWidth - 8));
  const above = box.top - tip.offsetHeight - 8;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${(above > 60 ? above : box.bottom + 8) + scrollY}px`;
};
document.addEventListener("pointerover", showTip);
document.addEventListener("focusin", showTip);

// A code or an address to take along: data-copy names the element whose text is copied. The buttons are shown only where
// copying can work; elsewhere the text can be selected.
if (navigator.clipboard) {
  document.documentElement.classList.add("can-copy");
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button || button.dataset.copied) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    const label = [...button.childNodes];
    button.dataset.copied = "yes";
    button.replaceChildren("Copied");
    setTimeout(() => {
      button.replaceChildren(...label);
      delete button.dataset.copied;
    }, 2000);
  });
}
