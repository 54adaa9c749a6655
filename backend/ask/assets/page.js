// What the pages do besides what a browser does by itself: the time zone goes along with an answer, what was sent is not lost on the way, letters are counted, and the
// page can be installed.
"use strict";
const zone = document.querySelector("input[name=time_zone]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";

// What is sent is kept until it is known to have come, for as long as the tab is open: without a connection the form itself is gone.
const form = document.getElementById("answer-form");
// A browser that keeps nothing for pages keeps nothing here.
const kept = (() => { try { return sessionStorage; } catch { return {}; } })();
const SAID = ["answer", "selected_option", "confidence"];
const nameOf = ({ dataset }) => `sent:${dataset.question}`;
if (form) {
  form.addEventListener("submit", () => {
    const said = new FormData(form);
    kept.setItem?.(nameOf(form), JSON.stringify(Object.fromEntries(SAID.map((field) => [field, said.get(field) || ""]))));
  });
  const before = JSON.parse(kept.getItem?.(nameOf(form)) || "{}");
  for (const field of SAID) {
    const input = form.elements.namedItem(field);
    // The service may have shown it already.
    if (input && !input.value && before[field]) input.value = before[field];
  }
}
const thanks = document.querySelector(".thanks");
if (thanks) kept.removeItem?.(nameOf(thanks));

const answer = document.getElementById("answer");
const count = document.getElementById("count");
if (answer && count) {
  const tell = () => { count.textContent = answer.value.length ? `${answer.value.length} so far.` : ""; };
  answer.addEventListener("input", tell);
  tell();
}

// A second click must not send it again.
if (form) form.addEventListener("submit", () => { for (const button of form.querySelectorAll("button")) button.disabled = true; });
addEventListener("pageshow", () => { if (form) for (const button of form.querySelectorAll("button")) button.disabled = false; });

// What is shown without a connection goes away when it is back: the address is that of the page that was asked for, and a form is not sent again, but filled in. A browser that says
// it is back may be wrong, and one that says nothing too: so it is tried.
if (document.getElementById("offline")) {
  const look = () => fetch("/manifest.webmanifest", { method: "HEAD", cache: "no-store" }).then(() => location.replace(location.href), () => {});
  addEventListener("online", look);
  setInterval(look, 5000);
}

if ("serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js");
