// Every code that a page of the console can show has a word in both languages. The codes are found in the sources and in the documents: a new
// one without a word fails here.
import { describe, expect, it, test } from 'vitest';
import { NOTE_WORDS } from '../../src/bookings/staff-edits/words.ts';
import { BEHAVIOURS } from '../../src/bookings/submit/codes.ts';
import { DECISIONS_RU, FAILURES_RU, TARGETS_RU } from '../../src/console/words/codes-ru.ts';
import { EN } from '../../src/console/words/en.ts';
import { RU } from '../../src/console/words/ru.ts';
import { DIFFERENCE_REASONS, DIFFERENCES } from '../../src/domain/difference.ts';
import { LETTER_ADVICE } from '../../src/ops/letter-advice.ts';
import { OPERATIONS } from '../../src/platform/http/operations.ts';
import { read, trackedFiles } from '../house/tree.ts';

const CYRILLIC = /[а-яё]/i;
/** Rooms whose errors and decisions stand in histories, dead letters and on the problem board. */
const AT_WORK = /^src\/(bookings|blocks|google|mirrors|platform|sources|storage|upkeep|work)\//;
/** Commands and startup: whoever runs them reads the message, and no page shows them. */
const BEFORE_WORK =
  /google\/(login|kept-login|oauth-client-file|consent|credential-file|accounts)\.ts|storage\/(redis|core)\/|webhook\/secret-file|platform\/client|storage\/google\/seal/;

const sources = trackedFiles().filter(
  (path) => path.endsWith('.ts') && AT_WORK.test(path) && !BEFORE_WORK.test(path),
);

function found(pattern: RegExp, paths: readonly string[] = sources): readonly string[] {
  return [
    ...new Set(paths.flatMap((path) => [...read(path).matchAll(pattern)].map(([, code = '']) => code))),
  ].sort();
}

