// Keeps what the pages look like, and says so when there is no connection. Questions and answers are never kept.
"use strict";
const KEPT = "ask-v3";
const PARTS = ["/offline", "/page/page.css", "/page/page.js", "/page/htmx.min.js", "/page/icon.svg"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(PARTS)).then(() => self.skipWaiting()));
});
self.addEventListener("activate", (event) => {
  const old = (names) => Promise.all(names.filter((name) => name !== KEPT).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(old).then(() => self.clients.claim()));
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  // Also a form that is sent.
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match("/offline")));
  } else if (request.method !== "GET") {
    return;
  } else if (PARTS.includes(new URL(request.url).pathname)) {
    event.respondWith(fetch(request).catch(() => caches.match(request)));
  }
});
self.addEventListener("push", (event) => {
  const { notification = {}, data = {} } = event.data ? event.data.json() : {};
  // One of each question is shown, should it come twice.
  const said = { body: notification.body || "", icon: "/page/icon.svg", tag: data.question_id, data: { url: data.url || (data.question_id ? `/questions/${encodeURIComponent(data.question_id)}` : "/") } };
  event.waitUntil(self.registration.showNotification(notification.title || "Ask-a-Human", said));
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data.url));
});
