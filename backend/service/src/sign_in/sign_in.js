// Signs a person in at the issuer of the service: OpenID Connect's authorization code flow with PKCE (RFC 7636), for pages at `/`.
// `begin` leaves the page; back on it, `finish` gives the token. What goes wrong is an `Error` whose message is for people.
const KEPT = "sign-in";
const ADDRESS = "/page/sign-in";
// Nobody but this browser has a say in it.
const page = () => `${location.origin}/`;

const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const secret = () => text(crypto.getRandomValues(new Uint8Array(32)));

const ask = async (options) => {
  const reply = await fetch(ADDRESS, options).catch(() => { throw new Error("The service cannot be reached."); });
  const said = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error([said.title || `Status ${reply.status}`, said.detail].filter(Boolean).join(" — "));
  return said;
};

// Whether this address is one the issuer sent somebody to.
export const isReturn = () => {
  const said = new URLSearchParams(location.search);
  return said.has("code") || said.has("error");
};

export const begin = async () => {
  if (!globalThis.crypto?.subtle) throw new Error("Signing in needs https.");
  const { authorization_endpoint, client_id, scope, issuer } = await ask();
  const [state, verifier] = [secret(), secret()];
  const challenge = text(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  sessionStorage.setItem(KEPT, JSON.stringify({ state, verifier, issuer }));
  const there = new URL(authorization_endpoint);
  const said = { response_type: "code", client_id, redirect_uri: page(), scope, state, code_challenge: challenge, code_challenge_method: "S256" };
  for (const [name, value] of Object.entries(said)) there.searchParams.set(name, value);
  location.assign(there);
};

export const finish = async () => {
  const said = new URLSearchParams(location.search);
  // Neither the history nor a reload has the code again; and each beginning ends once.
  history.replaceState(null, "", location.pathname);
  const begun = JSON.parse(sessionStorage.getItem(KEPT) || "null");
  sessionStorage.removeItem(KEPT);
  // Somebody else's code would sign this person in as somebody else. Also what an error says is believed of the issuer only.
  const isOurs = begun && said.get("state") === begun.state && (said.get("iss") ?? begun.issuer) === begun.issuer;
  if (!isOurs) throw new Error("This sign-in was not begun on this page. Please sign in again.");
  if (said.has("error")) throw new Error(`The issuer did not sign you in: ${said.get("error_description") || said.get("error")}`);
  const { token } = await ask({
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code: said.get("code"), code_verifier: begun.verifier, redirect_uri: page() }),
  });
  return token;
};
