import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface AxeResults {
  violations: {
    id: string;
    impact: string | null;
    help: string;
    nodes: { target: unknown[]; failureSummary?: string }[];
  }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2 A and AA, and axe's own good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe-core calls serious or critical on the page as it stands; a test expects none. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // The page's own policy stays in force: this comes through the debugger, not as a script of the page.
  await page.evaluate(axe);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] })`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary ?? ''}`,
      ),
    );
}
