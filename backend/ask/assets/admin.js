// What the page of admins does besides signing in, which is /page/session.js: who decided on one answer is at the next, and hears what was done.
"use strict";
(() => {
  const reviews = document.getElementById("reviews");
  let pressed = "";
  document.addEventListener("htmx:beforeRequest", ({ detail: { requestConfig } }) => {
    const button = requestConfig.triggeringEvent?.submitter;
    pressed = button ? button.textContent : "";
  });
  document.addEventListener("htmx:afterSettle", ({ detail: { target, requestConfig } }) => {
    if (target !== reviews || requestConfig.verb === "get") return;
    const left = reviews.querySelectorAll(".card:not(.banned)").length;
    document.getElementById("done").textContent = `Done: ${pressed}. ${left} to look at.`;
    if (document.activeElement === document.body) (reviews.querySelector("button") || document.getElementById("sign-out")).focus();
  });
  document.addEventListener("signed-out", () => reviews.replaceChildren());
})();
