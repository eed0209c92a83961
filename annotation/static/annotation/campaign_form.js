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
