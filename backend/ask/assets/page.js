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

// What is shown without a connection goes away when it is back: the address is that of the page that was asked for. A form is not sent again.
if (document.getElementById("offline")) addEventListener("online", () => location.replace(location.href));

if ("serviceWorker" in navigator) navigator.serviceWorker.register("/sw.js");
