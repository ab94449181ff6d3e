/** A coverage page, written from the rule table and the tests. */
import type { Coverage, CoveredRule, CoveredSection } from './coverage.ts';

export function coveragePage(introduction: string, { sections }: Coverage): string {
  return [introduction, summary(sections), ...sections.map(chapter)].join('\n');
}

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
