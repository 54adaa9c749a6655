// A browser becomes a device that Firebase knows, is told of a question, and comes again as the same device. This script is Firebase: installations, registrations, access tokens and messages.
// node notify.mjs credentials FILE FIREBASE
// node notify.mjs URL FIREBASE PACKAGES CHROMIUM FOLDER
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PROJECT = "ask-a-human";
const APP = "1:123456:web:abcdef";
const KEY = "AIza-key_of_the_app";
const VAPID = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString("base64url");

if (process.argv[2] === "credentials") {
  const [file, firebase] = process.argv.slice(3);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048, privateKeyEncoding: { type: "pkcs8", format: "pem" }, publicKeyEncoding: { type: "spki", format: "pem" } });
  writeFileSync(file, JSON.stringify({ type: "service_account", project_id: PROJECT, private_key: privateKey, client_email: "dispatcher@example.org", token_uri: `${firebase}/token` }));
  process.exit(0);
}

const [url, firebase, packages, executablePath, folder] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// Firebase, as a browser and a dispatcher meet it.
const asked = { installations: [], registrations: [], messages: [] };
let refuses = false;
const answer = (path, headers, body) => {
  const at = (what) => path === `/v1/projects/${PROJECT}/${what}`;
  if (path === "/token") return [200, { access_token: "ya29.token", expires_in: 3600, token_type: "Bearer" }];
  if (at("messages:send")) {
    asked.messages.push(JSON.parse(body).message);
    return [200, { name: `projects/${PROJECT}/messages/${asked.messages.length}` }];
  }
  if (headers["x-goog-api-key"] !== KEY || refuses) return [403, { error: { message: "Requests from this page are blocked." } }];
  if (at("installations")) {
    asked.installations.push({ ...JSON.parse(body), referer: headers.referer });
    return [200, { fid: JSON.parse(body).fid, refreshToken: "r", authToken: { token: `auth-${asked.installations.length}`, expiresIn: "604800s" } }];
  }
  if (at("registrations") && headers["x-goog-firebase-installations-auth"] === `FIS auth-${asked.installations.length}`) {
    asked.registrations.push(JSON.parse(body));
    return [200, { token: `device-${asked.registrations.length}` }];
  }
  return [404, { error: { message: "there is nothing here" } }];
};
const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const allowed = { "Access-Control-Allow-Origin": url, "Access-Control-Allow-Headers": "content-type,x-goog-api-key,x-goog-firebase-installations-auth" };
  if (request.method === "OPTIONS") return response.writeHead(204, allowed).end();
  const [status, said] = answer(request.url, request.headers, body);
  response.writeHead(status, { ...allowed, "Content-Type": "application/json" }).end(JSON.stringify(said));
});
await new Promise((resolve) => server.listen(Number(new URL(firebase).port), "127.0.0.1", resolve));

const until = async (what, holds) => {
  for (let tries = 0; !holds(); tries += 1) {
    assert.ok(tries < 600, what);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
const api = async (method, path, token, body) => {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const reply = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) });
  assert.ok(reply.ok, `${method} ${path}: ${reply.status}`);
  return reply.json();
};

