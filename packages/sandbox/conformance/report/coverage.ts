/** Matches the rule table against the tests' names: which test shows which rule. */

import { type Citation, readCitations } from './citations.ts';
import type { Section } from './section.ts';
import type { Suite } from './suite.ts';

export interface CoveredRule {
  readonly id: string;
  readonly says: string;
  readonly tests: readonly Citation[];
  /** Why the rule has no test. */
  readonly untested: string | undefined;
}

export interface CoveredSection {
  readonly title: string;
  readonly prefix: string;
  readonly rules: readonly CoveredRule[];
}

export interface Coverage {
  readonly sections: readonly CoveredSection[];
  /** Mistakes in the table or the tests. Empty when every rule has a test or a reason, and every citation a rule. */
  readonly problems: readonly string[];
}

/** The coverage of the suite as its files state it. */
export function coverageOf(suite: Suite): Coverage {
  return coverage(suite.sections, readCitations(suite));
}

export function coverage(sections: readonly Section[], citations: readonly Citation[]): Coverage {
  const covered = sections.map(({ title, prefix, rules }) => ({
    title,
    prefix,
    rules: rules.map(([number, says, untested]) => {
      const id = `${prefix}.${number}`;
      return { id, says, untested, tests: citations.filter(({ ruleIds }) => ruleIds.includes(id)) };
    }),
  }));
  return { sections: covered, problems: [...problemsOf(covered), ...strayCitations(covered, citations)] };
}

function problemsOf(sections: readonly CoveredSection[]): string[] {
  const rules = sections.flatMap((section) => section.rules);
  const ids = rules.map(({ id }) => id);
  return [
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `rule ${id} stands in the table twice`),
    ...rules
      .filter(({ tests, untested }) => tests.length === 0 && untested === undefined)
      .map(({ id, says }) => `rule ${id} has neither a test nor a reason: ${says}`),
    ...rules
      .filter(({ tests, untested }) => tests.length > 0 && untested !== undefined)
      .map(({ id }) => `rule ${id} has a test, and a reason why there is none`),
  ];
}

function strayCitations(sections: readonly CoveredSection[], citations: readonly Citation[]): string[] {
  const known = new Set(sections.flatMap(({ rules }) => rules.map(({ id }) => id)));
  return citations.flatMap(({ file, fact, ruleIds }) => [
    ...ruleIds
      .filter((id) => !known.has(id))
      .map((id) => `${file} cites the rule ${id}, which is not in the table`),
    ...(ruleIds.length === 0 ? [`${file}: the test "${fact}" cites no rule`] : []),
  ]);
}
