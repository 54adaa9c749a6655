// Signs in to a page, and puts the token on every request of htmx: there is no cookie, so no other page can ask in the caller's name.
// A page has the form #sign-in, the button #sign-out, #app which is shown to those who have signed in, and #problem for what is to be told. It hears
// `signed-in` and `signed-out` on the document; the latter says in its detail whether the session `ended` by itself, with whatever the caller was about.
"use strict";
const session = (() => {
  const byId = (id) => document.getElementById(id);
  // A page whose callers are known by something else than a token of the issuer keeps it under a name of its own.
  const KEY = byId("sign-in").dataset.key || "token";
  const token = () => sessionStorage.getItem(KEY);
  const tell = (text) => { byId("problem").textContent = text; };

  // Whose token it is; nothing where it does not say so.
  const whose = () => {
    try {
      const said = token().split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
      return JSON.parse(atob(said)).sub || "";
    } catch { return ""; }
  };

  const show = (ended) => {
    byId("sign-in").hidden = Boolean(token());
    byId("app").hidden = !token();
    byId("sign-out").hidden = !token();
    document.dispatchEvent(new CustomEvent(token() ? "signed-in" : "signed-out", { detail: { ended: Boolean(ended) } }));
  };
  const signOut = (why) => {
    sessionStorage.removeItem(KEY);
    tell(why || "");
    show(why);
  };
  // What a problem of the service says, in one line.
  const words = (text, status) => {
    let problem = {};
    try { problem = JSON.parse(text); } catch { /* it is no problem of ours */ }
    const reasons = (problem.errors || []).map((error) => `${error.field}: ${error.reason}`);
    return [problem.title || `Status ${status}`, problem.detail, ...reasons].filter(Boolean).join(" — ");
  };

  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["Authorization"] = `Bearer ${token()}`;
  });
  // What a page asks for by itself, again and again, is no reason to forget what was told.
  document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => {
    if (!elt.getAttribute("hx-trigger")?.startsWith("every")) tell("");
  });
  // What can be done where it is not known what became of a request. With a key it is done once, however often it is sent.
  const tryAgain = ({ verb, headers }) => {
    if (verb === "get") return "Try again.";
    return headers["Idempotency-Key"] ? "Try again: what was done already is not done twice." : "Look whether it was done before you try again.";
  };
  document.addEventListener("htmx:sendError", ({ detail: { requestConfig } }) => tell(`The service cannot be reached. ${tryAgain(requestConfig)}`));
  document.addEventListener("htmx:timeout", ({ detail: { requestConfig } }) => tell(`The service does not answer. ${tryAgain(requestConfig)}`));
  document.addEventListener("htmx:responseError", ({ detail: { xhr, requestConfig } }) => {
    if (xhr.status === 401) return signOut("Please sign in again.");
    const said = words(xhr.responseText, xhr.status);
    if (xhr.status === 429) return tell(`${said} — Wait a moment, then try again.`);
    tell(xhr.status >= 500 ? `${said} — ${tryAgain(requestConfig)}` : said);
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
      value = await reply.text();
      if (!reply.ok) return tell(words(value, reply.status));
    }
    sessionStorage.setItem(KEY, value.trim());
    tell("");
    show();
  });
  byId("sign-out").addEventListener("click", () => signOut());

  // After htmx, which looks through the page when it is whole and hears nothing before.
  document.addEventListener("DOMContentLoaded", async () => {
    if ("atIssuer" in byId("sign-in").dataset) {
      const given = await atIssuer(({ isReturn, finish }) => isReturn() && finish());
      if (given) sessionStorage.setItem(KEY, given);
    }
    show();
  });
  return { token, whose, tell, signOut };
})();
