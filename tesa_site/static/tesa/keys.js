// One key for each button that names one in data-key; never while somebody types. Escape ends the typing.
// A line that was not changed yet is selected: typing replaces its text, arrow keys edit it.
// A key held down counts once, and what the keys are for is brought into view: nobody decides on what they cannot see.
document.querySelector("[data-keys-are-for]")?.scrollIntoView({ block: "nearest" });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches("input, textarea")) event.target.blur();
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog[open]")) return;
  const element = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (element) {
    event.preventDefault();
    if (!element.matches("input, textarea")) return element.click();
    element.focus();
    if (element.matches("input") && element.value === element.defaultValue) element.select();
  }
});
