// Writes src/schema.ts, the types of what agents send and read, from the description of a service that runs:
//
//     node generate.mjs http://127.0.0.1:8083            writes it
//     node generate.mjs http://127.0.0.1:8083 --check    says whether it is up to date
import { readFile, writeFile } from "node:fs/promises";
import openapiTypescript, { astToString } from "openapi-typescript";

const [address, mode] = process.argv.slice(2);
if (address === undefined || (mode !== undefined && mode !== "--check")) {
  console.error("node generate.mjs ADDRESS [--check]");
  process.exit(2);
}

/** What of a description is for agents: their routes, and what these mention. */
function forAgents(description) {
  const paths = Object.fromEntries(Object.entries(description.paths).filter(([path]) => path.startsWith("/agent/")));
  const schemas = {};
  const mention = (part) => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (!(name in schemas)) {
        schemas[name] = description.components.schemas[name];
        mention(schemas[name]);
      }
    }
  };
  mention(paths);
  const inOrder = Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
  return { openapi: description.openapi, info: description.info, paths, components: { schemas: inOrder } };
}

const response = await fetch(`${address}/openapi.json`);
if (!response.ok) {
  throw new Error(`${address}/openapi.json is answered with ${response.status}`);
}
// What has a default may be left out of a question.
const types = await openapiTypescript(forAgents(await response.json()), { defaultNonNullable: false, alphabetize: true });
const wanted = `// Generated from the description of the service by \`npm run generate -- ADDRESS\`. Not edited by hand.\n\n${astToString(types)}`;

const file = new URL("src/schema.ts", import.meta.url);
if (mode === undefined) {
  await writeFile(file, wanted);
} else if ((await readFile(file, "utf8").catch(() => "")) !== wanted) {
  console.error("clients/typescript/src/schema.ts is not what the service says of itself: run `cargo xtask ask --bless`");
  process.exit(1);
}
