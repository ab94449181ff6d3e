/** The coverage page and the list of all rules, both made from the rule table and the tests. */
import { ANYWHERE, WRITING } from './citations.ts';
import type { Coverage, CoveredRule, CoveredSection } from './coverage.ts';

export function coveragePage(introduction: string, { sections }: Coverage): string {
  return [introduction, summary(sections), untested(sections)].join('\n');
}

/** Every rule, with its tests and where they can run. */
export function ruleList({ sections }: Coverage): string {
  return sections.map(({ title, rules }) => `${title}\n${rules.map(ruleText).join('')}`).join('\n');
}

function summary(sections: readonly CoveredSection[]): string {
  const rows = sections.map(({ title, rules }) => row(title, rules));
  const total = row(
    '**all**',
    sections.flatMap(({ rules }) => rules),
  );
  const head =
    '| Section | Rules | Shown by tests | In a sandbox only | Tests | Without a test |\n|---|--:|--:|--:|--:|--:|';
  return `${[head, ...rows, total].join('\n')}\n`;
}

function row(title: string, rules: readonly CoveredRule[]): string {
  const tests = new Set(rules.flatMap((rule) => rule.tests));
  const shown = rules.filter((rule) => rule.tests.length > 0);
  const confined = shown.filter((rule) =>
    rule.tests.every(({ runs }) => ![ANYWHERE, WRITING].includes(runs)),
  );
  return `| ${title} | ${rules.length} | ${shown.length} | ${confined.length} | ${tests.size} | ${rules.length - shown.length} |`;
}

function untested(sections: readonly CoveredSection[]): string {
  const rules = sections.flatMap((section) => section.rules).filter(({ tests }) => tests.length === 0);
  const lines = rules.map(({ id, says, untested: why }) => `- ${id}: ${says} (${why ?? 'forgotten'})`);
  return `## Rules without a test, and why\n\n${lines.join('\n')}\n`;
}

function ruleText({ id, says, tests, untested: why }: CoveredRule): string {
  const shown = tests.map(({ file, fact, runs }) => `    ${file}: ${fact} (${runs})\n`).join('');
  return `  ${id} ${says}\n${shown || `    no test: ${why ?? 'forgotten'}\n`}`;
}
