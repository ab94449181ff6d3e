/** The result of a vitest run, by section of the rule table. */
import { readFileSync } from 'node:fs';
import { ruleIdsOf } from './citations.ts';
import type { Coverage } from './coverage.ts';

interface Result {
  readonly title: string;
  readonly status: string;
  readonly meta?: { readonly skippedBecause?: string };
}

export interface SectionTally {
  readonly title: string;
  readonly rules: number;
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Rules without a test. */
  readonly untested: number;
}

export interface Tally {
  readonly sections: readonly SectionTally[];
  readonly total: SectionTally;
  /** Why tests were skipped and how many for each reason, most frequent first. */
  readonly skips: readonly (readonly [because: string, count: number])[];
}

/** `file`: the output of vitest's JSON reporter. Throws when it is missing. */
export function tally(file: string, coverage: Coverage): Tally {
  const run = JSON.parse(readFileSync(file, 'utf8')) as { testResults: { assertionResults: Result[] }[] };
  const results = run.testResults.flatMap(({ assertionResults }) => assertionResults);
  const sections = coverage.sections.map(({ title, prefix, rules }) => {
    const mine = results.filter((result) => ruleIdsOf(result.title)[0]?.startsWith(`${prefix}.`));
    const untested = rules.filter(({ tests }) => tests.length === 0).length;
    return { title, rules: rules.length, ...count(mine), untested };
  });
  return { sections, total: sum(sections), skips: skipsOf(results) };
}

export function tallyTable({ sections, total }: Tally): string {
  const head = ['section', 'rules', 'tests', 'passed', 'failed', 'skipped', 'no test'];
  const rows = [...sections, total].map((one) =>
    [one.title, one.rules, one.tests, one.passed, one.failed, one.skipped, one.untested].map(String),
  );
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ');
  const rule = '-'.repeat(line(head).length);
  return [line(head), rule, ...rows.slice(0, -1).map(line), rule, line(rows.at(-1) ?? [])].join('\n');
}

function count(results: readonly Result[]) {
  const passed = results.filter(({ status }) => status === 'passed').length;
  const failed = results.filter(({ status }) => status === 'failed').length;
  return { tests: results.length, passed, failed, skipped: results.length - passed - failed };
}

function sum(sections: readonly SectionTally[]): SectionTally {
  const add = (field: Exclude<keyof SectionTally, 'title'>): number =>
    sections.reduce((total, section) => total + section[field], 0);
  return {
    title: 'all',
    rules: add('rules'),
    tests: add('tests'),
    passed: add('passed'),
    failed: add('failed'),
    skipped: add('skipped'),
    untested: add('untested'),
  };
}

function skipsOf(results: readonly Result[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { meta } of results) {
    if (meta?.skippedBecause !== undefined)
      counts.set(meta.skippedBecause, (counts.get(meta.skippedBecause) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}
