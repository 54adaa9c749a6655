// What this page does besides signing in, which is /page/session.js.
"use strict";
(() => {
  const app = document.getElementById("app");
  // Each place has an address, which can be sent to others, reloaded and gone back to.
  const partAt = (path) => {
    const task = path.match(/^\/tasks\/([0-9a-f-]{36})$/);
    if (task) return `/page/tasks/${task[1]}`;
    return path === "/people" ? "/page/people" : "/page/board";
  };
  let at = location.pathname;
  const show = () => {
    at = location.pathname;
    return htmx.ajax("GET", partAt(at), app);
  };
  // What is left is given up: whatever is written into it from now on is new.
  const mayLeave = () => {
    if (!forms.mayLeave()) return false;
    document.querySelectorAll("form.edit, #quick-add").forEach((form) => form.reset());
    return true;
  };
  const go = (path) => {
    if (!mayLeave()) return;
    if (path !== location.pathname) history.pushState(null, "", path);
    window.scrollTo({ top: 0 });
    return show();
  };

  // A mail leads to a task. Whoever signs in at an issuer first comes back to another address.
  const WANTED = "wanted";
  if (location.pathname !== "/") sessionStorage.setItem(WANTED, location.pathname);
  document.addEventListener("signed-in", () => {
    const wanted = sessionStorage.getItem(WANTED);
    sessionStorage.removeItem(WANTED);
    if (wanted && wanted !== location.pathname) history.replaceState(null, "", wanted);
    show();
  });
  document.addEventListener("signed-out", () => app.replaceChildren());
  window.addEventListener("popstate", () => {
    if (!session.token()) return;
    if (mayLeave()) show();
    else history.pushState(null, "", at);
  });
  // Whatever else writes the page anew asks before a form is lost by it.
  document.addEventListener("htmx:confirm", (event) => {
    const { elt, target } = event.detail;
    if (target === app && elt !== document.body && !elt.closest("form.edit, #quick-add") && !mayLeave()) event.preventDefault();
  });
  // An answer that comes late leaves alone what is written meanwhile: a task that is being edited stays as it is, and what is to be added is there again.
  let half = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, requestConfig: { elt, formData } } = event.detail;
    if (target !== app || !event.detail.shouldSwap) return;
    const edits = [...document.querySelectorAll("form.edit")];
    if (edits.some((form) => !form.contains(elt) && forms.isWritten(form))) event.detail.shouldSwap = false;
    const add = document.getElementById("quick-add");
    const written = add && forms.isWritten(add) ? [...new FormData(add)] : [];
    const isSent = elt === add && JSON.stringify(written) === JSON.stringify([...formData]);
    half = isSent ? [] : written;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const add = document.getElementById("quick-add");
    if (event.detail.target !== app || !add) return;
    for (const [name, value] of half) add.elements[name].value = value;
    half = [];
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-goes]");
    // Another tab is the browser's business.
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || !session.token()) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  document.addEventListener("htmx:afterOnLoad", (event) => {
    const { then } = event.detail.elt.dataset;
    if (then) history.replaceState(null, "", then);
  });

  const move = (by) => {
    const all = [...document.querySelectorAll(".item .title")];
    const at = all.indexOf(document.activeElement);
    const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    if (next) next.focus();
  };
  document.addEventListener("keydown", (event) => {
    const writes = event.target.matches("input, textarea, select");
    if (event.key === "Escape") {
      const cancel = event.target.closest(".edit")?.querySelector("[data-cancel]");
      if (cancel) return cancel.click();
      return writes ? event.target.blur() : undefined;
    }
    if (writes || event.ctrlKey || event.metaKey || event.altKey || !session.token()) return;
    const does = {
      n: () => document.getElementById("new-title")?.focus(),
      b: () => go("/"),
      j: () => move(1),
      k: () => move(-1),
    }[event.key];
    if (does) {
      event.preventDefault();
      does();
    }
  });
})();