/** First column of the table of one chapter. */
function documented(chapter: string): readonly string[] {
  const text = read('docs/operations.md').split(`\n## ${chapter}\n`)[1]?.split('\n## ')[0] ?? '';
  const cells = [...text.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([a-z][a-z-]+)`/g)].map(([, code = '']) => code));
}

function union(path: string, name: string): readonly string[] {
  const text = read(path).split(`export type ${name} =`)[1]?.split(';')[0] ?? '';
  return [...text.matchAll(/'([a-z-]+)'/g)].map(([, code = '']) => code);
}

/** What is said of a code in Russian names it in Russian. */
function without(codes: readonly string[], told: (code: string) => string | undefined): readonly string[] {
  return codes.filter((code) => !CYRILLIC.test(told(code) ?? ''));
}

describe('errors and problems', () => {
  it('that are raised at work', () => {
    const codes = found(/new (?:Retryable|Deferred|Terminal)Error\(\s*'([a-z0-9-]+)'/g);
    expect(codes.length).toBeGreaterThan(70);
    expect(without(codes, RU.codes.failure)).toEqual([]);
  });

  it('that are written down as codes', () => {
    const codes = found(/\bcode: '([a-z0-9-]+)'/g);
    expect(codes.length).toBeGreaterThan(40);
    expect(without(codes, (code) => FAILURES_RU[code] ?? DECISIONS_RU[code])).toEqual([]);
  });

  it.each([
    ['Problems', 50],
    ['Dead letters', 40],
  ])('of the chapter %s', (chapter, least) => {
    const codes = documented(chapter);
    expect(codes.length).toBeGreaterThan(least);
    expect(without(codes, RU.codes.failure)).toEqual([]);
    expect(codes.filter((code) => !EN.codes.failure(code).includes(code))).toEqual([]);
  });

  it('with advice, and refusals of wishes', () => {
    const codes = [...Object.keys(LETTER_ADVICE), ...Object.keys(BEHAVIOURS), ...Object.keys(NOTE_WORDS.en)];
    expect(without(codes, RU.codes.failure)).toEqual([]);
  });

  it('keep their code, by which the documents list them', () => {
    expect(RU.codes.failure('template-failed')).toContain('(template-failed)');
    expect(RU.codes.failure('never-heard-of')).toBe('never-heard-of');
  });
});

test('everything that is decided about what people did', () => {
  const lines = found(
    /^(.*this\.#(?:told|recordDecision)\(.*)$/gm,
    sources.filter((path) => path.startsWith('src/bookings/')),
  );
  const quoted = lines.flatMap((line) =>
    [...line.matchAll(/'([a-z][a-z-]+)'/g)].map(([, code = '']) => code),
  );
  expect(quoted).toEqual(expect.arrayContaining(['let-be', 'booked', 'cancel-refused', 'moved']));
  const known = { ...RU.codes.actions, ...FAILURES_RU, ...DECISIONS_RU };
  expect(
    without(
      quoted.filter((code) => code !== 'cancel'),
      (code) => known[code],
    ),
  ).toEqual([]);
  const reasons = union('src/bookings/staff-edits/decide.ts', 'PutBackReason');
  const kept = found(/do: 'leave'; readonly why: ([^}]+)/g, [
    'src/operator/forget/judge-deletion.ts',
  ]).flatMap((text) => [...text.matchAll(/'([a-z-]+)'/g)].map(([, why = '']) => why));
  const carried = found(/type: 'refuse', code: '([a-z-]+)'/g, ['src/mirrors/sheet/carry/decide.ts']);
  const acted = found(/by: '[a-z-]+',\s*code: '([a-z-]+)'/g);
  const operator = found(/#entry\('([a-z-]+)'/g);
  for (const some of [reasons, kept, carried, acted, operator]) expect(some.length).toBeGreaterThan(0);
  const codes = [
    ...reasons.map((reason) => `put-back-${reason}`),
    ...kept.map((why) => `not-erased-${why}`),
    ...carried,
    ...acted,
    ...operator,
  ];
  expect(without(codes, RU.codes.decision)).toEqual([]);
  expect(codes.map(EN.codes.decision).filter((text) => text === '' || text.includes('-'))).toEqual([]);
});

test('who decided it', () => {
  const by = found(/\bby: '(staff-edit|booking|operator|worker|row-edit|[a-z]+-[a-z]+)'/g);
  expect(by.length).toBeGreaterThan(4);
  expect(without(by, RU.codes.by)).toEqual([]);
});

test('what a problem is about', () => {
  const targets = [
    ...found(/\bTARGET = '([a-z-]+)/g),
    ...found(/\btarget(?: =|:) [`']([a-z-]+)/g),
    ...found(/function targetOf[^}]*?return `([a-z-]+):/g),
  ];
  expect(targets).toEqual(
    expect.arrayContaining(['platform', 'calendar', 'mapping', 'blocks', 'webhook-endpoint']),
  );
  expect(targets.filter((target) => TARGETS_RU[target] === undefined)).toEqual([]);
  expect(RU.codes.target('calendar:anna@clinic.example')).toBe('календарь anna@clinic.example');
});

test('what was done, found or lost', () => {
  const { actions, differences, reasons, causes } = RU.codes;
  expect(without(union('src/ports/handler.ts', 'Action'), (code) => actions[code])).toEqual([]);
  expect(without(DIFFERENCES, (code) => differences[code as 'stale'])).toEqual([]);
  expect(without(DIFFERENCE_REASONS, (code) => reasons[code as 'pending'])).toEqual([]);
  const holes = [...documented('Holes'), ...union('src/domain/coverage.ts', 'HoleCause')];
  expect(holes.length).toBeGreaterThan(20);
  expect(without(holes, (code) => causes[code])).toEqual([]);
  expect(holes.filter((code) => EN.codes.causes[code] === undefined)).toEqual([]);
  const outcomes = [...union('src/domain/observation.ts', 'ObservationOutcome'), 'noticed'];
  expect(without(outcomes, (code) => RU.story.outcomes[code])).toEqual([]);
  expect(
    without(union('src/domain/observation.ts', 'ObservationSource'), (code) => RU.story.vias[code]),
  ).toEqual([]);
});

test('what people did in the console, and what the platform was asked for', () => {
  const paths = trackedFiles().filter((path) =>
    /^src\/(console\/[a-z-]+|cli\/console-command)\.ts$/.test(path),
  );
  const noted = [...found(/what: '([a-z]+(?:-[a-z]+)*)'/g, paths), ...found(/'(letters-[a-z]+)'/g, paths)];
  expect(noted).toEqual(expect.arrayContaining(['link-made', 'approved', 'letters-retried', 'compared']));
  expect(noted.filter((code) => EN.acts.names[code] === undefined)).toEqual([]);
  expect(without(noted, (code) => RU.acts.names[code])).toEqual([]);
  const operations = Object.keys(OPERATIONS);
  expect(operations.filter((code) => EN.home.purposes[code] === undefined)).toEqual([]);
  expect(without(operations, (code) => RU.home.purposes[code])).toEqual([]);
});

test('both languages have the same words', () => {
  const missing = (a: object, b: object, path: string): readonly string[] =>
    Object.entries(a).flatMap(([name, value]) => {
      const other: unknown = (b as Readonly<Record<string, unknown>>)[name];
      if (typeof value === 'object') return missing(value, (other ?? {}) as object, `${path}.${name}`);
      return other === undefined ? [`${path}.${name}`] : [];
    });
  expect(missing(EN, RU, 'ru')).toEqual([]);
});
