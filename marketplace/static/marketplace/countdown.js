// Counts the time that is left, and says when it has run out.
const clock = document.querySelector("[data-left]");
const ends = Date.now() + 1000 * Number(clock.dataset.left);

function show() {
  const left = Math.max(0, Math.round((ends - Date.now()) / 1000));
  const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const two = (number) => String(number).padStart(2, "0");
  clock.textContent = hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  clock.classList.toggle("soon", left < 60);
  if (left === 0) document.getElementById("late").hidden = false;
  else setTimeout(show, 500);
}
show();
