// One key for each button that names one in data-key; never while somebody types. Escape ends the typing.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches("input, textarea")) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const element = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (element) {
    event.preventDefault();
    element.matches("input, textarea") ? element.focus() : element.click();
  }
});
