// What people write into the forms of a page: done once however often it is sent, and lost only by who wants to. After /page/session.js, and before the script of the page, which hears what
// it is told here. A page has `form.edit` for changes of what is there, with a button [data-cancel], and #quick-add for what is new.
"use strict";
const forms = (() => {
  // What is sent again, since nobody answered, has the key it had. Each form and each button has its own, until it is answered or says something else; whatever else was sent meanwhile does
  // not matter.
  const sent = new WeakMap();
  const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join("-");
  const keyOf = (elt, { verb, path, formData }) => {
    const what = JSON.stringify([verb, path, [...formData]]);
    if (sent.get(elt)?.what !== what) sent.set(elt, { what, key: newKey(), fields: said(elt) });
    return sent.get(elt).key;
  };
  const said = (elt) => JSON.stringify(elt.matches("form") ? [...new FormData(elt)] : []);
  // What was written since it was sent stays.
  const empty = (form) => {
    if (sent.get(form)?.fields === said(form)) form.reset();
  };
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb !== "get") detail.headers["Idempotency-Key"] = keyOf(detail.elt, detail);
  });
  // The element may be gone from the page by now.
  document.addEventListener("htmx:afterRequest", ({ detail: { requestConfig: { elt, verb }, successful, xhr } }) => {
    if (verb === "get") return;
    if (successful && elt.id === "quick-add") empty(elt);
    // Whoever was told what became of it means another, also by the same words.
    if (xhr.status >= 200 && xhr.status < 500) sent.delete(elt);
  });

  const isChanged = (field) => {
    if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
    if (!field.options) return "defaultValue" in field && field.value !== field.defaultValue;
    // Where none is marked, the first is chosen.
    const marked = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(marked, 0);
  };
  const isWritten = (form) => [...form.elements].some(isChanged);
  const FORMS = "form.edit, #quick-add";
  let held = [];
  const open = () => [...document.querySelectorAll(FORMS), ...held.flatMap((one) => one.matches(FORMS) ? [one] : [...one.querySelectorAll(FORMS)])];
  const mayLeave = (left = open()) => !left.some(isWritten) || confirm("What you wrote is not saved. Leave it?");

  document.addEventListener("htmx:confirm", (event) => {
    const { elt } = event.detail;
    if (elt.matches("[data-cancel]") && !mayLeave([elt.closest("form.edit")])) event.preventDefault();
  });
  document.getElementById("sign-out").addEventListener("click", (event) => {
    if (!mayLeave()) event.stopImmediatePropagation();
  }, { capture: true });
  window.addEventListener("beforeunload", (event) => {
    if (open().some(isWritten)) event.preventDefault();
  });

  // Nobody writes in a form whose answer takes it away; and who sent one is in it again where that leaves it.
  document.addEventListener("htmx:beforeSend", ({ detail: { elt, target, xhr } }) => {
    const form = elt.closest(FORMS);
    if (!form || form.contains(target)) return;
    const at = form.contains(document.activeElement) ? document.activeElement : null;
    form.inert = form.matches("form.edit");
    xhr.addEventListener("loadend", () => {
      form.inert = false;
      if (at && form.isConnected && document.activeElement === document.body) at.focus();
    });
  });

  // Forms that are written in stay when the part of the page with this id is written anew. `whole` is what is taken out with a form; `place` puts that into the new part, and says whether it
  // could: what has no place there waits for one.
  const answered = new WeakSet();
  let writing = null;
  const isBeingWritten = (form) => !answered.has(form) && (isWritten(form) || form.contains(document.activeElement));
  const takeOut = (part, whole) => {
    const taken = [...part.querySelectorAll(FORMS)].filter(isBeingWritten).map(whole);
    const field = document.activeElement;
    writing = taken.some((one) => one.contains(field)) ? { field, from: field.selectionStart, to: field.selectionEnd, top: field.scrollTop } : null;
    for (const one of taken) one.remove();
    held.push(...taken);
  };
  const putBack = (place) => {
    held = held.toReversed().filter((one) => !place(one)).toReversed();
    if (!writing?.field.isConnected) return;
    const { field, from, to, top } = writing;
    writing = null;
    field.focus({ preventScroll: true });
    // Not every field has a place to write at.
    if (typeof from === "number") field.setSelectionRange(from, to);
    field.scrollTop = top;
  };
  const stay = (id, { whole = (form) => form, place }) => {
    document.addEventListener("htmx:beforeSwap", ({ detail }) => {
      const { target, requestConfig: { elt }, isError } = detail;
      if (target.id !== id) {
        // What was asked for twice is there already.
        if ([...target.querySelectorAll("form.edit")].some(isWritten)) detail.shouldSwap = false;
        return;
      }
      const own = elt.closest("form.edit");
      if (own && !isError) answered.add(own);
      if (elt.id === "quick-add" && !isError) empty(elt);
      if (detail.shouldSwap) takeOut(target, whole);
    });
    document.addEventListener("htmx:afterSettle", ({ detail }) => {
      if (detail.target.id === id) putBack(place);
    });
  };

  // What somebody else has changed since is shown in the form, with a way to save over it.
  document.addEventListener("htmx:responseError", ({ detail: { elt, xhr } }) => {
    if (xhr.status === 412 && elt.matches("form.edit")) htmx.trigger(elt.querySelector(".now"), "out-of-date");
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-over]");
    if (!button) return;
    button.form.elements.version.value = button.dataset.over;
    button.form.requestSubmit();
  });

  // What was being written when the session ended is kept in the tab for who wrote it.
  const DRAFT = "draft";
  const draft = {
    keep: (what) => sessionStorage.setItem(DRAFT, JSON.stringify(what)),
    take: (writer) => {
      const kept = JSON.parse(sessionStorage.getItem(DRAFT));
      if (!kept || kept.writer !== writer) return null;
      sessionStorage.removeItem(DRAFT);
      return kept;
    },
    forget: () => sessionStorage.removeItem(DRAFT),
  };
  const fieldsOf = (form) => [...form.elements].filter((field) => field.name).map((field) => [field.name, field.value]);
  const fill = (form, fields) => {
    for (const [name, value] of fields) if (form.elements[name]) form.elements[name].value = value;
  };

  return { isWritten, open, mayLeave, stay, letGo: () => { held = []; }, draft, fieldsOf, fill };
})();
