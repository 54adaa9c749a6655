// Signing in at an issuer, in a real browser: there and back, reload, sign out; and all that must be refused.
// node sign_in.mjs URL ISSUER PACKAGES CHROMIUM CLIENT
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { startIssuer } from "../../../xtask/browser/issuer.mjs";

const [url, issuer, packages, executablePath, client] = process.argv.slice(2);
const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");

const server = await startIssuer(issuer, `${url}/`, client);
const browser = await chromium.launch({ executablePath, timeout: 120_000, args: ["--no-sandbox"] });
try {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(120_000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4/.test(message.text())) complaints.push(message.text());
  });
  // The page itself asks nobody but its service: the person goes to the issuer, and no script does.
  const strangers = [];
  let handed = 0;
  page.on("request", (request) => {
    const isOurs = request.url().startsWith(`${url}/`) || request.url().startsWith("data:");
    const isJourney = request.isNavigationRequest() || new URL(request.frame().url()).origin === issuer;
    if (!isOurs && !isJourney) strangers.push(request.url());
    if (request.method() === "POST" && request.url() === `${url}/page/sign-in`) handed += 1;
  });
  const signIn = page.getByRole("button", { name: "Sign in" });
  const leave = async () => {
    await signIn.click();
    await page.getByRole("heading", { name: "Issuer" }).waitFor();
  };
  const told = async (text) => {
    await page.locator("#problem").getByText(text).waitFor();
    assert.equal(page.url(), `${url}/`, "the code is still in the address bar");
    const kept = await page.evaluate(() => ["token", "sign-in"].map((name) => sessionStorage.getItem(name)));
    assert.deepEqual(kept, [null, null]);
    assert.ok(await signIn.isVisible());
  };

  // There and back.
  await page.goto(url);
  await page.getByText(`You sign in at ${issuer}`).waitFor();
  await leave();
  await page.getByText("Continue as grace").click();
  await page.getByText("Nothing here.").waitFor();
  assert.equal(page.url(), `${url}/`);
  await page.locator("#new-title").fill("Written by grace");
  await page.keyboard.press("Enter");
  const task = page.locator(".task .title").getByText("Written by grace");
  await task.waitFor();

  // Reload: still the same person, without the issuer.
  await page.reload();
  await task.waitFor();
  assert.equal(handed, 1);

  // Signed out, nothing is left; signed in again, all is there.
  await page.getByText("Sign out").click();
  assert.equal(await page.locator(".task").count(), 0);
  await page.reload();
  await leave();
  await page.getByText("Continue as grace").click();
  await task.waitFor();
  await page.getByText("Sign out").click();
  assert.equal(handed, 2);

  // What this page did not begin: nothing is handed over, and nothing that it says is shown.
  const notBegun = "This sign-in was not begun on this page.";
  await page.goto(`${url}/?code=somebody-elses&state=wrong`);
  await told(notBegun);
  await page.goto(`${url}/?error=access_denied&error_description=Call%20this%20number`);
  await told(notBegun);
  // Nor while one was begun: another state, another issuer.
  await leave();
  await page.goto(`${url}/?code=somebody-elses&state=wrong`);
  await told(notBegun);
  await leave();
  const back = new URL(await page.getByText("Continue as grace").getAttribute("href"));
  back.searchParams.set("iss", "https://evil.example");
  await page.goto(back.href);
  await told(notBegun);
  // What was refused cannot be taken up again.
  back.searchParams.set("iss", issuer);
  await page.goto(back.href);
  await told(notBegun);
  assert.equal(handed, 2);

  // What the issuer refuses is told, in its words and as text.
  await leave();
  await page.getByText("Cancel").click();
  await told("The issuer did not sign you in: You <b>pressed</b> cancel.");
  await leave();
  await page.getByText("Continue too late").click();
  await told("has expired");
  assert.equal(handed, 3);

  assert.deepEqual(complaints, []);
  assert.deepEqual(strangers, []);
  console.log("   people sign in at an issuer in", browser.version());
} finally {
  await browser.close();
  server.close();
}
