// The session ends while somebody writes on the page of the task manager: what was written is there again when they are.
import assert from "node:assert/strict";

export const sessionEnds = async ({ signIn, shows, board }) => {
  const page = await signIn("Ends", "Admins");
  const signInAgain = async (name, group = "Admins") => {
    await page.getByPlaceholder("Your name").fill(name);
    await page.locator("#group").selectOption(group);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  // As when its hour is over.
  const end = () => page.evaluate(() => sessionStorage.setItem("token", "x.y.z"));
  const ended = () => page.getByText("Please sign in again.").waitFor();
  const title = page.locator("#new-title");
  const field = (name) => page.locator(`form.edit [name=${name}]`);
  const save = () => page.getByRole("button", { name: "Save" }).click();

  await title.fill("A task of hours");
  await page.keyboard.press("Enter");
  await page.locator(".item .title", { hasText: "A task of hours" }).waitFor();
  await title.fill("half a title");
  await page.locator("#new-priority").selectOption("HIGH");
  await page.locator(".item .title", { hasText: "A task of hours" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await field("description").fill("an hour of work");
  await field("priority").selectOption("LOW");
  const address = page.url();
  await end();
  await save();
  await ended();
  assert.equal(await page.locator("#app").textContent(), "", "nothing is shown to nobody");

  // Another who signs in there sees nothing of it, nor where it was; nor does it matter whether the page is loaded anew.
  await signInAgain("Somebody");
  await page.locator(".detail").waitFor();
  assert.equal(await page.locator("form.edit").count(), 0);
  await board(page);
  assert.equal(await title.inputValue(), "");
  await end();
  await page.getByRole("link", { name: "People" }).click();
  await ended();
  await page.reload();

  // They themselves go on where they were.
  await signInAgain("Ends");
  await page.waitForFunction(() => document.querySelector("form.edit [name=description]")?.value === "an hour of work");
  assert.equal(page.url(), address);
  assert.equal(await field("priority").inputValue(), "LOW");
  // And once more, before it was saved.
  await end();
  await save();
  await ended();
  await signInAgain("Ends");
  await page.waitForFunction(() => document.querySelector("form.edit [name=description]")?.value === "an hour of work");
  await save();
  await page.locator(".description").getByText("an hour of work").waitFor();
  await board(page);
  assert.equal(await title.inputValue(), "half a title");
  assert.equal(await page.locator("#new-priority").inputValue(), "HIGH");

  // What was saved, and what is left by who signs out, does not come back; nor does anybody wait for what never came before.
  const never = () => {};
  await page.route("**/page/board", never);
  const wanted = page.waitForRequest("**/page/board");
  await page.getByRole("link", { name: "Board" }).click();
  await wanted;
  await page.getByText("Sign out").click();
  await page.unroute("**/page/board", never);
  await signInAgain("Ends");
  await page.locator(".board").waitFor();
  assert.equal(await title.inputValue(), "");
  await page.goto(address);
  await page.locator(".detail").waitFor();
  assert.equal(await page.locator("form.edit").count(), 0);
  // Who may not edit any more is shown what they may see.
  await page.getByRole("button", { name: "Edit" }).click();
  await field("description").fill("not mine any more");
  await end();
  await save();
  await ended();
  await signInAgain("Ends", "Members");
  await page.locator("#problem").getByText("not assigned").waitFor();
  assert.equal(await page.locator("form.edit").count(), 0);
  await page.context().close();
};
