// What the pages do besides what a browser does by itself: the time zone goes along with an answer, letters are counted, and the page can be installed.
"use strict";
const zone = document.querySelector("input[name=time_zone]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";

const answer = document.getElementById("answer");
const count = document.getElementById("count");
if (answer && count) {
  const tell = () => { count.textContent = answer.value.length ? `${answer.value.length} so far.` : ""; };
  answer.addEventListener("input", tell);
  tell();
}

// A second click must not send it again.
const form = document.getElementById("answer-form");
if (form) form.addEventListener("submit", () => { for (const button of form.querySelectorAll("button")) button.disabled = true; });
addEventListener("pageshow", () => { if (form) for (const button of form.querySelectorAll("button")) button.disabled = false; });

// What is shown without a connection goes away when it is back: the address is that of the page that was asked for, and a form is not sent again. A browser that says
// it is back may be wrong, and one that says nothing too: so it is tried.
if (document.getElementById("offline")) {
  const look = () => fetch("/manifest.webmanifest", { method: "HEAD", cache: "no-store" }).then(() => location.replace(location.href), () => {});
  addEventListener("online", look);
  setInterval(look, 5000);
}

if ("serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js");
