// What this page does besides signing in, which is /page/session.js.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const refresh = () => {
    list.giveUpReading();
    htmx.trigger("#list", "refresh");
  };

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

  const list = answers.to("list", refresh);
  // In the place of its task, or above the others where the list does not have it.
  forms.stay("list", {
    whole: (form) => form.closest(".task"),
    place: (row) => {
      if (byId(row.id)) byId(row.id).replaceWith(row);
      else document.querySelector("#list .tasks").prepend(row);
      return true;
    },
  });

  // What was being written when the session ended is kept in the tab, and is there again when the same person is.
  let writer = "";
  let draft = null;
  const keepDraft = () => {
    const add = byId("quick-add");
    const written = [...document.querySelectorAll("form.edit")].filter(forms.isWritten);
    const editing = written.map((form) => ({ id: form.closest(".task").id, fields: forms.fieldsOf(form) }));
    // What is not in its form again yet is not lost either.
    if (draft) editing.push(...draft.editing);
    if (writer && (editing.length > 0 || forms.isWritten(add))) forms.draft.keep({ writer, editing, add: forms.fieldsOf(add) });
  };
  const takeDraft = () => {
    const kept = forms.draft.take(writer);
    if (!kept) return;
    forms.fill(byId("quick-add"), kept.add);
    draft = kept;
  };
  // Rows whose forms are on their way. Where the list is written anew meanwhile, another row is in their place.
  const opening = new Set();
  document.addEventListener("htmx:beforeSend", ({ detail: { target, xhr } }) => {
    if (!target.matches(".task")) return;
    opening.add(target);
    xhr.addEventListener("loadend", () => opening.delete(target));
  });
  const theirRowsAreGone = () => {
    const gone = [...opening].filter((row) => !row.isConnected);
    gone.forEach((row) => opening.delete(row));
    return gone.map((row) => row.id).filter(byId);
  };
  // The forms of the tasks, in their rows or above the others where the list does not have them.
  const editAgain = () => {
    const kept = draft ? draft.editing.map(({ id }) => id) : [];
    for (const id of new Set([...theirRowsAreGone(), ...kept])) {
      if (!byId(id)) {
        const row = Object.assign(document.createElement("li"), { id, className: "task" });
        document.querySelector("#list .tasks").prepend(row);
      }
      // Each asks for itself, and waits for no other. Whatever keeps it from coming is told.
      const edit = { source: `#${id}`, target: `#${id}`, swap: "outerHTML" };
      htmx.ajax("GET", `/page/tasks/${id.slice("task-".length)}/edit`, edit).catch(() => {});
    }
  };
  const bringBack = () => {
    const isOpen = ({ id }) => byId(id)?.querySelector("form.edit");
    for (const task of draft.editing.filter(isOpen)) forms.fill(isOpen(task), task.fields);
    draft.editing = draft.editing.filter((task) => !isOpen(task));
  };
  const giveUp = (id, status) => {
    if (!draft?.editing.some((task) => task.id === id)) return;
    // What is gone cannot be edited; of all else the next time may know more.
    if (status !== 404) forms.draft.keep(draft);
    draft.editing = draft.editing.filter((task) => task.id !== id);
    if (byId(id)?.matches(":empty")) byId(id).remove();
  };

  document.addEventListener("signed-in", () => {
    // Opened by its address, before anybody could be asked for.
    const insights = document.querySelector("#insights[open]");
    if (insights) htmx.trigger(insights, "toggle");
    writer = session.whose();
    takeDraft();
    fromAddress();
    refresh();
  });
  document.addEventListener("signed-out", (event) => {
    if (event.detail.ended) keepDraft();
    draft = null;
    writer = "";
    list.forget();
    opening.clear();
    forms.letGo();
    byId("quick-add").reset();
    byId("list").replaceChildren();
    // Also what is still on its way.
    if (byId("insights")) htmx.trigger("#insights", "htmx:abort");
    byId("charts")?.replaceChildren();
    byId("filters").reset();
    fromTheStart();
  });
  byId("sign-out").addEventListener("click", () => {
    forms.draft.forget();
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
  // For those who do not see the list: what was done, and how much there is; not all of it anew.
  const sayWhatIsShown = ({ elt, verb }) => {
    const what = elt.getAttribute("aria-label");
    const did = verb === "get" ? "" : what ? `Done: ${what}.` : "Done.";
    const notes = [...document.querySelectorAll("#list .note")].map((note) => note.textContent);
    byId("done").textContent = [did, ...notes, `${rows().length} shown.`].filter(Boolean).join(" ");
  };
  // Who was at a task is at it again when the list is written anew, or at the one that took its place.
  let left = null;
  document.addEventListener("htmx:beforeRequest", (event) => {
    const row = event.detail.elt.closest(".task");
    left = row && row.contains(document.activeElement) ? { id: row.id, at: rows().indexOf(row) } : null;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    byId("all").hidden = !isNarrowed();
    if (document.querySelector("[data-anew]")) fromTheStart();
    if (event.detail.target.id === "list") {
      toAddress();
      sayWhatIsShown(event.detail.requestConfig);
    }
    if (event.detail.target.id === "list") editAgain();
    else if (draft) bringBack();
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
    const { next, status, category, sort } = button.dataset;
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
