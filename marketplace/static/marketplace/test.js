// Keeps what somebody typed in a test until it is sent, so that a reload loses nothing. Only this tab can read it.
const form = document.querySelector("form[data-exam]");
const place = `marketplace-test-${form.dataset.exam}`;
const fields = () => [...form.elements].filter((field) => field.name && field.type !== "hidden");

function isOn(field) {
  return field.type === "radio" || field.type === "checkbox" ? field.checked : null;
}

function keep() {
  const values = fields().map((field) => [field.name, field.value, isOn(field)]);
  try {
    sessionStorage.setItem(place, JSON.stringify(values));
  } catch {
    // no room, or storage is switched off: nothing is kept
  }
}

function restore() {
  let values = [];
  try {
    values = JSON.parse(sessionStorage.getItem(place)) || [];
  } catch {
    return;
  }
  const all = fields();
  if (values.length !== all.length) return;
  all.forEach((field, number) => {
    const [name, value, on] = values[number];
    if (field.name !== name) return;
    if (on === null) field.value = value;
    else if (field.value === value) field.checked = on;
  });
}

if (form.hasAttribute("data-fresh")) restore();
else document.getElementById("wrong")?.focus();
form.addEventListener("input", keep);
form.addEventListener("change", keep);
