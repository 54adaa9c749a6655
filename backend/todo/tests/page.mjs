// The page in a real browser: create, complete, edit, delete, filter, search, turn pages, reload; by mouse, by keyboard, on a phone and in the dark. And the page of the API.
// node page.mjs URL PACKAGES CHROMIUM FOLDER
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { auditor } from "../../../xtask/browser/accessible.mjs";
import { beingWritten } from "./being_written.mjs";
import { documentation } from "./documentation.mjs";
import { insights } from "./insights.mjs";
import { lateAnswers } from "./late_answers.mjs";
import { sessionEnds } from "./session_ends.mjs";

const [url, packages, executablePath, folder] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const { chromium } = require("playwright-core");
const { accessible, found } = auditor(require, folder, "page");

const browser = await chromium.launch({ executablePath, timeout: 120_000, args: ["--no-sandbox"] });
try {
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  // While the last route is taken away, the browser may forget what is asked for just then: one stays.
  await page.route("**/stays", (route) => route.fallback());
  // Whatever the policy forbids, and whatever breaks, is told here.
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // A refusal, an answer that is lost or never comes, and what is given up are said by the browser and by htmx; the page tells of them what people need.
    const isRefusal = /status of (4|503)|Status Error Code (4|503)|ERR_FAILED|^htmx:(afterRequest|sendAbort|sendError|timeout)/.test(message.text());
    if (message.type() === "error" && !isRefusal) complaints.push(message.text());
  });
  const strangers = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) strangers.push(request.url());
  });
  const titles = () => page.locator(".task .title").allTextContents();
  const count = async (name) => Number(await page.locator(`[data-count=${name}]`).textContent());
  const shows = async (...wanted) => {
    await page.waitForFunction((wanted) => JSON.stringify([...document.querySelectorAll(".task .title")].map((one) => one.textContent)) === JSON.stringify(wanted), wanted);
  };

  await page.goto(url);
  await page.getByPlaceholder("Your name").fill("Grace");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing here.").waitFor();

  // Create, also what looks like markup.
  const add = async (title, more = {}) => {
    await page.locator("#new-title").fill(title);
    if (more.priority) await page.locator("#new-priority").selectOption(more.priority);
    if (more.due) await page.locator("#new-due").fill(more.due);
    if (more.category) await page.locator("#new-category").fill(more.category);
    await page.locator("#new-title").focus();
    await page.keyboard.press("Enter");
    await page.locator(".task .title").getByText(title, { exact: true }).waitFor();
  };
  await add("Buy milk");
  await page.locator("#new-title").fill("<b>Bold</b> & Café");
  await page.locator("#quick-add .main").click();
  await shows("<b>Bold</b> & Café", "Buy milk");
  await add("Call the bank", { priority: "urgent", due: "2020-01-31" });
  assert.equal(await count("total"), 3);
  await page.getByText("overdue", { exact: true }).first().waitFor();

  // Complete, and reopen.
  await page.getByLabel("Complete Buy milk").click();
  await page.getByLabel("Reopen Buy milk").waitFor();
  assert.equal(await count("completed"), 1);
  await page.getByLabel("Reopen Buy milk").click();
  await page.getByLabel("Complete Buy milk").click();
  await page.getByLabel("Reopen Buy milk").waitFor();

  // A button does what it says, whatever others did since.
  const elsewhere = async (status) => page.evaluate(async (status) => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem("token")}`, "Content-Type": "application/json" };
    const { items } = await (await fetch("/api/v1/tasks/search?q=milk", { headers })).json();
    await fetch(`/api/v1/tasks/${items[0].task_id}`, { method: "PATCH", headers, body: JSON.stringify({ status }) });
  }, status);
  await elsewhere("pending");
  await page.getByLabel("Reopen Buy milk").click();
  await page.getByLabel("Complete Buy milk").waitFor();
  assert.equal(await count("completed"), 0);
  await page.getByLabel("Complete Buy milk").click();
  await page.getByLabel("Reopen Buy milk").waitFor();

  // What is added and hidden by the filter is told. What is looked for is there again after a reload.
  await page.locator("#status").selectOption("completed");
  await shows("Buy milk");
  await page.locator("#new-title").fill("Hidden");
  await page.keyboard.press("Enter");
  await page.locator("#list").getByText("Added “Hidden”").waitFor();
  // Those who do not see the list are told the same, and how much there is.
  await page.getByRole("status").getByText("Done. Added “Hidden”. It is not among the tasks you look at. 1 shown.").waitFor();
  await page.reload();
  await shows("Buy milk");
  await page.locator("#q").fill("hid");
  await page.getByText("Nothing here.").waitFor();
  await page.getByText("Show all").click();
  await page.getByLabel("Edit Hidden").click();
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByText("Delete", { exact: true }).click();
  // A task that is being edited shows no title: until it is gone the titles are those of the others.
  await page.locator(".editing").waitFor({ state: "detached" });
  await shows("Call the bank", "<b>Bold</b> & Café", "Buy milk");

  // Filter.
  await page.locator("#status").selectOption("completed");
  await shows("Buy milk");
  await page.locator("#status").selectOption("");
  await page.locator("#overdue").check();
  await shows("Call the bank");
  await page.locator("#overdue").uncheck();
  await page.locator("#sort").selectOption("priority");
  await shows("Call the bank");
  await page.locator("#sort").selectOption("created");
  await shows("Call the bank", "<b>Bold</b> & Café", "Buy milk");

  // An order that leaves tasks out says so, and shows them on request.
  await page.locator("#sort").selectOption("priority");
  await page.locator("[data-only-with] button").click();
  await shows("Call the bank", "<b>Bold</b> & Café", "Buy milk");
  assert.equal(await page.locator("#sort").inputValue(), "created");

  // A form whose answer is lost is sent again with its key, and done once.
  await page.route("**/page/tasks", async (route) => {
    await route.fetch();
    await route.fulfill({ status: 503, body: "lost" });
  }, { times: 1 });
  await page.locator("#new-title").fill("Only once");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("problem").textContent.includes("503"));
  await page.locator("#new-title").focus();
  await page.keyboard.press("Enter");
  await shows("Only once", "Call the bank", "<b>Bold</b> & Café", "Buy milk");
  await page.getByLabel("Edit Only once").click();
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByText("Delete", { exact: true }).click();
  await page.locator(".editing").waitFor({ state: "detached" });
  await shows("Call the bank", "<b>Bold</b> & Café", "Buy milk");

  // By category: written into the filter, and by the mark of a task; counts filter too.
  await add("Sweep the yard", { category: "home" });
  await page.locator("#category").fill("home");
  await page.locator("#category").press("Enter");
  await shows("Sweep the yard");
  await page.getByText("Show all").click();
  await shows("Sweep the yard", "Call the bank", "<b>Bold</b> & Café", "Buy milk");
  await page.getByLabel("Only home").click();
  await shows("Sweep the yard");
  await page.getByText("Show all").click();
  await page.locator(".counts [data-status=completed]").click();
  await shows("Buy milk");
  await page.locator(".counts [data-status='']").click();
  await shows("Sweep the yard", "Call the bank", "<b>Bold</b> & Café", "Buy milk");

  // Delete, after a question.
  await page.getByLabel("Edit Sweep the yard").click();
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByText("Delete", { exact: true }).click();
  await page.locator(".editing").waitFor({ state: "detached" });
  await shows("Call the bank", "<b>Bold</b> & Café", "Buy milk");

  // Search, without regard to accents.
  await page.locator("#q").fill("CAFE");
  await shows("<b>Bold</b> & Café");
  await page.locator("#q").fill("");
  await shows("Call the bank", "<b>Bold</b> & Café", "Buy milk");

  // Edit.
  await page.getByLabel("Edit Buy milk").click();
  await page.locator("[name=new_title]").fill("Buy oat milk");
  await page.locator("[name=new_description]").fill("two\nlitres");
  await page.getByText("Save").click();
  await shows("Call the bank", "<b>Bold</b> & Café", "Buy oat milk");

  // An edit of what somebody else has changed since is refused, and theirs is kept.
  await page.getByLabel("Edit Call the bank").click();
  const other = await context.newPage();
  await other.goto(url);
  await other.getByPlaceholder("Your name").fill("Grace");
  await other.keyboard.press("Enter");
  await other.getByLabel("Edit Call the bank").click();
  await other.locator("[name=new_title]").fill("Call both banks");
  await other.getByText("Save").click();
  await other.locator(".task .title").getByText("Call both banks").waitFor();
  await other.close();
  await page.locator("[name=new_title]").fill("Call no bank");
  await page.getByText("Save").click();
  await page.locator(".now").getByText("Call both banks").waitFor();
  page.once("dialog", (dialog) => dialog.accept());
  await page.locator("[name=new_title]").press("Escape");
  await shows("Call both banks", "<b>Bold</b> & Café", "Buy oat milk");
  // Who leaves a form is at its task.
  await page.waitForFunction(() => document.activeElement.querySelector(".title")?.textContent === "Call both banks");
  await page.getByLabel("Edit Call both banks").click();
  await page.locator("[name=new_title]").fill("Call the bank");
  await page.getByText("Save").click();
  await shows("Call the bank", "<b>Bold</b> & Café", "Buy oat milk");

  // What is refused is told, and nothing is lost.
  await page.locator("#new-title").fill("   ");
  await page.locator("#quick-add .main").click();
  await page.locator("#problem").getByText("title").waitFor();
  await page.locator("#new-title").fill("");

  // By keyboard alone: new, down the list, done.
  await page.locator("#new-title").blur();
  await page.keyboard.press("n");
  await page.keyboard.type("Typed");
  await page.keyboard.press("Enter");
  await shows("Typed", "Call the bank", "<b>Bold</b> & Café", "Buy oat milk");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByLabel("Reopen Typed").waitFor();
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "q");

  // Reload: all is still there, and so is the caller.
  await page.reload();
  await shows("Typed", "Call the bank", "<b>Bold</b> & Café", "Buy oat milk");
  assert.equal(await count("completed"), 2);
  await accessible(page, "list");

  // In the dark, and on a phone: nothing is wider than the screen.
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  assert.equal(wide, false, "the page is wider than a phone");
  const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
  const brightness = (color) => color.match(/[\d.]+/g).slice(0, 3).map(Number).reduce((sum, value) => sum + value, 0);
  assert.ok(brightness(paper) < brightness(ink), `${ink} on ${paper} is not dark`);
  await page.screenshot({ path: join(folder, "page-phone-dark.png"), fullPage: true });

  // A hundred tasks are two pages and no third. What is done on the second stays there, and there is a way back.
  await page.setViewportSize({ width: 900, height: 700 });
  await page.evaluate(async () => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem("token")}`, "Content-Type": "application/json" };
    for (let number = 0; number < 96; number += 1) {
      const body = JSON.stringify({ title: `Number ${number}` });
      await fetch("/api/v1/tasks", { method: "POST", headers, body });
    }
  });
  await page.reload();
  const first = () => page.locator(".task .title").first().textContent();
  const begins = (title) => page.waitForFunction((title) => document.querySelector(".task .title")?.textContent === title, title);
  await begins("Number 95");
  assert.equal(await page.locator(".task").count(), 50);
  assert.equal(await page.getByText("Previous page").count(), 0);
  await page.getByText("Next page").click();
  await begins("Number 45");
  assert.equal(await page.locator(".task").count(), 50);
  assert.equal(await page.getByText("Next page").count(), 0, "there is no third page");
  await page.getByLabel("Complete Number 45").click();
  await page.getByLabel("Reopen Number 45").waitFor();
  assert.equal(await first(), "Number 45", "ticking on the second page stays there");
  await page.getByText("Previous page").click();
  await begins("Number 95");
  await page.getByText("Next page").click();
  await begins("Number 45");
  // Another list begins at its beginning.
  await page.locator("#status").selectOption("completed");
  await page.getByText("Previous page").waitFor({ state: "detached" });
  await shows("Number 45", "Typed", "Buy oat milk");

  // Signed out, nothing is left on the screen.
  await page.getByText("Sign out").click();
  assert.deepEqual(await titles(), []);
  await page.reload();
  await page.getByPlaceholder("Your name").waitFor();

  await accessible(page, "sign-in");
  await beingWritten(page, { url, accessible, shows, add });
  await lateAnswers(page, { url, shows, add });
  await sessionEnds(page, { url, shows, add });
  await documentation(page, { url, folder });

  await insights(browser, { url, accessible, complaints });

  assert.deepEqual(found, []);
  assert.deepEqual(complaints, []);
  assert.deepEqual(strangers, []);
  console.log("   the page works in", browser.version());
} finally {
  await browser.close();
}
