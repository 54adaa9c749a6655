// What this page does besides signing in, which is /page/session.js.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const refresh = () => htmx.trigger("#list", "refresh");

  // Pages: where this one begins is in a hidden field of the filters, so that whatever is done on a page stays there. The way back is remembered here.
  let trail = [];
  const fromTheStart = () => {
    trail = [];
    byId("cursor").value = "";
  };
  const turn = { next: (cursor) => { trail.push(byId("cursor").value); byId("cursor").value = cursor; }, back: () => { byId("cursor").value = trail.pop() || ""; } };

  const FILTERS = ["q", "status", "priority", "category"];
  const isNarrowed = () => FILTERS.some((id) => byId(id).value) || byId("overdue").checked;
  const narrow = (id, value) => {
    byId(id).value = value;
    htmx.trigger("#filters", "submit");
  };

  // What is looked for is in the address, so that it is there again when the page is loaded again.
  const KEPT = [...FILTERS, "sort"];
  const toAddress = () => {
    const said = new URLSearchParams(KEPT.map((id) => [id, byId(id).value]).filter(([id, value]) => value && !(id === "sort" && value === "created")));
    if (byId("overdue").checked) said.set("overdue", "true");
    const query = said.toString();
    history.replaceState(null, "", query ? `?${query}` : location.pathname);
  };
  const fromAddress = () => {
    const said = new URLSearchParams(location.search);
    for (const id of KEPT) if (said.has(id)) byId(id).value = said.get(id);
    // A word that is none of a choice chooses nothing.
    for (const id of KEPT) if (byId(id).selectedIndex === -1) byId(id).selectedIndex = 0;
    byId("overdue").checked = said.get("overdue") === "true";
  };

  // Answers on their way to the list. Of several the one that was asked for last is shown, for it alone knows what is looked for now; and since none of them may know
  // what the others did, the list is asked for once more when the last of them is here.
  const onTheirWay = new Set();
  let latest = null;
  let isOutOfDate = false;
  const forgetAnswers = () => {
    onTheirWay.clear();
    latest = null;
    isOutOfDate = false;
  };
  document.addEventListener("htmx:beforeSend", (event) => {
    const { target, xhr } = event.detail;
    if (target.id !== "list") return;
    isOutOfDate ||= onTheirWay.size > 0;
    onTheirWay.add(xhr);
    latest = xhr;
    xhr.addEventListener("loadend", () => {
      // Nobody waits for what an earlier session asked for.
      if (!onTheirWay.delete(xhr) || onTheirWay.size > 0 || !isOutOfDate) return;
      isOutOfDate = false;
      // Nobody asked for this: what they were told stays.
      const told = byId("problem").textContent;
      refresh();
      session.tell(told);
    });
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.id === "list" && event.detail.xhr !== latest) event.detail.shouldSwap = false;
  });

  // A form that is written in stays when the list is written anew: in the place of its task, or above the others where the list does not have it.
  const answered = new WeakSet();
  let kept = [];
  let writing = null;
  const isBeingWritten = (form) => !answered.has(form) && (forms.isWritten(form) || form.contains(document.activeElement));
  const takeOut = () => {
    kept = [...document.querySelectorAll("form.edit")].filter(isBeingWritten).map((form) => form.closest(".task"));
    const field = document.activeElement;
    writing = kept.some((row) => row.contains(field)) ? { field, from: field.selectionStart, to: field.selectionEnd, top: field.scrollTop } : null;
    for (const row of kept) row.remove();
  };
  const putBack = () => {
    for (const row of kept.reverse()) {
      if (byId(row.id)) byId(row.id).replaceWith(row);
      else document.querySelector("#list .tasks").prepend(row);
    }
    kept = [];
    if (!writing) return;
    const { field, from, to, top } = writing;
    writing = null;
    field.focus({ preventScroll: true });
    // Not every field has a place to write at.
    if (typeof from === "number") field.setSelectionRange(from, to);
    field.scrollTop = top;
  };
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, requestConfig, isError } = event.detail;
    if (target.id !== "list") {
      // What was asked for twice is there already.
      if ([...target.querySelectorAll("form.edit")].some(forms.isWritten)) event.detail.shouldSwap = false;
      return;
    }
    const own = requestConfig.elt.closest("form.edit");
    if (own && !isError) answered.add(own);
    if (event.detail.shouldSwap) takeOut();
  });
  // What somebody else has changed since is shown in the form, with a way to save over it.
  document.addEventListener("htmx:responseError", ({ detail: { elt, xhr } }) => {
    if (xhr.status === 412 && elt.matches("form.edit")) htmx.trigger(elt.querySelector(".now"), "out-of-date");
  });

  // What was being written when the session ended is kept in the tab, and is there again when the same person is.
  const DRAFT = "draft";
  let writer = "";
  const fieldsOf = (form) => [...form.elements].filter((field) => field.name).map((field) => [field.name, field.value]);
  const fill = (form, fields) => {
    for (const [name, value] of fields) if (form.elements[name]) form.elements[name].value = value;
  };
  let draft = null;
  const keep = (what) => sessionStorage.setItem(DRAFT, JSON.stringify(what));
  const keepDraft = () => {
    const add = byId("quick-add");
    const written = [...document.querySelectorAll("form.edit")].filter(forms.isWritten);
    const editing = written.map((form) => ({ id: form.closest(".task").id, fields: fieldsOf(form) }));
    // What is not in its form again yet is not lost either.
    if (draft) editing.push(...draft.editing);
    if (writer && (editing.length > 0 || forms.isWritten(add))) keep({ writer, editing, add: fieldsOf(add) });
  };
  const takeDraft = () => {
    const kept = JSON.parse(sessionStorage.getItem(DRAFT));
    if (!kept || kept.writer !== writer) return;
    sessionStorage.removeItem(DRAFT);
    fill(byId("quick-add"), kept.add);
    draft = kept;
  };
  // The forms of the tasks, in their rows or above the others where the list does not have them.
  const editAgain = () => draft.editing.forEach(({ id }) => {
    if (!byId(id)) {
      const row = Object.assign(document.createElement("li"), { id, className: "task" });
      document.querySelector("#list .tasks").prepend(row);
    }
    htmx.ajax("GET", `/page/tasks/${id.slice("task-".length)}/edit`, { target: `#${id}`, swap: "outerHTML" });
  });
  const bringBack = () => {
    const isOpen = ({ id }) => byId(id)?.querySelector("form.edit");
    for (const task of draft.editing.filter(isOpen)) fill(isOpen(task), task.fields);
    draft.editing = draft.editing.filter((task) => !isOpen(task));
  };
  const giveUp = (id, status) => {
    if (!draft?.editing.some((task) => task.id === id)) return;
    // What is gone cannot be edited; of all else the next time may know more.
    if (status !== 404) keep(draft);
    draft.editing = draft.editing.filter((task) => task.id !== id);
    if (byId(id)?.matches(":empty")) byId(id).remove();
  };

  document.addEventListener("signed-in", () => {
    writer = session.whose();
    takeDraft();
    fromAddress();
    refresh();
  });
  document.addEventListener("signed-out", (event) => {
    if (event.detail.ended) keepDraft();
    draft = null;
    writer = "";
    forgetAnswers();
    byId("quick-add").reset();
    byId("list").replaceChildren();
    byId("filters").reset();
    fromTheStart();
  });
  byId("sign-out").addEventListener("click", () => {
    sessionStorage.removeItem(DRAFT);
    history.replaceState(null, "", location.pathname);
  });
  document.addEventListener("htmx:configRequest", (event) => {
    const { elt, verb, headers, parameters } = event.detail;
    // Other tasks, or a new one: a place in the list that was means nothing there.
    if (elt.id === "filters" || elt.id === "quick-add") {
      fromTheStart();
      delete parameters["cursor"];
    }
    const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (verb === "get") {
      parameters["tz"] = tz;
      return;
    }
    // Which tasks are shown then is no part of what is written: with another filter it is the same request.
    headers["Tasks-Shown"] = new URLSearchParams([...new FormData(byId("filters")), ["tz", tz]]).toString();
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.successful) giveUp(event.detail.target?.id, event.detail.xhr.status);
  });

  const rows = () => [...document.querySelectorAll(".task")];
  // Who was at a task is at it again when the list is written anew, or at the one that took its place.
  let left = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    const row = event.detail.elt.closest(".task");
    left = row && row.contains(document.activeElement) ? { id: row.id, at: rows().indexOf(row) } : null;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target.id === "list") putBack();
    byId("all").hidden = !isNarrowed();
    if (document.querySelector("[data-anew]")) fromTheStart();
    if (event.detail.target.id === "list") toAddress();
    if (draft) (event.detail.target.id === "list" ? editAgain : bringBack)();
    if (!left || event.detail.target.id !== "list") return;
    const all = rows();
    const row = byId(left.id) || all[Math.min(left.at, all.length - 1)];
    left = null;
    // Unless they are elsewhere by now.
    if (row && document.activeElement === document.body) row.focus();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { next, status, category, sort, over } = button.dataset;
    if (over !== undefined) {
      button.form.elements.version.value = over;
      button.form.requestSubmit();
    }
    if (next !== undefined || "back" in button.dataset) {
      if (next !== undefined) turn.next(next); else turn.back();
      refresh();
      window.scrollTo({ top: 0 });
    }
    if (status !== undefined) narrow("status", status);
    if (category !== undefined) narrow("category", category);
    if (sort !== undefined) narrow("sort", sort);
    if (button.id === "all") {
      byId("filters").reset();
      htmx.trigger("#filters", "submit");
    }
  });

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
    if (event.key === "Escape") {
      const cancel = event.target.closest(".task")?.querySelector("[data-cancel]");
      if (cancel) return cancel.click();
      return writes ? event.target.blur() : undefined;
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
  // A phone shows tasks first.
  if (matchMedia("(max-width: 40rem)").matches) byId("narrow").open = false;
})();
