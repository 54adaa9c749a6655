// Makes this browser a device that Firebase knows, and subscribes it. Four steps: the person allows it, the browser's own push service gives an address, Firebase knows an installation
// of the app, and gives it a token for that address. Firebase's own script does the same with a hundred times as many letters.
const form = document.getElementById("this-device");
const firebase = form.dataset;
const button = form.querySelector("button");
const problem = document.getElementById("not-registered");
const DEVICES = "/human/push/subscriptions";
// Which of the person's devices this browser is.
const OWN = "ask-device";

// Something that is told as it is.
class Told extends Error {}

const tell = (text) => {
  problem.textContent = text;
  problem.hidden = !text;
};

const letters = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const allowed = async () => {
  if ((await Notification.requestPermission()) === "granted") return;
  throw new Told("Your browser does not allow notifications of this page. Allow them in its settings, and try again.");
};

// What the browser's push service is told by: who may send is whoever has the key that belongs to this one.
const address = async () => {
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  const key = before?.options?.applicationServerKey;
  if (key && letters(key) !== firebase.vapid) await before.unsubscribe();
  try {
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(firebase.vapid) });
  } catch (error) {
    throw new Told(`Your browser has no push service: ${error.message}`);
  }
};

const askFirebase = async (url, headers, body) => {
  const sent = { "Content-Type": "application/json", Accept: "application/json", "x-goog-api-key": firebase.key, ...headers };
  let reply;
  try {
    // A key may be good for the pages of one origin only.
    reply = await fetch(url, { method: "POST", headers: sent, body: JSON.stringify(body), referrerPolicy: "strict-origin" });
  } catch {
    throw new Told("Firebase cannot be reached. Please try again later.");
  }
  const answer = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Told(`Firebase does not take this device: ${answer.error?.message || reply.status}`);
  return answer;
};

// An id of an installation has 22 letters, and its first four bits are 0111.
const newInstallation = () => {
  const chance = crypto.getRandomValues(new Uint8Array(17));
  chance[0] = 0x70 | (chance[0] & 0x0f);
  return letters(chance).slice(0, 22);
};

const token = async (push) => {
  const of = (endpoint, what) => `${endpoint}/v1/projects/${encodeURIComponent(firebase.project)}/${what}`;
  const installation = { fid: newInstallation(), authVersion: "FIS_v2", appId: firebase.app, sdkVersion: "w:0.6.6" };
  const { authToken } = await askFirebase(of(firebase.installations, "installations"), {}, installation);
  const { endpoint, keys } = push.toJSON();
  const web = { endpoint, p256dh: keys.p256dh, auth: keys.auth, applicationPubKey: firebase.vapid };
  const known = { "x-goog-firebase-installations-auth": `FIS ${authToken?.token}` };
  const registered = await askFirebase(of(firebase.registrations, "registrations"), known, { web });
  if (!registered.token) throw new Told("Firebase gives this device no token.");
  return registered.token;
};

const ask = (method, path, body) => fetch(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// A browser is one device: when it comes again it has another token, and not another subscription.
const subscribe = async (fcm_token) => {
  const device = { fcm_token, min_interval_minutes: Number(form.elements.min_interval_minutes.value) };
  const own = localStorage.getItem(OWN);
  let reply = own && (await ask("PUT", `${DEVICES}/${encodeURIComponent(own)}`, device));
  // It was removed, or belongs to whom this browser was before.
  if (!reply || reply.status === 404 || reply.status === 400) reply = await ask("POST", DEVICES, device);
  const answer = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Told(answer.detail || answer.title || `It is answered ${reply.status}.`);
  localStorage.setItem(OWN, answer.subscription_id);
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  tell("");
  try {
    await allowed();
    await subscribe(await token(await address()));
    location.assign("/settings?done=subscribed");
  } catch (error) {
    tell(error instanceof Told ? error.message : `This browser could not be registered: ${error.message}`);
    button.disabled = false;
  }
});

if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) button.disabled = false;
else tell("This browser cannot be notified by a page. On a phone it may have to be installed first.");
