// Steps from difference to difference: n and p, or the two links, which without this script lead to the first and the last.
const marks = [...document.querySelectorAll("a.mention__mark")];
const count = document.querySelector("[data-step-count]");
let current = -1;

function go(step) {
  if (!marks.length) return;
  const focused = marks.indexOf(document.activeElement);
  if (focused >= 0) current = focused;
  current = current < 0 && step < 0 ? marks.length - 1 : (current + step + marks.length) % marks.length;
  marks[current].focus({ preventScroll: true });
  marks[current].scrollIntoView({ block: "center" });
  if (count) count.textContent = `Difference ${current + 1} of ${marks.length}`;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-step]");
  const mark = event.target.closest("a.mention__mark");
  if (!link && !mark) return;
  event.preventDefault();
  if (mark) current = marks.indexOf(mark);
  go(link ? Number(link.dataset.step) : 1);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog[open]")) return;
  const step = { n: 1, p: -1 }[event.key.toLowerCase()];
  if (!step) return;
  event.preventDefault();
  go(step);
});
