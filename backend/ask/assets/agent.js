// What the page of an agent does besides signing in, which is /page/session.js, and its form, which is /page/forms.js.
"use strict";
(() => {
  const own = document.getElementById("own");
  // For those who do not see the list: of which question there is something new; not all of it anew, every few seconds.
  let known = null;
  const standing = () => new Map([...own.querySelectorAll(".card")].map((card) => [card.querySelector(".prompt").textContent, card.querySelector(".need").textContent]));
  document.addEventListener("htmx:afterSettle", ({ detail: { target } }) => {
    if (target !== own) return;
    const now = standing();
    const news = [...now].filter(([prompt, progress]) => known && known.get(prompt) !== progress);
    known = now;
    if (news.length > 0) document.getElementById("news").textContent = news.map(([prompt, progress]) => `${prompt} ${progress}`).join("; ");
  });
  document.addEventListener("signed-out", (event) => {
    // Whoever has left asks for nothing more.
    own.replaceChildren();
    known = null;
    if (!event.detail.ended) document.getElementById("quick-add").reset();
  });
})();
