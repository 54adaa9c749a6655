// The session ends while somebody writes: what was written is there again when they are.
import assert from "node:assert/strict";

export const sessionEnds = async (page, { url, add, shows }) => {
  const signIn = async (name) => {
    await page.getByPlaceholder("Your name").fill(name);
    await page.keyboard.press("Enter");
  };
  // As when its hour is over.
  const end = () => page.evaluate(() => sessionStorage.setItem("token", "x.y.z"));
  const ended = () => page.getByText("Please sign in again.").waitFor();
  // Two forms, as they were left.
  const row = (title) => page.locator(".task", { has: page.locator(`[name=new_title][value=${title}]`) });
  const field = (title, name) => row(title).locator(`[name=new_${name}]`);
  const written = async () => {
    await page.waitForFunction(() => [...document.querySelectorAll("[name=new_description]")].map((field) => field.value).sort().join() === "an hour of work,more");
    assert.equal(await field("first", "description").inputValue(), "an hour of work");
    assert.equal(await field("first", "status").inputValue(), "in_progress");
  };
  const save = (title) => row(title).getByText("Save").click();

  await page.goto(url);
  await signIn("Ends");
  await page.getByText("Nothing here.").waitFor();
  await add("first");
  await add("second");
  await page.getByLabel("Edit first").click();
  await field("first", "description").fill("an hour of work");
  await field("first", "status").selectOption("in_progress");
  await page.getByLabel("Edit second").click();
  await field("second", "description").fill("more");
  await page.locator("#new-title").fill("half a title");
  page.on("dialog", (dialog) => dialog.accept());
  await end();
  await save("first");
  await ended();
  assert.equal(await page.locator("#list").textContent(), "", "nothing is shown to nobody");
  assert.equal(await page.locator("#new-title").inputValue(), "");

  // Another who signs in there sees nothing of it; nor does it matter whether the page is loaded anew.
  await signIn("Somebody");
  await page.getByText("Nothing here.").waitFor();
  assert.equal(await page.locator("#new-title").inputValue(), "");
  assert.equal(await page.locator(".editing").count(), 0);
  await end();
  await page.locator("#status").selectOption("completed");
  await ended();
  await page.reload();

  // They themselves go on where they were, though the list does not have the task.
  await page.goto(`${url}/?status=completed`);
  await signIn("Ends");
  await written();
  assert.equal(await page.locator("#new-title").inputValue(), "half a title");
  // And once more, before it was saved.
  await end();
  await save("second");
  await ended();
  await signIn("Ends");
  await written();
  await save("first");
  await row("first").waitFor({ state: "detached" });
  assert.equal(await field("second", "description").inputValue(), "more", "the other is still written in");
  await field("second", "description").press("Escape");
  await row("second").waitFor({ state: "detached" });
  await page.locator("#status").selectOption("");
  await shows("second", "first");
  await page.locator(".more").getByText("an hour of work").waitFor();

  // What was saved, and what is left by who signs out, does not come back.
  await page.reload();
  await shows("second", "first");
  assert.equal(await page.locator(".editing").count(), 0);
  await page.getByLabel("Edit first").click();
  await field("first", "description").fill("not meant");
  await page.getByText("Sign out").click();
  await signIn("Ends");
  await shows("second", "first");
  assert.equal(await page.locator(".editing").count(), 0);
  await page.getByText("Sign out").click();
};
