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
