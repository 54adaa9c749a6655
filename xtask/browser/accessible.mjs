// What axe-core finds on pages, in the light and in the dark, with a screenshot of each.
import { readFileSync } from "node:fs";
import { join } from "node:path";

// `require` finds the packages; screenshots go to `folder`, their names begin with `service`.
export const auditor = (require, folder, service) => {
  const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  const found = [];
  const accessible = async (page, name) => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // Evaluated by the browser's debugger, which the policy of the page does not concern.
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      for (const one of violations) {
        found.push(`${name}, ${colorScheme}: ${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(" | ")}`);
      }
      // Hiding the caret would leave inline styles in fields, which the policy forbids to be put into new ones.
      await page.screenshot({ path: join(folder, `${service}-${name}-${colorScheme}.png`), fullPage: true, caret: "initial" });
    }
  };
  return { accessible, found };
};
