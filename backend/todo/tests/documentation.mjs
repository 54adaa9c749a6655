// /docs: whoever has a token presses TRY, and every route does what it says, with what stands there.
import assert from "node:assert/strict";
import { join } from "node:path";

export const documentation = async (page, { url, folder }) => {
  const token = await (await fetch(`${url}/page/token`, { method: "POST", body: new URLSearchParams({ name: "tries" }) })).text();
  await page.goto(`${url}/docs`);
  const field = page.locator("input[placeholder='api-token']");
  await field.fill(token);
  await page.getByRole("button", { name: "SET" }).click();
  const tried = async (route, id) => {
    const [method, path] = route.split(" ");
    const part = page.locator(`[id="${method.toLowerCase()}-/api/v1${path.replace(/[{}]/g, "-")}"]`);
    if (id) await part.locator("input[data-pname=task_id]").fill(id);
    const answer = page.waitForResponse((response) => response.url().includes("/api/v1/") && response.request().method() === method);
    const [response] = await Promise.all([answer, part.getByRole("button", { name: "TRY", exact: true }).click()]);
    assert.ok(response.status() < 300, `${route}: ${response.status()} ${await response.text().catch(() => "")}`);
    return response;
  };
  await tried("PUT /users/me");
  await tried("GET /users/me");
  const made = await (await tried("POST /tasks")).json();
  assert.equal(made.title, "Read the guide");
  const one = "/tasks/{task_id}";
  for (const method of ["GET", "PUT", "PATCH"]) {
    const told = await (await tried(`${method} ${one}`, made.task_id)).json();
    assert.equal(told.task_id, made.task_id);
  }
  // What was written is among what is listed: no example narrows it.
  for (const list of ["GET /tasks", "GET /tasks/search"]) {
    const { items } = await (await tried(list)).json();
    assert.deepEqual(items.map((task) => task.task_id), [made.task_id], list);
  }
  const changed = await (await tried("POST /tasks/bulk/status")).json();
  assert.equal(changed.changed, 1);
  await tried("GET /stats/tasks");
  await page.screenshot({ path: join(folder, "docs.png") });
  await tried("DELETE /tasks/{task_id}", made.task_id);
  await tried("POST /tasks/bulk/delete-completed");
  await tried("DELETE /users/me");
};
