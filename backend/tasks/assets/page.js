// What this page does besides signing in, which is /page/session.js.
"use strict";
(() => {
  const app = document.getElementById("app");
  document.addEventListener("signed-in", () => htmx.trigger(app, "refresh"));
  document.addEventListener("signed-out", () => app.replaceChildren());
  document.addEventListener("keydown", (event) => {
    const writes = event.target.matches("input, textarea, select");
    if (event.key === "Escape" && writes) return event.target.blur();
    if (writes || event.ctrlKey || event.metaKey || event.altKey || event.key !== "n") return;
    const title = document.getElementById("new-title");
    if (!title) return;
    event.preventDefault();
    title.focus();
  });
})();
