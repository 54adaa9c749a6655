// What this page does besides signing in, which is /page/session.js.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const app = byId("app");
  // Each place has an address, which can be sent to others, reloaded and gone back to.
  const partAt = (path) => {
    const task = path.match(/^\/tasks\/([0-9a-f-]{36})$/);
    if (task) return `/page/tasks/${task[1]}`;
    return path === "/people" ? "/page/people" : "/page/board";
  };
  let at = location.pathname;
  const show = () => {
    at = location.pathname;
    place.giveUpReading();
    // Whatever keeps it from coming is told.
    htmx.ajax("GET", partAt(at), app).catch(() => {});
  };
  const place = answers.to("app", show);

  // A form that is written in stays: what is to be added on the board, whenever that is shown; a task that is edited in the place of the task, as long as one does not go elsewhere.
  forms.stay("app", {
    place: (form) => {
      const there = form.id === "quick-add" ? byId("quick-add") : document.querySelector(`#detail[data-task="${form.dataset.task}"]`);
      if (there) there.replaceWith(form);
      return Boolean(there);
    },
  });
  const edits = () => forms.open().filter((form) => form.matches("form.edit"));
  // What is left is given up.
  const mayLeave = () => {
    if (!forms.mayLeave(edits())) return false;
    for (const form of edits()) {
      form.reset();
      if (form.contains(document.activeElement)) document.activeElement.blur();
    }
    return true;
  };
  const go = (path) => {
    if (!mayLeave()) return;
    if (path !== location.pathname) history.pushState(null, "", path);
    window.scrollTo({ top: 0 });
    goThere();
  };
  // Who goes somewhere is at its heading then, so that it is read to those who do not see it.
  const goThere = () => {
    left = [HERE];
    show();
  };

  // A mail leads to a task. Whoever signs in at an issuer first comes back to another address; so does who signs in again.
  const WANTED = "wanted";
  const wantThis = () => {
    if (location.pathname !== "/") sessionStorage.setItem(WANTED, location.pathname);
  };
  wantThis();

  // What was being written when the session ended is kept in the tab, and is there again when the same person is.
  let writer = "";
  let draft = {};
  const keepDraft = () => {
    const written = forms.open().filter(forms.isWritten);
    const add = written.find((form) => form.id === "quick-add");
    const edit = written.find((form) => form.matches("form.edit"));
    // What is not in its form again yet is not lost either.
    if (add) draft.add = forms.fieldsOf(add);
    if (edit) draft.edit = { task: edit.dataset.task, fields: forms.fieldsOf(edit) };
    if (writer && (draft.add || draft.edit)) forms.draft.keep({ writer, ...draft });
  };
  const takeDraft = () => {
    const kept = forms.draft.take(writer);
    if (!kept) return;
    draft = { add: kept.add, edit: kept.edit };
    if (draft.edit) sessionStorage.setItem(WANTED, `/tasks/${draft.edit.task}`);
  };
  const bringBack = () => {
    const add = byId("quick-add");
    if (add && draft.add) {
      forms.fill(add, draft.add);
      delete draft.add;
    }
    const form = draft.edit && document.querySelector(`form.edit[data-task="${draft.edit.task}"]`);
    if (form) {
      forms.fill(form, draft.edit.fields);
      delete draft.edit;
    }
  };
  const editAgain = () => {
    if (!draft.edit || !document.querySelector(`#detail[data-task="${draft.edit.task}"]`)) return;
    // Whatever keeps it from coming is told.
    const edit = { source: "#detail", target: "#detail", swap: "outerHTML" };
    htmx.ajax("GET", `/page/tasks/${draft.edit.task}/edit`, edit).catch(() => {});
  };

  document.addEventListener("signed-in", () => {
    writer = session.whose();
    takeDraft();
    const wanted = sessionStorage.getItem(WANTED);
    sessionStorage.removeItem(WANTED);
    if (wanted && wanted !== location.pathname) history.replaceState(null, "", wanted);
    show();
  });
  document.addEventListener("signed-out", (event) => {
    if (event.detail.ended) {
      keepDraft();
      wantThis();
    }
    draft = {};
    writer = "";
    place.forget();
    forms.letGo();
    app.replaceChildren();
  });
  byId("sign-out").addEventListener("click", () => forms.draft.forget());
  window.addEventListener("popstate", () => {
    if (!session.token()) return;
    if (mayLeave()) goThere();
    else history.pushState(null, "", at);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-goes]");
    // Another tab is the browser's business.
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || !session.token()) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });

  // Who is looked for among the people is no part of what is done to one of them: with other words it is the same request.
  document.addEventListener("htmx:configRequest", ({ detail: { verb, headers } }) => {
    if (verb !== "get" && byId("find")) headers["People-Shown"] = new URLSearchParams(new FormData(byId("find"))).toString();
  });

  // Who did something is where that was when the page is written anew, or at what is left of it; what was done is said to those who do not see it.
  const HERE = "[data-here]";
  let left = [];
  const trail = (elt) => {
    const form = elt.closest("form");
    const row = elt.closest(".item, tr[id]");
    return [form && `#${form.id} input:not([type=hidden])`, row && `#${CSS.escape(row.id)} :is(.title, button)`, elt.closest(".workers") && "#assignee", HERE].filter(Boolean);
  };
  document.addEventListener("htmx:beforeRequest", ({ detail: { elt, target } }) => {
    if (target === app && elt !== document.body) left = elt.contains(document.activeElement) ? trail(elt) : [];
  });
  document.addEventListener("htmx:afterSettle", ({ detail: { target, requestConfig } }) => {
    bringBack();
    if (target !== app) return;
    editAgain();
    document.title = [document.querySelector(HERE)?.textContent, "Task management"].filter(Boolean).join(" · ");
    const { elt, verb } = requestConfig;
    if (verb !== "get" && !elt.matches("form")) byId("done").textContent = `Done: ${elt.getAttribute("aria-label") || elt.textContent}.`;
    const next = left.map((selector) => document.querySelector(selector)).find(Boolean);
    left = [];
    // Unless they are elsewhere by now.
    if (document.activeElement === document.body) next?.focus();
  });
  // What is gone has no place: its address leads to the board then.
  document.addEventListener("htmx:beforeSwap", ({ detail: { target, xhr, shouldSwap, requestConfig: { elt } } }) => {
    if (target === app && shouldSwap && elt.dataset.then && place.isLatest(xhr)) history.replaceState(null, "", elt.dataset.then);
  });
  // What a button was refused for may be that it is not any more as it is shown.
  document.addEventListener("htmx:responseError", ({ detail: { elt, target, xhr, requestConfig } }) => {
    const isOutOfDate = [404, 409, 412].includes(xhr.status);
    if (requestConfig.verb === "get" || target !== app || elt.matches("form") || !isOutOfDate) return;
    session.tell(`${byId("problem").textContent} — This is how it is now.`);
    xhr.addEventListener("loadend", () => place.again());
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
      n: () => byId("new-title")?.focus(),
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
