// The sentence above the form shows the first phrase in its place while it is typed.

function echo() {
  const bold = document.querySelector("form.task__form [data-generic]");
  if (!bold) return;
  const text = bold.closest("form").elements.phrase_1.value.trim() || bold.dataset.generic;
  bold.textContent = text.charAt(0).toUpperCase() + text.slice(1);
}

document.addEventListener("task:changed", echo);
echo();
