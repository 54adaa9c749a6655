// What is being written on the page of the task manager is not lost, whatever is answered meanwhile and whatever else is done; what somebody else changed is shown beside it.
import assert from "node:assert/strict";
import { join } from "node:path";

export const beingWritten = async ({ url, folder, accessible, signIn, shows, board, told }) => {
  const page = await signIn("Writes", "Admins");
  await signIn("Helper", "Members");
  // What is asked, and how it is answered.
  const asked = [];
  let answer = false;
  page.removeAllListeners("dialog");
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    return answer ? dialog.accept() : dialog.dismiss();
  });
  const wasAsked = (...types) => assert.deepEqual(asked.splice(0), types);
  const api = (method, path, body) => page.evaluate(async ([method, path, body]) => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem("token")}`, "Content-Type": "application/json" };
    const reply = await fetch(`/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }, [method, path, body]);
  const make = async (title) => (await api("POST", "/tasks", { title })).taskId;
  const read = (id) => api("GET", `/tasks/${id}`);
  const title = page.locator("#new-title");
  const description = page.locator("form.edit [name=description]");
  const open = async (id) => {
    await page.goto(`${url}/tasks/${id}`);
    await page.locator(".detail").waitFor();
  };
  const edit = async (text) => {
    await page.getByRole("button", { name: "Edit" }).click();
    await description.fill(text);
  };
  // The service has done it, and its answer waits until `meanwhile` is over.
  const late = async (path, send, meanwhile) => {
    let letGo;
    const held = new Promise((resolve) => { letGo = resolve; });
    let arrived;
    const isHeld = new Promise((resolve) => { arrived = resolve; });
    await page.route(path, async (route) => {
      if (route.request().method() === "GET") return route.continue();
      const response = await route.fetch();
      arrived();
      await held;
      await route.fulfill({ response });
    });
    await send();
    await isHeld;
    await meanwhile();
    const answered = page.waitForResponse(path);
    letGo();
    await (await answered).finished();
    await page.unroute(path);
  };
  // Hiding the caret would leave inline styles in fields, which the policy forbids to be put into new ones.
  const screenshot = (name) => page.screenshot({ path: join(folder, `tasks-${name}.png`), fullPage: true, caret: "initial" });
  const place = () => page.evaluate(() => [document.activeElement.name, document.activeElement.selectionStart]);

  const first = await make("first");
  await make("second");
  await board(page);
  const card = (name) => page.locator(".item", { has: page.locator(".title", { hasText: name }) });
  const hasMoved = (status, name) => page.locator(`.column[data-status=${status}] .title`, { hasText: name }).waitFor();

  // What is to be added stays while other things are done on the board, with the place where one writes; also when one looks elsewhere.
  await title.fill("half a title");
  await card("second").getByRole("button", { name: "Start" }).click();
  await hasMoved("IN_PROGRESS", "second");
  assert.equal(await title.inputValue(), "half a title");
  await late("**/status", () => card("second").getByRole("button", { name: "Complete" }).click(), async () => {
    await title.focus();
    await page.keyboard.press("Home");
  });
  await hasMoved("COMPLETED", "second");
  assert.deepEqual(await place(), ["title", 0]);
  assert.equal(await title.inputValue(), "half a title");
  await page.locator(".item .title", { hasText: "first" }).click();
  await page.locator(".detail").waitFor();
  await board(page);
  assert.equal(await title.inputValue(), "half a title");
  wasAsked();
  // Signing out asks; so does loading the page again.
  await page.getByText("Sign out").click();
  wasAsked("confirm");
  // An answer to what was added leaves the next alone, which is written meanwhile.
  await late("**/page/tasks", () => title.press("Enter"), () => title.fill("the next"));
  await hasMoved("OPEN", "half a title");
  assert.equal(await title.inputValue(), "the next");
  await title.fill("");

  // An answer that comes when one is elsewhere does not lead back.
  await late("**/status", () => card("half a title").getByRole("button", { name: "Start" }).click(), async () => {
    await page.locator(".item .title", { hasText: "first" }).click();
    await page.locator(".detail").waitFor();
  });
  await page.locator(".detail").waitFor();
  assert.equal(await page.locator(".board").count(), 0);
  assert.equal(new URL(page.url()).pathname, `/tasks/${first}`);

  // What was to be read and never comes keeps nobody from going elsewhere.
  const never = () => {};
  await page.route("**/page/board", never);
  const wanted = page.waitForRequest("**/page/board");
  await page.getByRole("link", { name: "Board" }).click();
  await wanted;
  assert.equal(await page.locator(".detail").count(), 1);
  await page.getByRole("link", { name: "People" }).click();
  await page.locator(".people").waitFor();
  await page.unroute("**/page/board", never);
  await board(page);
  await page.locator(".item .title", { hasText: "first" }).click();
  await page.locator(".detail").waitFor();

  // A task that is edited stays so while somebody is assigned to it.
  await late("**/assign", () => page.getByLabel("Assign Helper").click(), async () => {
    await edit("an hour of work");
    await page.keyboard.press("ArrowLeft");
  });
  await page.getByLabel("Unassign Helper").waitFor();
  assert.equal(await description.inputValue(), "an hour of work");
  assert.deepEqual(await place(), ["description", 14]);
  await page.getByLabel("Unassign Helper").click();
  await page.getByText("Nobody yet.").waitFor();
  assert.equal(await description.inputValue(), "an hour of work");
  wasAsked();

  // Leaving it needs a question: by Escape, by Cancel, by going elsewhere or back, by signing out, by loading the page again.
  await description.press("Escape");
  wasAsked("confirm");
  await page.getByText("Cancel", { exact: true }).click();
  wasAsked("confirm");
  await page.getByRole("link", { name: "Board" }).click();
  wasAsked("confirm");
  await page.getByText("Sign out").click();
  wasAsked("confirm");
  await page.goBack();
  while (asked.length === 0) await page.waitForTimeout(20);
  wasAsked("confirm");
  await page.waitForURL(`**/tasks/${first}`);
  const reloads = page.evaluate(() => location.reload()).catch(() => {});
  while (asked.length === 0) await page.waitForTimeout(20);
  wasAsked("beforeunload");
  await reloads;
  assert.equal(await description.inputValue(), "an hour of work");
  answer = true;
  await description.press("Escape");
  await page.locator(".detail").waitFor();
  wasAsked("confirm");
  answer = false;
  assert.equal((await read(first)).description ?? null, null);
  // Where nothing was written nothing is asked.
  await page.getByRole("button", { name: "Edit" }).click();
  await page.locator("form.edit [name=title]").press("Escape");
  await page.locator(".detail").waitFor();
  wasAsked();

  // What somebody else has changed is shown beside what was written. One may write over it, or leave it.
  const save = page.getByText("Save", { exact: true });
  const over = page.getByText("Save what I wrote over it");
  const now = page.locator(".now");
  await edit("mine");
  await api("PUT", `/tasks/${first}`, { description: "theirs", priority: "HIGH" });
  await save.click();
  await now.getByText("It was changed since you opened it").waitFor();
  await now.getByText("theirs").waitFor();
  await now.getByText("high").waitFor();
  assert.equal(await description.inputValue(), "mine");
  assert.equal(await save.isVisible(), false, "there is one way to save");
  await accessible(page, "changed-since");
  // And again, when it has changed once more since that was shown.
  await api("PUT", `/tasks/${first}`, { description: "theirs again" });
  await over.click();
  await now.getByText("theirs again").waitFor();
  assert.equal((await read(first)).description, "theirs again");
  await over.click();
  await page.locator(".description").getByText("mine").waitFor();
  assert.equal((await read(first)).description, "mine");
  // What is closed meanwhile is reopened there, and saved then.
  await edit("after the end");
  await api("POST", `/tasks/${first}/close`);
  await save.click();
  await now.getByText("What is closed cannot be changed").waitFor();
  assert.equal(await over.count(), 0);
  for (const [name, colorScheme, width] of [["phone-dark", "dark", 360], ["phone", "light", 360]]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 740 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), "the page is wider than a phone");
    await screenshot(`closed-since-${name}`);
  }
  await page.setViewportSize({ width: 1100, height: 760 });
  await now.getByText("Reopen it", { exact: true }).click();
  await over.click();
  await page.locator(".description").getByText("after the end").waitFor();
  assert.equal((await read(first)).status, "OPEN");
  // What is deleted meanwhile is told, and what was written is still there.
  await edit("too late");
  await api("DELETE", `/tasks/${first}`);
  await save.click();
  await told(page, "copy what you wrote");
  assert.equal(await description.inputValue(), "too late");
  answer = true;
  wasAsked();
  await board(page);
  wasAsked("confirm");
  await shows(page, "COMPLETED", "second");
  await page.context().close();
};
