// What was done: the address leads to the charts, also who has to sign in first; and they are gone with who signs out.
import assert from "node:assert/strict";

export const insights = async (browser, { url, accessible, complaints }) => {
  const context = await browser.newContext();
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${url}/insights`);
  assert.equal(page.url(), `${url}/#charts`);
  await page.getByPlaceholder("Your name").fill("Grace");
  await page.keyboard.press("Enter");
  // What was done comes into the lake within a minute.
  for (let times = 0; ; times += 1) {
    await page.locator("#charts .note").last().waitFor();
    const days = await page.locator("#charts svg title").allTextContents();
    // Of two days, around midnight.
    if (/[1-9]\d* created/.test(days.join()) && /[1-9]\d* completed/.test(days.join())) break;
    assert.ok(times < 100, `not all has come into the lake: ${days}`);
    await page.waitForTimeout(1000);
    await page.goto("about:blank");
    await page.goto(`${url}/insights`);
  }
  await accessible(page, "insights");
  await page.getByText("Sign out").click();
  await page.getByPlaceholder("Your name").waitFor();
  assert.equal(await page.locator("#charts").textContent(), "");
  await context.close();
};
