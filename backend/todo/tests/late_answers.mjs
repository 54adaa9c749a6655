// What is answered late: the list is what the filters say, and has all that was done.
import assert from "node:assert/strict";

export const lateAnswers = async (page, { url, shows, add }) => {
  await page.goto(url);
  await page.getByPlaceholder("Your name").fill("Late");
  await page.keyboard.press("Enter");
  await page.getByText("Nothing here.").waitFor();
  for (const title of ["one", "two", "three", "four"]) await add(title);
  await page.getByLabel("Complete one").click();
  await page.getByLabel("Reopen one").waitFor();

  // The service has done it; its answers wait until they are let go.
  let held = [];
  let isHolding = true;
  await page.route("**/tick*", async (route) => {
    const response = await route.fetch();
    const answer = () => route.fulfill({ response });
    if (isHolding) held.push(answer);
    else await answer();
  });
  const heldBack = async (many) => {
    while (held.length < many) await page.waitForTimeout(20);
  };
  // Whatever has arrived is shown by then.
  const settled = () => page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
  const letGo = async () => {
    const lists = page.waitForResponse((response) => response.url().includes("/page/tasks?"));
    await Promise.all(held.map((answer) => answer()));
    held = [];
    await (await lists).finished();
    await settled();
  };

  // Another filter is chosen before a tick is answered.
  await page.getByLabel("Complete two").click();
  await heldBack(1);
  await page.locator("#status").selectOption("pending");
  await shows("four", "three");
  await letGo();
  await shows("four", "three");
  assert.equal(await page.locator("#status").inputValue(), "pending");
  assert.equal(new URL(page.url()).search, "?status=pending");

  // Two are ticked, and the first answer comes last: it knows nothing of the second.
  await page.locator("#status").selectOption("");
  await shows("four", "three", "two", "one");
  await page.getByLabel("Complete three").click();
  await heldBack(1);
  isHolding = false;
  await page.getByLabel("Complete four").click();
  await page.getByLabel("Reopen four").waitFor();
  await letGo();
  await page.getByLabel("Reopen three").waitFor();
  await page.getByLabel("Reopen four").waitFor();

  // The list is written anew before the form of a task has come: it is a form in the new list.
  let letFormGo;
  const formIsHeld = new Promise((resolve) => { letFormGo = resolve; });
  await page.route("**/edit*", async (route) => {
    const response = await route.fetch();
    await formIsHeld;
    await route.fulfill({ response });
  }, { times: 1 });
  const isAsked = page.waitForRequest("**/edit*");
  await page.getByLabel("Edit two").click();
  await isAsked;
  await page.getByLabel("Reopen three").click();
  await page.getByLabel("Complete three").waitFor();
  letFormGo();
  await page.locator("[name=new_title][value=two]").press("Escape");
  await page.getByLabel("Edit two").waitFor();

  // Who signs out meanwhile is shown nothing.
  isHolding = true;
  await page.getByLabel("Reopen one").click();
  await heldBack(1);
  await page.getByText("Sign out").click();
  const answered = page.waitForEvent("requestfinished");
  await held[0]();
  await answered;
  await settled();
  assert.equal(await page.locator("#list").textContent(), "");
  await page.unroute("**/tick*");
};
