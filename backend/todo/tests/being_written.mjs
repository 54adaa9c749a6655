// What is being written is not lost, whatever is answered meanwhile and whatever else is done; and what is sent again is done once.
import assert from "node:assert/strict";

export const beingWritten = async (page, { url, accessible, shows, add }) => {
  // What is asked, and how it is answered.
  const asked = [];
  let answer = false;
  const onDialog = (dialog) => {
    asked.push(dialog.type());
    return answer ? dialog.accept() : dialog.dismiss();
  };
  page.on("dialog", onDialog);
  const wasAsked = (...types) => assert.deepEqual(asked.splice(0), types);
  const api = (method, path, body) => page.evaluate(async ([method, path, body]) => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem("token")}`, "Content-Type": "application/json" };
    const reply = await fetch(`/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
    return reply.json();
  }, [method, path, body]);
  const one = async (title) => (await api("GET", `/tasks/search?q=${title}`)).items.find((task) => task.title === title);
  const row = (title) => page.locator(".task", { has: page.locator(`[name=new_title][value="${title}"]`) });
  const description = (title) => row(title).locator("[name=new_description]");
  const edit = async (title, text) => {
    await page.getByLabel(`Edit ${title}`).click();
    await description(title).fill(text);
  };
  const problem = (text) => page.locator("#problem").getByText(text).waitFor();

  await page.goto(url);
  await page.getByPlaceholder("Your name").fill("Writes");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing here.").waitFor();
  await add("other");

  // S0-38: whoever gets no answer looks around before sending it again. It is the same form, and is done once.
  const between = {
    nothing: async () => {},
    order: async () => {
      await page.locator("#sort").selectOption("priority");
      await page.locator("[data-only-with]").waitFor();
    },
    tick: async () => {
      await page.getByLabel("Complete other").click();
      await page.getByLabel("Reopen other").waitFor();
    },
  };
  for (const [title, look] of Object.entries(between)) {
    await page.route("**/page/tasks", async (route) => {
      await route.fetch();
      await route.abort();
    }, { times: 1 });
    await page.locator("#new-title").fill(title);
    await page.keyboard.press("Enter");
    await problem("The service cannot be reached.");
    await look();
    await page.locator("#new-title").focus();
    await page.keyboard.press("Enter");
    // The form is emptied once it is answered.
    await page.waitForFunction(() => !document.getElementById("new-title").value);
    assert.equal((await api("GET", `/tasks/search?q=${title}`)).items.length, 1, title);
    await page.locator("#sort").selectOption("created");
    await page.locator(".task .title").getByText(title, { exact: true }).waitFor();
  }
  // By the same words another is meant, once it was answered.
  await add("nothing");
  await page.waitForFunction(() => document.querySelectorAll(".task").length === 5);
  await page.locator("#q").fill("other");
  await shows("other");
  await page.locator("#q").fill("");
  await shows("nothing", "tick", "order", "nothing", "other");

  // Answers that come late, to a tick and to what was added, leave alone what is written meanwhile: the form, the place in it, and the next that is to be added.
  const late = async (path, isLate, send, meanwhile) => {
    let letGo;
    const held = new Promise((resolve) => { letGo = resolve; });
    let arrived;
    const isHeld = new Promise((resolve) => { arrived = resolve; });
    await page.route(path, async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      const response = await route.fetch();
      arrived();
      await held;
      await route.fulfill({ response });
    });
    await send();
    await isHeld;
    await meanwhile();
    letGo();
    await isLate();
    await page.unroute(path);
  };
  const place = () => page.evaluate(() => [document.activeElement.name, document.activeElement.selectionStart]);
  await late("**/tick*", () => page.getByLabel("Complete other").waitFor(), () => page.getByLabel("Reopen other").click(), async () => {
    await edit("order", "an hour of work");
    await page.keyboard.press("ArrowLeft");
  });
  assert.equal(await description("order").inputValue(), "an hour of work");
  assert.deepEqual(await place(), ["new_description", 14]);
  await late("**/page/tasks", () => page.locator(".task .title").getByText("late", { exact: true }).waitFor(), async () => {
    await page.locator("#new-title").fill("late");
    await page.keyboard.press("Enter");
  }, () => page.locator("#new-title").fill("the next"));
  assert.equal(await page.locator("#new-title").inputValue(), "the next");
  assert.equal(await description("order").inputValue(), "an hour of work");
  await page.locator("#new-title").fill("");
  wasAsked();

  // Filters show what they say, and the form stays: in its place, or above the others.
  await page.locator("#status").selectOption("completed");
  await page.waitForFunction(() => document.querySelectorAll(".task .title").length === 0);
  assert.equal(await description("order").inputValue(), "an hour of work");
  assert.equal(new URL(page.url()).search, "?status=completed");
  await page.locator("#status").selectOption("");
  await shows("late", "nothing", "tick", "nothing", "other");
  assert.equal(await page.locator(".task").nth(3).locator("form.edit").count(), 1, "it is where its task is");
  assert.equal(await page.locator("form.edit").count(), 1);
  // So does one while another is saved; a form in which nothing was written goes.
  await edit("tick", "soon saved");
  await page.getByLabel("Edit late").click();
  await description("late").waitFor();
  await row("tick").getByText("Save").click();
  await shows("late", "nothing", "tick", "nothing", "other");
  assert.equal((await one("tick")).description, "soon saved");
  assert.equal(await description("order").inputValue(), "an hour of work");
  wasAsked();

  // Leaving it needs a question: by Escape, by Cancel, by signing out, by loading the page again.
  await description("order").press("Escape");
  wasAsked("confirm");
  await row("order").getByText("Cancel", { exact: true }).click();
  wasAsked("confirm");
  await page.getByText("Sign out").click();
  wasAsked("confirm");
  const reloads = page.evaluate(() => location.reload()).catch(() => {});
  while (asked.length === 0) await page.waitForTimeout(20);
  wasAsked("beforeunload");
  await reloads;
  assert.equal(await description("order").inputValue(), "an hour of work");
  // So does what is to be added.
  answer = true;
  await description("order").press("Escape");
  await shows("late", "nothing", "tick", "order", "nothing", "other");
  wasAsked("confirm");
  assert.equal((await one("order")).description, null);
  answer = false;
  await page.locator("#new-title").fill("half a title");
  await page.getByText("Sign out").click();
  wasAsked("confirm");
  await page.locator("#new-title").fill("");
  // Where nothing was written nothing is asked.
  await page.getByLabel("Edit order").click();
  await row("order").locator("[name=new_title]").press("Escape");
  await shows("late", "nothing", "tick", "order", "nothing", "other");
  wasAsked();

  // A save whose answer is lost is sent again as it was: nobody else changed it.
  await edit("order", "sent twice");
  await page.route("**/page/tasks/*", async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  await row("order").getByText("Save").click();
  await problem("The service cannot be reached.");
  await page.getByLabel("Complete other").click();
  await page.getByLabel("Reopen other").waitFor();
  await row("order").getByText("Save").click();
  await shows("late", "nothing", "tick", "order", "nothing", "other");
  assert.equal((await one("order")).description, "sent twice");

  // What somebody else has changed is shown in the form. One may write over it, or leave it.
  const { task_id } = await one("order");
  await edit("order", "mine");
  await api("PATCH", `/tasks/${task_id}`, { description: "theirs", priority: "high" });
  await row("order").getByText("Save", { exact: true }).click();
  const now = row("order").locator(".now");
  await now.getByText("It was changed since you opened it").waitFor();
  await now.getByText("theirs").waitFor();
  await now.getByText("high").waitFor();
  assert.equal(await description("order").inputValue(), "mine");
  await row("order").scrollIntoViewIfNeeded();
  await accessible(page, "changed-since");
  assert.equal((await one("order")).description, "theirs");
  // And again, when it has changed once more since that was shown.
  await api("PATCH", `/tasks/${task_id}`, { description: "theirs again" });
  await now.getByText("Save what I wrote over it").click();
  await now.getByText("theirs again").waitFor();
  assert.equal((await one("order")).description, "theirs again");
  await now.getByText("Save what I wrote over it").click();
  await shows("late", "nothing", "tick", "order", "nothing", "other");
  assert.equal((await one("order")).description, "mine");
  wasAsked();

  // The first line of a text may be empty, and stays so.
  await api("PATCH", `/tasks/${task_id}`, { description: "\n\nbelow" });
  await page.getByLabel("Edit order").click();
  await row("order").locator("[name=new_category]").fill("text");
  await row("order").getByText("Save").click();
  await page.getByLabel("Only text").waitFor();
  assert.equal((await one("order")).description, "\n\nbelow");
  await page.getByText("Sign out").click();
  wasAsked();
  page.off("dialog", onDialog);
};
