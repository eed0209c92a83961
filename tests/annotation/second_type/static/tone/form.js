document.addEventListener("task:changed", () => {});
