// What this page does besides signing in, which is /page/session.js.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  document.addEventListener("signed-in", () => htmx.trigger("#list", "refresh"));
  document.addEventListener("signed-out", () => byId("list").replaceChildren());
  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.parameters["tz"] = Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful && event.detail.elt.id === "quick-add") event.detail.elt.reset();
  });

  const rows = () => [...document.querySelectorAll(".task")];
  const move = (by) => {
    const all = rows();
    const at = all.indexOf(document.activeElement.closest(".task"));
    const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    if (next) next.focus();
  };
  const press = (selector) => {
    const row = document.activeElement.closest(".task");
    const button = row && row.querySelector(selector);
    if (button) button.click();
  };
  document.addEventListener("keydown", (event) => {
    const writes = event.target.matches("input, textarea, select");
    if (event.key === "Escape" && writes) {
      const cancel = event.target.closest(".task")?.querySelector("[data-cancel]");
      return cancel ? cancel.click() : event.target.blur();
    }
    if (writes || event.ctrlKey || event.metaKey || event.altKey || !session.token()) return;
    const does = {
      n: () => byId("new-title").focus(),
      "/": () => byId("q").focus(),
      j: () => move(1),
      k: () => move(-1),
      x: () => press("[data-tick]"),
      e: () => press("[data-edit]"),
    }[event.key];
    if (does) {
      event.preventDefault();
      does();
    }
  });
})();
