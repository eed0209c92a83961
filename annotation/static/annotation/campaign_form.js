// The campaign form: requirements come and go in place, and one press raises the reward. The server works out the cost.
const form = document.querySelector("[data-campaign-form]");
const rules = form.querySelector(".rules");
const total = form.querySelector("[name=requirement-TOTAL_FORMS]");
const changed = () => form.dispatchEvent(new Event("input", { bubbles: true }));
const showRemove = () => rules.querySelectorAll("[data-remove]").forEach((button) => { button.hidden = false; });

const presses = {
  "[data-add]": () => {
    const row = form.querySelector("template").innerHTML.replaceAll("__prefix__", total.value);
    total.value = Number(total.value) + 1;
    rules.insertAdjacentHTML("beforeend", row);
    showRemove();
    rules.lastElementChild.querySelector("select").focus();
  },
  "[data-remove]": (button) => {
    button.closest("li").remove();
    form.querySelector("[data-add]").focus();
    changed();
  },
  "button[name=reward]": (button) => {
    const reward = form.querySelector("input[name=reward]");
    reward.value = button.value;
    reward.focus();
    changed();
  },
};

form.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const does = button && Object.keys(presses).find((selector) => button.matches(selector));
  if (!does) return;
  event.preventDefault();
  presses[does](button);
});
showRemove();

// What does not go with what was chosen before is not offered; where nothing would be left, everything is.
const narrow = (from, to, kind) => {
  const wanted = from.selectedOptions?.[0]?.dataset[kind];
  const options = [...(to.options ?? [])];
  const fits = (option) => !wanted || !option.dataset[kind] || option.dataset[kind] === wanted;
  const isPossible = options.some((option) => option.value && fits(option));
  options.forEach((option) => { option.hidden = option.disabled = isPossible && !fits(option); });
  if (to.selectedOptions?.[0]?.disabled) to.value = options.find((option) => !option.disabled).value;
};
const { sample, task_type: task, instructions } = form.elements;
const narrowAll = () => {
  if (!task.disabled) narrow(sample, task, "items");
  narrow(task, instructions, "task");
};
form.addEventListener("input", narrowAll, true);
narrowAll();
