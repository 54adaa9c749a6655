// What this page does besides signing in, which is /page/session.js.
"use strict";
(() => {
  const app = document.getElementById("app");
  // A mail leads to a task. Whoever signs in at an issuer first comes back to another address.
  const WANTED = "wanted-task";
  const named = location.pathname.match(/^\/tasks\/([0-9a-f-]{36})$/);
  if (named) sessionStorage.setItem(WANTED, named[1]);
  document.addEventListener("signed-in", () => {
    const task = sessionStorage.getItem(WANTED);
    sessionStorage.removeItem(WANTED);
    if (task) return htmx.ajax("GET", `/page/tasks/${task}`, app);
    htmx.trigger(app, "refresh");
  });
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
