// A small issuer for the browser: OpenID Connect's authorization code flow with PKCE, strict about all that it is told.
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";

const base64 = (value) => Buffer.from(value).toString("base64url");

// Listens at `issuer`; people come from `page`, as `client`. `more` is what its tokens claim besides.
export const startIssuer = async (issuer, page, client, more = {}) => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map();
  const token = (sub) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: client, sub, token_use: "id", email: `${sub}@example.org`, iat: now, exp: now + 600, ...more };
    const signed = [{ alg: "RS256", kid: "one" }, claims].map((part) => base64(JSON.stringify(part))).join(".");
    return `${signed}.${base64(sign("RSA-SHA256", Buffer.from(signed), privateKey))}`;
  };
  const authorize = (said) => {
    const wanted = { response_type: "code", client_id: client, redirect_uri: page, scope: "openid email profile", code_challenge_method: "S256" };
    const wrong = Object.keys(wanted).filter((name) => said.get(name) !== wanted[name]);
    if (wrong.length || !/^[\w-]{43}$/.test(said.get("code_challenge")) || !said.get("state")) return `<p>Wrong: ${wrong}`;
    const back = (more) => `${page}?${new URLSearchParams({ ...more, state: said.get("state"), iss: issuer })}`.replaceAll("&", "&amp;");
    const code = randomUUID();
    codes.set(code, said.get("code_challenge"));
    return `<h1>Issuer</h1><a href="${back({ code })}">Continue as grace</a> <a href="${back({ code: "expired" })}">Continue too late</a>
      <a href="${back({ error: "access_denied", error_description: "You <b>pressed</b> cancel." })}">Cancel</a>`;
  };
  const exchange = (said) => {
    const challenge = codes.get(said.get("code"));
    codes.delete(said.get("code"));
    const made = createHash("sha256").update(said.get("code_verifier") ?? "").digest("base64url");
    const isGood = made === challenge && said.get("redirect_uri") === page && said.get("client_id") === client && said.get("grant_type") === "authorization_code";
    return isGood ? [200, { id_token: token("grace"), access_token: "opaque", token_type: "Bearer" }] : [400, { error: "invalid_grant" }];
  };
  const server = createServer(async (request, response) => {
    const address = new URL(request.url, issuer);
    const say = (status, kind, text) => response.writeHead(status, { "Content-Type": kind }).end(text);
    const json = (value, status = 200) => say(status, "application/json", JSON.stringify(value));
    switch (address.pathname) {
      case "/.well-known/openid-configuration":
        return json({ issuer, authorization_endpoint: `${issuer}/authorize?tenant=one`, token_endpoint: `${issuer}/token` });
      case "/.well-known/jwks.json":
        return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" }] });
      case "/authorize":
        return say(200, "text/html", authorize(address.searchParams));
      case "/token": {
        let body = "";
        for await (const part of request) body += part;
        const [status, value] = exchange(new URLSearchParams(body));
        return json(value, status);
      }
      default:
        return say(404, "text/plain", "");
    }
  });
  const { hostname, port } = new URL(issuer);
  await new Promise((listens, fails) => server.once("error", fails).listen(Number(port), hostname, listens));
  return server;
};
