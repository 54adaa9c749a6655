// Parses every Mermaid block of the documents it is given, and says what is wrong with those that cannot be parsed.
import fs from "node:fs";
import { JSDOM } from "jsdom";

// Mermaid cleans the text of labels, for which it wants a document.
const { window } = new JSDOM("<body></body>");
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import("mermaid");

let parsed = 0;
let refused = 0;
for (const file of process.argv.slice(2)) {
  const text = fs.readFileSync(file, "utf8");
  for (const [, diagram] of text.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)) {
    try {
      await mermaid.parse(diagram);
      parsed += 1;
    } catch (error) {
      refused += 1;
      console.error(`${file}: ${error.message}\n${diagram}`);
    }
  }
}
console.log(`${parsed} diagrams parsed`);
process.exit(parsed > 0 && refused === 0 ? 0 : 1);
