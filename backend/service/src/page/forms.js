// What people write into the forms of a page: done once however often it is sent, and lost only by who wants to. After /page/session.js, and before the script of the page, which hears what
// it is told here. A page has `form.edit` for changes of what is there, with a button [data-cancel], and #quick-add for what is new.
"use strict";
const forms = (() => {
  // What is sent again, since nobody answered, has the key it had. Each form has its own, until it is answered or says something else; whatever else was sent meanwhile does not matter.
  const sent = new WeakMap();
  const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join("-");
  const keyOf = (elt, { verb, path, formData }) => {
    const what = JSON.stringify([verb, path, [...formData]]);
    if (sent.get(elt)?.what !== what) sent.set(elt, { what, key: newKey(), fields: fieldsOf(elt) });
    return sent.get(elt).key;
  };
  const fieldsOf = (elt) => JSON.stringify(elt.matches("form") ? [...new FormData(elt)] : []);
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb !== "get") detail.headers["Idempotency-Key"] = keyOf(detail.elt, detail);
  });
  document.addEventListener("htmx:afterRequest", ({ detail: { elt, requestConfig, successful, xhr } }) => {
    if (requestConfig.verb === "get") return;
    // What was written since stays.
    if (successful && elt.id === "quick-add" && sent.get(elt)?.fields === fieldsOf(elt)) elt.reset();
    // Whoever was told what became of it means another, also by the same words.
    if (xhr.status >= 200 && xhr.status < 500) sent.delete(elt);
  });

  const isChanged = (field) => {
    if (!field.options) return "defaultValue" in field && field.value !== field.defaultValue;
    // Where none is marked, the first is chosen.
    const marked = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(marked, 0);
  };
  const isWritten = (form) => [...form.elements].some(isChanged);
  const open = () => [...document.querySelectorAll("form.edit, #quick-add")];
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

  // Nobody writes in a form whose answer takes it away.
  document.addEventListener("htmx:beforeSend", ({ detail: { elt, target, xhr } }) => {
    const form = elt.closest("form.edit");
    if (!form || form.contains(target)) return;
    const at = form.contains(document.activeElement) ? document.activeElement : null;
    form.inert = true;
    xhr.addEventListener("loadend", () => {
      form.inert = false;
      if (at && form.isConnected && document.activeElement === document.body) at.focus();
    });
  });

  return { isWritten, mayLeave };
})();
