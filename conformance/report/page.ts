/** docs/platform-coverage.md, written from the rule table and the tests. */
import type { Coverage, CoveredRule, CoveredSection } from './coverage.ts';

export const PAGE = 'docs/platform-coverage.md';

export function coveragePage({ sections }: Coverage): string {
  return [INTRODUCTION, summary(sections), ...sections.map(chapter)].join('\n');
}

const INTRODUCTION = `# What the conformance suite shows of the platform's API

Written by \`npm run conformance -- --write-docs\` from \`conformance/platform/rules/\` and the names of the tests; do not
edit it by hand. Each rule of the platform's document has a test that speaks plain HTTP, or the reason why it has none.

- \`npm run conformance\` asks sandboxes of its own.
- \`npm run conformance -- --base-url URL --key KEY\` asks any server; what needs more than one key is skipped and says why.
  It makes contacts and appointments (nobody is mailed, appointments are cancelled, contacts archived in the end) and
  webhook endpoints (deleted in the end). The key can also be given as CONFORMANCE_KEY, which keeps it out of the list of processes.
- \`… --read-only\` sends GETs only, and ends with what it learned about the things that the document does not show.

A test runs **anywhere**, **where one may write** (not with \`--read-only\`), or only against a sandbox: then the table says
what it needs.
`;

function summary(sections: readonly CoveredSection[]): string {
  const rows = sections.map(({ title, rules }) => row(title, rules));
  const total = row(
    '**all**',
    sections.flatMap(({ rules }) => rules),
  );
  const head = '| Section | Rules | Shown by tests | Tests | Without a test |\n|---|--:|--:|--:|--:|';
  return `${[head, ...rows, total].join('\n')}\n`;
}

function row(title: string, rules: readonly CoveredRule[]): string {
  const tests = new Set(rules.flatMap((rule) => rule.tests));
  const shown = rules.filter((rule) => rule.tests.length > 0).length;
  return `| ${title} | ${rules.length} | ${shown} | ${tests.size} | ${rules.length - shown} |`;
}

function chapter({ title, rules }: CoveredSection): string {
  const head = '| Rule | What the document says | Test, or why there is none |\n|---|---|---|';
  const rows = rules.map((rule) => `| ${rule.id} | ${cell(rule.says)} | ${cell(evidence(rule))} |`);
  return `## ${title}\n\n${[head, ...rows].join('\n')}\n`;
}

function evidence({ tests, untested }: CoveredRule): string {
  if (tests.length === 0) return `no test: ${untested ?? 'forgotten'}`;
  return tests.map(({ fact, runs }) => `${fact} (${runs})`).join('; ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
