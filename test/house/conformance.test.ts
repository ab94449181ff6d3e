import { describe, expect, it } from 'vitest';
import type { Section } from '../../conformance/platform/rules/section.ts';
import type { Citation } from '../../conformance/report/citations.ts';
import { coverage } from '../../conformance/report/coverage.ts';
import { coveragePage, PAGE } from '../../conformance/report/page.ts';
import { read, trackedFiles } from './tree.ts';

const section = (rules: Section['rules']): Section => ({ title: 'Section', prefix: 'one', rules });
const citing = (...ruleIds: string[]): Citation => ({
  file: 'one.test.ts',
  fact: 'it is so',
  ruleIds,
  runs: 'anywhere',
});

describe('the conformance suite', () => {
  it('has a test or a reason for every rule of its table, and cites no other rule', () => {
    expect(coverage().problems).toEqual([]);
  });

  it('has more than 250 tests', () => {
    const tests = new Set(coverage().sections.flatMap(({ rules }) => rules.flatMap((rule) => rule.tests)));
    expect(tests.size).toBeGreaterThan(250);
  });

  it('has a coverage page that says what the tests say (npm run conformance -- --write-docs)', () => {
    expect(read(PAGE)).toBe(coveragePage(coverage()));
  });

  it('knows of src/ only in the file that starts the sandboxes', () => {
    const knowing = trackedFiles()
      .filter((path) => path.startsWith('conformance/') && path.endsWith('.ts'))
      .filter((path) => /from '[^']*\/src\//.test(read(path)));
    expect(knowing).toEqual(['conformance/stage/landlord.ts']);
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
