// Empties the form once its question was asked; what was refused stays to be mended.
"use strict";
document.addEventListener("htmx:afterSettle", (event) => {
  const form = document.getElementById("new-question");
  const asked = event.detail.elt?.id === "own" && event.detail.requestConfig?.elt === form;
  if (asked && !document.querySelector("#own .problem")) form.reset();
});
// Whoever has left asks for nothing more.
document.addEventListener("signed-out", () => { document.getElementById("own").replaceChildren(); });
