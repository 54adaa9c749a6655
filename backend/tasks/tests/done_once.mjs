// C1-4: whatever is done on the page of the task manager is done once, when its answer is lost and it is sent again.
import assert from "node:assert/strict";

export const doneOnce = async ({ url, signIn, board, told }) => {
  const page = await signIn("Once", "Admins");
  await (await signIn("Worker", "Members")).context().close();
  const keys = [];
  page.on("request", (request) => {
    if (request.method() !== "GET" && request.url().includes("/page/")) keys.push(request.headers()["idempotency-key"]);
  });
  // Whatever is pressed first is done, and nobody hears of it. What it is answered again, it was answered before.
  const pressedTwice = async (button, path, then) => {
    const statuses = [];
    const hears = (response) => { if (response.request().method() !== "GET") statuses.push(response.status()); };
    await page.route(path, async (route) => {
      if (route.request().method() === "GET") return route.continue();
      statuses.push((await route.fetch()).status());
      await route.abort();
    }, { times: 1 });
    await button.click();
    await told(page, "The service cannot be reached. Try again: what was done already is not done twice.");
    page.on("response", hears);
    await button.click();
    await then();
    page.off("response", hears);
    assert.deepEqual(statuses, [200, 200], path);
    const [before, after] = keys.splice(0);
    assert.ok(before && before === after, `${path}: one key, not ${before} and ${after}`);
  };
  const status = (text) => () => page.locator(".status").getByText(text).waitFor();
  const button = (name) => page.getByRole("button", { name, exact: true });

  await page.locator("#new-title").fill("By its buttons");
  await pressedTwice(page.locator("#quick-add .main"), "**/page/tasks", () => page.locator(".item .title", { hasText: "By its buttons" }).waitFor());
  assert.equal(await page.locator(".item .title", { hasText: "By its buttons" }).count(), 1);
  assert.equal(await page.locator("#new-title").inputValue(), "");
  const inColumn = (status) => () => page.locator(`.column[data-status=${status}] .title`, { hasText: "By its buttons" }).waitFor();
  await pressedTwice(page.getByLabel("Start By its buttons"), "**/status", inColumn("IN_PROGRESS"));
  await page.locator(".item .title", { hasText: "By its buttons" }).click();
  await page.locator(".detail").waitFor();
  await page.locator("#assignee").fill("worker");
  await pressedTwice(page.getByLabel("Assign Worker"), "**/assign", () => page.getByLabel("Unassign Worker").waitFor());
  await pressedTwice(page.getByLabel("Unassign Worker"), "**/assignments/*", () => page.getByText("Nobody yet.").waitFor());
  await button("Edit").click();
  await page.locator("form.edit [name=description]").fill("written once");
  await pressedTwice(button("Save"), "**/page/tasks/*", () => page.locator(".description").getByText("written once").waitFor());
  await pressedTwice(button("Complete"), "**/status", status("Completed"));
  await pressedTwice(button("Close"), "**/close", status("Closed"));
  // By the same button the same is meant anew, once it was answered.
  await button("Reopen").click();
  await status("Open")();
  await button("Close").click();
  await status("Closed")();
  keys.splice(0);
  await pressedTwice(button("Delete"), "**/page/tasks/*", () => page.locator(".board").waitFor());
  assert.equal(new URL(page.url()).pathname, "/");
  assert.equal(await page.locator(".item .title", { hasText: "By its buttons" }).count(), 0);

  // A service that never answers is told like one that cannot be reached, in the time a page has.
  await page.locator("#new-title").fill("Late");
  const timeout = await page.evaluate(() => {
    const { timeout } = htmx.config;
    htmx.config.timeout = 300;
    return timeout;
  });
  assert.ok(timeout > 30_000, "a service may take half a minute");
  await page.route("**/page/tasks", async (route) => { await route.fetch(); }, { times: 1 });
  await page.locator("#quick-add .main").click();
  await told(page, "The service does not answer. Try again: what was done already is not done twice.");
  await page.evaluate((timeout) => { htmx.config.timeout = timeout; }, timeout);
  await page.locator("#quick-add .main").click();
  await page.locator(".item .title", { hasText: "Late" }).waitFor();
  assert.equal(await page.locator(".item .title", { hasText: "Late" }).count(), 1);
  keys.splice(0);

  // People. Whom one looks for meanwhile is no part of what is done.
  await page.goto(`${url}/people`);
  const who = page.locator("#who");
  await who.fill("worker");
  await page.keyboard.press("Enter");
  const row = page.locator("#user-Worker");
  await page.waitForFunction(() => document.querySelectorAll(".people tbody tr").length === 1);
  await pressedTwice(page.getByLabel("Deactivate worker@example.org"), "**/status", () => row.getByText("DEACTIVATED").waitFor());
  const freed = page.getByLabel("Free the address worker@example.org");
  page.once("requestfailed", () => who.fill("work"));
  await pressedTwice(freed, "**/email", () => row.getByText("@released.invalid").waitFor());
  await pressedTwice(row.getByRole("button", { name: "Activate" }), "**/status", () => row.getByText("ACTIVE", { exact: true }).waitFor());
  // Who is at a button is there again, or at what it belongs to.
  assert.equal(await page.evaluate(() => document.activeElement.closest("tr")?.id), "user-Worker");
  await board(page);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Board");
  assert.equal(await page.title(), "Board · Task management");
  await page.context().close();
};
