// Signing in to the task manager at an issuer, in a real browser: roles come from the issuer's groups, and a link of a mail leads to its task.
// node sign_in.mjs URL ISSUER PACKAGES CHROMIUM CLIENT
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { startIssuer } from "../../../xtask/browser/issuer.mjs";

const [url, issuer, packages, executablePath, client] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");

// What the issuer says of whoever signs in next.
const claims = { email_verified: true, "cognito:groups": ["Admins"] };
const server = await startIssuer(issuer, `${url}/`, client, claims);
const browser = await chromium.launch({ executablePath, timeout: 120_000, args: ["--no-sandbox"] });
try {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(120_000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4|Status Error Code 4/.test(message.text())) complaints.push(message.text());
  });
  // The page itself asks nobody but its service: the person goes to the issuer, and no script does.
  const strangers = [];
  page.on("request", (request) => {
    const isOurs = request.url().startsWith(`${url}/`) || request.url().startsWith("data:");
    const isJourney = request.isNavigationRequest() || new URL(request.frame().url()).origin === issuer;
    if (!isOurs && !isJourney) strangers.push(request.url());
  });
  const signIn = async () => {
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Issuer" }).waitFor();
    await page.getByText("Continue as grace").click();
  };

  // There and back, as an admin.
  await page.goto(url);
  await page.getByText(`You sign in at ${issuer}`).waitFor();
  await signIn();
  await page.locator(".board").waitFor();
  assert.equal(page.url(), `${url}/`, "the code is still in the address bar");
  await page.locator("#new-title").fill("Written by grace");
  await page.keyboard.press("Enter");
  const card = page.locator(".item .title").getByText("Written by grace");
  await card.waitFor();
  await page.reload();
  await card.waitFor();
  await card.click();
  await page.locator(".detail").waitFor();
  const task = page.url();
  assert.match(task, /\/tasks\/[0-9a-f-]{36}$/);

  // A mail leads to a task; who must sign in first comes to it all the same.
  await page.getByText("Sign out").click();
  assert.equal(await page.locator(".detail").count(), 0);
  await page.goto(task);
  await signIn();
  await page.locator(".detail h2").getByText("Written by grace").waitFor();
  assert.equal(page.url(), task);

  // What the issuer says counts: the same person as a member has nothing to add, and may not see what is not theirs.
  await page.getByText("Sign out").click();
  claims["cognito:groups"] = ["Members"];
  await page.goto(url);
  await signIn();
  await page.locator(".board").waitFor();
  assert.equal(await page.locator("#quick-add").count(), 0);
  assert.equal(await page.locator(".item").count(), 0);
  await page.goto(task);
  await page.locator("#problem").getByText("not assigned").waitFor();

  // An address that the issuer has not verified is nobody's.
  await page.getByText("Sign out").click();
  Object.assign(claims, { email_verified: false, sub: "somebody", email: "somebody@example.org" });
  await page.goto(url);
  await signIn();
  await page.locator("#problem").getByText("e-mail address").waitFor();
  assert.equal(await page.locator(".board").count(), 0);

  // Cancelled at the issuer: told, and nobody is signed in.
  await page.getByText("Sign out").click();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Cancel").click();
  await page.locator("#problem").getByText("You <b>pressed</b> cancel.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Sign in" }).isVisible());

  assert.deepEqual(complaints, []);
  assert.deepEqual(strangers, []);
  console.log("   people sign in to the task manager at an issuer in", browser.version());
} finally {
  await browser.close();
  server.close();
}
