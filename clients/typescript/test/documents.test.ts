/** What documents show is what was run. */
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

const here = new URL("../../", import.meta.url);

/** The blocks of a page in TypeScript. */
async function blocks(page: string): Promise<string[]> {
  const text = await readFile(new URL(page, here), "utf8");
  return [...text.matchAll(/```ts\n([^]*?)```/g)].map(([, block]) => block ?? "");
}

test("the examples are in the read-me, each as it is run", async () => {
  const shown = await blocks("README.md");
  const files = (await readdir(new URL("examples/", here))).sort();
  const run = await Promise.all(files.map((file) => readFile(new URL(`examples/${file}`, here), "utf8")));
  assert.equal(run.length, 3);
  assert.deepEqual(shown.toSorted(), run.toSorted());
});

test("what the page of the service shows is one of them", async () => {
  const [shown, ...more] = await blocks("../../docs/ask.md");
  assert.deepEqual(more, []);
  assert.equal(shown, await readFile(new URL("examples/wait_with_a_timeout.ts", here), "utf8"));
});