const browser = await chromium.launch({ executablePath, timeout: 120_000, args: ["--no-sandbox"] });
try {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
  context.setDefaultTimeout(120_000);
  // There is no push service within reach, and nobody to ask for permission; all else is the page's own.
  await context.addInitScript(() => {
    globalThis.allows = "granted";
    Notification.requestPermission = async () => globalThis.allows;
    PushManager.prototype.getSubscription = async () => null;
    PushManager.prototype.subscribe = async (options) => {
      sessionStorage.setItem("subscribed", JSON.stringify([options.userVisibleOnly, [...options.applicationServerKey]]));
      const keys = { p256dh: "the-public-key", auth: "the-secret" };
      return { endpoint: "https://push.example.org/1", toJSON: () => ({ endpoint: "https://push.example.org/1", keys }) };
    };
  });
  const page = await context.newPage();
  const complaints = [];
  const strangers = new Set();
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => { if (message.type() === "error" && !/status of 40[34]/.test(message.text())) complaints.push(message.text()); });
  page.on("request", (request) => { if (!request.url().startsWith(url)) strangers.add(new URL(request.url()).origin); });
  const press = () => page.getByRole("button", { name: "Notify me on this device" }).click();

  await page.goto(`${url}/settings`);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(axe);
    const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target)}`), []);
    await page.screenshot({ path: join(folder, `ask-notify-${colorScheme}.png`), fullPage: true });
  }

  // Who does not allow it is told so, and nothing is asked of anybody.
  await page.evaluate(() => { globalThis.allows = "denied"; });
  await press();
  await page.getByRole("alert").getByText("does not allow notifications").waitFor();
  // Nor is anything kept when Firebase refuses.
  await page.evaluate(() => { globalThis.allows = "granted"; });
  refuses = true;
  await press();
  await page.getByRole("alert").getByText("Requests from this page are blocked.").waitFor();
  refuses = false;
  assert.deepEqual([asked.installations.length, asked.registrations.length], [0, 0]);

  await page.getByLabel("At most once in").first().selectOption("60");
  await press();
  await page.getByRole("status").getByText("You will be notified.").waitFor();
  assert.equal(await page.locator(".device").count(), 1);
  assert.equal(await page.locator(".device select").inputValue(), "60");
  const [{ fid, ...installation }] = asked.installations;
  assert.match(fid, /^[cdef][\w-]{21}$/, "an id as Firebase wants it");
  assert.deepEqual(installation, { authVersion: "FIS_v2", appId: APP, sdkVersion: "w:0.6.6", referer: `${url}/` });
  const web = { endpoint: "https://push.example.org/1", p256dh: "the-public-key", auth: "the-secret", applicationPubKey: VAPID };
  assert.deepEqual(asked.registrations, [{ web }]);

  // It comes again: another token, the same device.
  await Promise.all([page.waitForEvent("load"), press()]);
  await until("it registers again", () => asked.registrations.length === 2);
  await page.getByRole("status").waitFor();
  await page.waitForLoadState();
  assert.equal(await page.locator(".device").count(), 1, "one browser is one device");
  const subscribed = await page.evaluate(() => JSON.parse(sessionStorage.getItem("subscribed")));
  assert.deepEqual(subscribed, [true, [...Buffer.from(VAPID, "base64url")]], "only who has Firebase's key sends to it");

  // Whoever sends now, sends there.
  const admin = await (await fetch(`${url}/page/token`, { method: "POST", body: new URLSearchParams({ name: "grace", group: "Admins" }) })).text();
  await fetch(`${url}/admin/agents/notify`, { method: "PUT", headers: { Authorization: `Bearer ${admin}`, "Content-Type": "application/json" }, body: '{"name": "Notify"}' });
  const { key: agent } = await api("POST", "/admin/agents/notify/keys", admin, { label: "notify" });
  const { question_id } = await api("POST", "/agent/questions", agent, { prompt: "Would you cross this bridge?" });
  await until("the device is told", () => asked.messages.length === 1);
  const [message] = asked.messages;
  assert.equal(message.token, "device-2");
  assert.equal(message.data.question_id, question_id);

  // Removed, it can come back.
  await page.reload();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByText("None yet.").waitFor();
  await press();
  await page.locator(".device").waitFor();
  assert.equal(asked.registrations.length, 3);

  // Only this page may ask Firebase, and nothing but that.
  const policy = async (path) => (await fetch(`${url}${path}`)).headers.get("content-security-policy").match(/connect-src ([^;]*)/)[1];
  assert.equal(await policy("/settings"), `'self' ${firebase}`);
  assert.equal(await policy("/"), "'self'");
  assert.deepEqual([...strangers], [firebase]);
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
  server.close();
}
