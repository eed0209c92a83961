// Goes on when the frame says that its form has arrived.
const frame = document.querySelector("iframe.hitframe");

addEventListener("message", (event) => {
  if (event.source !== frame.contentWindow || event.data !== "marketplace: submitted") return;
  if (document.getElementById("auto").checked) document.getElementById("next").submit();
  else location.reload();
});
