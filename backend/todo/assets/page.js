// Signs in, and puts the token on every request: there is no cookie, so no other page can ask in the caller's name.
"use strict";
(() => {
  const KEY = "todo-token";
  const byId = (id) => document.getElementById(id);
  const token = () => sessionStorage.getItem(KEY);

  const show = () => {
    byId("sign-in").hidden = Boolean(token());
    byId("app").hidden = !token();
    byId("sign-out").hidden = !token();
    if (token()) htmx.trigger("#list", "refresh");
  };
  const signOut = (why) => {
    sessionStorage.removeItem(KEY);
    byId("list").replaceChildren();
    tell(why || "");
    show();
  };
  const tell = (text) => { byId("problem").textContent = text; };

  document.addEventListener("htmx:configRequest", (event) => {
    const { headers, parameters } = event.detail;
    headers["Authorization"] = `Bearer ${token()}`;
    parameters["tz"] = Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
  document.addEventListener("htmx:beforeRequest", () => tell(""));
  document.addEventListener("htmx:sendError", () => tell("The service cannot be reached."));
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr } = event.detail;
    if (xhr.status === 401) return signOut("Please sign in again.");
    let problem = {};
    try { problem = JSON.parse(xhr.responseText); } catch { /* it is no problem of ours */ }
    const reasons = (problem.errors || []).map((error) => `${error.field}: ${error.reason}`);
    tell([problem.title || `Status ${xhr.status}`, ...reasons].join(" — "));
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful && event.detail.elt.id === "quick-add") event.detail.elt.reset();
  });

  // What the kit of the services does at the issuer, where that is how one signs in.
  const atIssuer = async (does) => {
    tell("");
    try { return await does(await import("/page/sign-in.js")); } catch (error) { tell(error.message); }
  };
  byId("sign-in").addEventListener("submit", async (event) => {
    event.preventDefault();
    if ("atIssuer" in event.target.dataset) return atIssuer(({ begin }) => begin());
    const said = new FormData(event.target);
    let value = said.get("token");
    if (said.has("name")) {
      const reply = await fetch("/page/token", { method: "POST", body: new URLSearchParams(said) });
      if (!reply.ok) return tell("A name has 1 to 64 letters, digits, dots and dashes.");
      value = await reply.text();
    }
    sessionStorage.setItem(KEY, value.trim());
    tell("");
    show();
  });
  byId("sign-out").addEventListener("click", () => signOut());

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
    if (writes || event.ctrlKey || event.metaKey || event.altKey || !token()) return;
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
  // After htmx, which looks through the page when it is whole and hears nothing before.
  document.addEventListener("DOMContentLoaded", async () => {
    if ("atIssuer" in byId("sign-in").dataset) {
      const given = await atIssuer(({ isReturn, finish }) => isReturn() && finish());
      if (given) sessionStorage.setItem(KEY, given);
    }
    show();
  });
})();
