import { describe, expect, it } from 'vitest';
import type { Citation } from '../../packages/sandbox/conformance/report/citations.ts';
import { coverage, coverageOf } from '../../packages/sandbox/conformance/report/coverage.ts';
import { coveragePage, ruleList } from '../../packages/sandbox/conformance/report/page.ts';
import type { Section } from '../../packages/sandbox/conformance/report/section.ts';
import { googleSuite } from '../../packages/sandbox/conformance/suites/google.ts';
import { platformSuite } from '../../packages/sandbox/conformance/suites/platform.ts';
import { read, trackedFiles } from './tree.ts';

const section = (rules: Section['rules']): Section => ({ title: 'Section', prefix: 'one', rules });
const citing = (...ruleIds: string[]): Citation => ({
  file: 'one.test.ts',
  fact: 'it is so',
  ruleIds,
  runs: 'anywhere',
});

const suites = [
  { name: 'platform', suite: platformSuite, testsMin: 250, refresh: 'npm run conformance' },
  { name: 'Google', suite: googleSuite, testsMin: 200, refresh: 'npm run conformance:google' },
];

describe.each(suites)('the conformance suite of the $name', ({ suite, testsMin, refresh }) => {
  const covered = coverageOf(suite);

  it('has a test or a reason for every rule of its table, and cites no other rule', () => {
    expect(covered.problems).toEqual([]);
  });

  it(`has more than ${testsMin} tests`, () => {
    const tests = new Set(covered.sections.flatMap(({ rules }) => rules.flatMap((rule) => rule.tests)));
    expect(tests.size).toBeGreaterThan(testsMin);
  });

  it(`has a coverage page that says what the tests say (${refresh} -- --write-docs)`, () => {
    expect(read(suite.page)).toBe(coveragePage(suite.introduction, covered));
  });
});

describe('the list of rules', () => {
  it('names every rule once, with each test that shows it or the reason why there is none', () => {
    for (const { suite } of suites) {
      const covered = coverageOf(suite);
      const list = ruleList(covered);
      const rules = covered.sections.flatMap((section) => section.rules);
      const told = (id: string) => list.split('\n').filter((line) => line.startsWith(`  ${id} `)).length;
      expect(rules.filter(({ id }) => told(id) !== 1)).toEqual([]);
      const facts = rules.flatMap(({ tests, untested }) => [
        ...tests.map(({ fact }) => fact),
        ...(untested === undefined ? [] : [`no test: ${untested}`]),
      ]);
      expect(facts.filter((fact) => !list.includes(fact))).toEqual([]);
    }
  });
});

describe('the conformance suites', () => {
  it('know of the sandboxes only in the files that start the sandboxes', () => {
    const knowing = trackedFiles()
      .filter((path) => path.startsWith('packages/sandbox/conformance/') && path.endsWith('.ts'))
      .filter((path) => /from '[^']*\/src\/|from '@slotbridge/.test(read(path)));
    expect(knowing).toEqual([
      'packages/sandbox/conformance/office/landlord.ts',
      'packages/sandbox/conformance/stage/landlord.ts',
    ]);
  });

  it('tell of every rule about Google how it is known', () => {
    const rules = coverageOf(googleSuite).sections.flatMap((section) => section.rules);
    expect(rules.filter(({ says }) => !/^\[[DGRLFMSI]\] /.test(says))).toEqual([]);
  });

  it('hold what nobody has seen of Google against no foreign server', () => {
    const guesses = coverageOf(googleSuite)
      .sections.flatMap((section) => section.rules)
      .filter(({ says }) => says.startsWith('[I] '));
    const asserted = guesses.filter(({ tests }) => tests.some(({ runs }) => !runs.startsWith('needs ')));
    expect(asserted).toEqual([]);
  });
});

describe('the check of the rule table', () => {
  it('misses a rule that has neither a test nor a reason', () => {
    expect(coverage([section([['1', 'it is so']])], []).problems).toEqual([
      'rule one.1 has neither a test nor a reason: it is so',
    ]);
  });

  it('refuses a citation of a rule that is not in the table, and a test that cites none', () => {
    const { problems } = coverage([section([['1', 'it is so']])], [citing('one.1', 'one.2'), citing()]);
    expect(problems).toEqual([
      'one.test.ts cites the rule one.2, which is not in the table',
      'one.test.ts: the test "it is so" cites no rule',
    ]);
  });

  it('refuses a reason beside a test, and a rule that stands twice', () => {
    const rules: Section['rules'] = [
      ['1', 'it is so', 'nobody can know'],
      ['2', 'it is not', 'nobody asks'],
      ['2', 'it is not', 'nobody asks'],
    ];
    expect(coverage([section(rules)], [citing('one.1')]).problems).toEqual([
      'rule one.2 stands in the table twice',
      'rule one.1 has a test, and a reason why there is none',
    ]);
  });
});
