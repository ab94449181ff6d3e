// The result of the scenarios: for people, for CI (JUnit), and as JSON.
import type { Difference } from './judge.ts';
import type { Update } from './rewrite.ts';
import type { Verdict } from './run.ts';

export interface Sink {
  write(text: string): unknown;
}

export function verdictText(verdict: Verdict): string {
  const { name, file, line, passed, seconds } = verdict;
  const head = `${passed ? 'ok    ' : 'FAILED'}  ${name}  (${file}:${line}, ${seconds.toFixed(1)} s)\n`;
  return passed ? head : `${head}${detailsOf(verdict)}\n`;
}

export function totalOf(verdicts: readonly Verdict[]): string {
  const failed = verdicts.filter(({ passed }) => !passed).length;
  return failed === 0
    ? `${counted(verdicts.length)} passed.\n`
    : `${failed} of ${counted(verdicts.length)} failed.\n`;
}

/** A scenario whose file was changed has `updated: true`. */
export function jsonOf(verdicts: readonly Verdict[], updates?: ReadonlyMap<Verdict, Update>): string {
  const scenarios = verdicts.map((verdict) => {
    const update = updates?.get(verdict);
    const differences = verdict.differences.map(({ edit: _edit, ...rest }) => rest);
    return {
      ...verdict,
      differences,
      ...(update && { updated: update.isWritten, ...(!update.isWritten && { left: update.why }) }),
    };
  });
  return `${JSON.stringify({ ok: verdicts.every(({ passed }) => passed), scenarios })}\n`;
}

/** What `--update` did with each scenario that failed. The differences above say what has changed. */
export function updatesOf(updates: ReadonlyMap<Verdict, Update>): string {
  return [...updates]
    .toSorted(([a], [b]) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map(([{ name, file, line }, update]) =>
      update.isWritten
        ? `Updated  ${name}  (${file}:${line})\n`
        : `Left as it is  ${name}  (${file}:${line}): ${update.why}\n`,
    )
    .join('');
}

/** One test suite per file and one test case per scenario, as CI servers expect. */
export function junitOf(verdicts: readonly Verdict[]): string {
  const files = [...new Set(verdicts.map(({ file }) => file))];
  const suites = files.map((file) => {
    const ofFile = verdicts.filter((verdict) => verdict.file === file);
    const cases = ofFile.map((verdict) => {
      const open = `    <testcase name="${xml(verdict.name)}" classname="${xml(file)}" file="${xml(file)}" line="${verdict.line}" time="${verdict.seconds}"`;
      if (verdict.passed) return `${open}/>\n`;
      return `${open}>\n      <failure message="${xml(reasonOf(verdict))}">${xml(detailsOf(verdict))}</failure>\n    </testcase>\n`;
    });
    return `  <testsuite name="${xml(file)}" ${countsOf(ofFile)}>\n${cases.join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="slotbridge test" ${countsOf(verdicts)}>\n${suites.join('')}</testsuites>\n`;
}

function countsOf(verdicts: readonly Verdict[]): string {
  const failures = verdicts.filter(({ passed }) => !passed).length;
  const seconds = verdicts.reduce((sum, verdict) => sum + verdict.seconds, 0);
  return `tests="${verdicts.length}" failures="${failures}" errors="0" time="${seconds.toFixed(3)}"`;
}

function reasonOf({ brokenOff, differences }: Verdict): string {
  if (brokenOff !== undefined) return brokenOff.why;
  return differences.length === 1 ? 'one difference' : `${differences.length} differences`;
}

function detailsOf({ file, brokenOff, differences }: Verdict): string {
  if (brokenOff !== undefined) return `    ${file}:${brokenOff.line}  ${brokenOff.why}\n`;
  const lines: string[] = [];
  let where = '';
  for (const difference of differences) {
    if (difference.where !== where) lines.push(`    ${difference.where}`);
    where = difference.where;
    lines.push(...linesOf(difference));
  }
  return `${lines.join('\n')}\n`;
}

const SIGN = { differs: '~', missing: '-', 'not-expected': '+', count: '~' } as const;
const WORD = {
  differs: 'differs: ',
  missing: 'missing: ',
  'not-expected': 'not expected: ',
  count: '',
} as const;

function linesOf({ kind, what, fields }: Difference): readonly string[] {
  const width = Math.max(...fields.map(({ field }) => field.length), 0);
  return [
    `      ${SIGN[kind]} ${WORD[kind]}${what}`,
    ...fields.flatMap(({ field, expected, found }) => [
      `          ${field.padEnd(width)}  expected  ${expected}`,
      `          ${' '.repeat(width)}  found     ${found}`,
    ]),
  ];
}

function counted(scenarios: number): string {
  return scenarios === 1 ? '1 scenario' : `${scenarios} scenarios`;
}

/** XML 1.0 allows no control characters, not even escaped ones. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"\n]/g, (char) => `&#${char.codePointAt(0)};`);
}
