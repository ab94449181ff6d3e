// Every code that a page of the console can show has a title, a message and advice in both languages. The codes are found in the sources and
// in the documents: a new one without them fails here.
import { describe, expect, it, test } from 'vitest';
import { EN } from '../../src/console/words/en.ts';
import { RU } from '../../src/console/words/ru.ts';
import { NOTE_WORDS, OUTSIDE_WORDS } from '../../src/engine/booking-answer.ts';
import { BEHAVIOURS } from '../../src/engine/carry-write.ts';
import { DIFFERENCE_REASONS, DIFFERENCES } from '../../src/engine/finding.ts';
import type { Where } from '../../src/engine/mirror.ts';
import type { WhyWords } from '../../src/engine/planned.ts';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { linesOf } from '../../src/mapping/filter-lines.ts';
import { WHY } from '../../src/operate/codes/codes.ts';
import { CODES_EN } from '../../src/operate/codes/en.ts';
import { CODES_RU } from '../../src/operate/codes/ru.ts';
import { TARGETS_EN } from '../../src/operate/codes/words-en.ts';
import { TARGETS_RU } from '../../src/operate/codes/words-ru.ts';
import { OPERATIONS } from '../../src/platform/http-answer.ts';
import { read, trackedFiles } from '../house/tree.ts';
import { latinRuns } from '../stand/latin.ts';

const CYRILLIC = /[а-яё]/i;
/** Rooms whose errors and decisions stand in histories, dead letters and on the problem board. */
const AT_WORK =
  /^src\/(?:calendar|google|platform|sheet|engine|mapping\/(?:filter|booking-filters|phone|render|route|template)|operate\/(?:audit|forget|host-reports|mapping-change|reload-status))/;
/** Commands and startup: whoever runs them reads the message, and no page shows them. */
const BEFORE_WORK =
  /google\/(login|oauth-client-file|consent|consent-store|credential-file|accounts)\.ts|engine\/(?:redis-|private-redis|proxy\.ts|folder-lock|state-search|quotas|signing-secret|block\.ts)|secret-file|platform\/client/;

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

/** Codes that lack a title, a message or advice in one of the languages. */
function untold(codes: readonly string[]): readonly string[] {
  return codes.filter((code) => {
    const texts = [CODES_EN[code] ?? [], CODES_RU[code] ?? []];
    return texts.some((of) => of.filter((text) => text.trim().length > 3).length < 3);
  });
}

/** Codes that have a name in the sources. */
function ofConstants(names: readonly string[]): readonly string[] {
  const pairs = sources.flatMap((path) => [...read(path).matchAll(/const ([A-Z][A-Z_]+) = '([a-z0-9-]+)'/g)]);
  const values = new Map(pairs.map(([, name, value]) => [name, value]));
  return names.flatMap((name) => values.get(name) ?? []);
}

const errors = found(/new (?:Retryable|Deferred|Terminal)Error\(\s*'([a-z0-9-]+)'/g);
const constants = ofConstants(
  found(/(?:\bcode: |(?:Retryable|Deferred|Terminal)Error\(\s*)([A-Z][A-Z_]+)\b/g),
);
const chosen = [/[?] '([a-z0-9-]+)'\s*: '[a-z0-9-]+'/g, /[?] '[a-z0-9-]+'\s*: '([a-z0-9-]+)'/g].flatMap(
  (part) => found(new RegExp(`\\bcode(?::| =) [^,;'{}]*${part.source}`, 'g')),
);
const written = found(/\b(?:code:|const code =) '([a-z0-9-]+)'(?! in )/g);

describe('errors and problems', () => {
  it('that are raised at work', () => {
    expect(errors.length).toBeGreaterThan(70);
    expect(untold(errors)).toEqual([]);
  });

  it('that are written down as codes', () => {
    expect(written.length).toBeGreaterThan(40);
    expect(untold(written)).toEqual([]);
    expect(constants).toEqual(expect.arrayContaining(['mirror-stopped']));
    expect(untold([...constants, ...chosen])).toEqual([]);
  });

  it.each([
    ['Problems', 50],
    ['Dead letters', 40],
  ])('of the chapter %s', (chapter, least) => {
    const codes = documented(chapter);
    expect(codes.length).toBeGreaterThan(least);
    expect(untold(codes)).toEqual([]);
  });

  it('that a pause of a target makes', () => {
    const kinds = found(/`\$\{kind\}-([a-z]+)`/g);
    expect(kinds).toContain('paused');
    expect(
      untold(['platform', 'google', 'calendar', 'spreadsheet', 'mapping', 'tab'].map((of) => `${of}-paused`)),
    ).toEqual([]);
  });

  it('keep their code, by which the documents list them', () => {
    for (const { codes } of [EN, RU]) {
      expect(codes.failure('template-failed')).toMatch(/^.{8,} \(template-failed\)$/);
      expect(codes.failure('never-heard-of')).toMatch(/^.{8,} \(never-heard-of\)$/);
      expect(codes.failure('constructor')).toBe(codes.failure('x').replace('(x)', '(constructor)'));
    }
  });
});

test('everything that is decided about what people did', () => {
  const lines = found(
    /^(.*this\.#(?:told|recordDecision)\(.*)$/gm,
    sources.filter((path) => /^src\/(?:engine|calendar|sheet)\//.test(path)),
  );
  const quoted = lines.flatMap((line) =>
    [...line.matchAll(/'([a-z][a-z-]+)'/g)].map(([, code = '']) => code),
  );
  expect(quoted).toEqual(expect.arrayContaining(['let-be', 'booked', 'cancel-refused', 'moved']));
  // Names of an operation, of what was done, or of the reason's own list: no code.
  const noCodes = new Set(['cancel', ...Object.keys(RU.codes.actions)]);
  const reasons = union('src/engine/decide-edit.ts', 'PutBackReason').map((why) => `put-back-${why}`);
  const kept = found(/do: 'leave'; readonly why: ([^}]+)/g, ['src/operate/forget/forget-deleted.ts'])
    .flatMap((text) => [...text.matchAll(/'([a-z-]+)'/g)].map(([, why = '']) => why))
    .map((why) => `not-erased-${why}`);
  const acted = found(/by: '[a-z-]+',\s*code: '([a-z-]+)'/g);
  const operator = found(/#entry\('([a-z-]+)'/g);
  const cells = [
    ...union('src/engine/row-edit.ts', 'RowDoubt'),
    ...union('src/engine/row-edit.ts', 'RowRefusal'),
  ];
  const wishes = [
    ...union('src/engine/extract-booking.ts', 'IgnoredCode'),
    ...union('src/engine/extract-booking.ts', 'UnclearCode'),
    ...Object.keys(OUTSIDE_WORDS.en),
    ...Object.keys(BEHAVIOURS),
    ...Object.keys(NOTE_WORDS.en),
  ];
  for (const some of [reasons, kept, acted, operator, cells, wishes]) expect(some.length).toBeGreaterThan(0);
  expect(cells).toEqual(expect.arrayContaining(['copied', 'no-start']));
  const decided = quoted.filter((code) => !noCodes.has(code) || code === 'moved');
  expect(untold([...decided, ...reasons, ...kept, ...acted, ...operator, ...cells, ...wishes])).toEqual([]);
});

test('each language says it in its own words', () => {
  expect(Object.keys(CODES_RU).sort()).toEqual(Object.keys(CODES_EN).sort());
  const texts = (all: typeof CODES_EN) =>
    Object.entries(all).flatMap(([code, of]) => of.map((text) => [code, text]));
  expect(texts(CODES_EN).filter(([, text = '']) => CYRILLIC.test(text))).toEqual([]);
  expect(
    texts(CODES_RU).filter(([, text = '']) => !CYRILLIC.test(text) || latinRuns(text).length > 0),
  ).toEqual([]);
  // A heading is no code, and a sentence ends as one.
  expect(
    Object.entries(CODES_EN).filter(([code, [title]]) => title === code || /^[a-z]/.test(title)),
  ).toEqual([]);
  const open = [...Object.entries(CODES_EN), ...Object.entries(CODES_RU)].filter(([, [title, ...said]]) =>
    [...said, `${title}.`].some((text) => !/[^.]\.$/.test(text)),
  );
  expect(open).toEqual([]);
});

/** Every reason, with names as a mapping may have them. */
const REASONS: { readonly [Name in keyof WhyWords]: (words: WhyWords) => string | readonly string[] } = {
  onlyId: ({ onlyId }) => onlyId,
  deleted: ({ deleted }) => deleted,
  deletedRow: ({ deletedRow }) => [deletedRow('clear'), deletedRow('keep')],
  notKnownYet: ({ notKnownYet }) => SETTINGS.map(notKnownYet),
  notKnown: ({ notKnown }) => SETTINGS.map(notKnown),
  notAllowed: ({ notAllowed }) =>
    [null, 'Стрижка'].flatMap((value) =>
      SETTINGS.map((setting) => notAllowed(setting, { value, allowed: 'Массаж' })),
    ),
  range: ({ range }) => [range({ min: 1 }), range({ max: 2 }), range({ min: 1, max: 2 })],
  notListed: ({ notListed }) => SETTINGS.map((setting) => notListed(setting, 'Стрижка')),
  metadata: ({ metadata }) => metadata('vip', 'да'),
  condition: ({ condition }) => Object.values(condition),
  tooOld: ({ tooOld }) => [tooOld('starts_at', MOMENT), tooOld('created_at', MOMENT)],
  tooFar: ({ tooFar }) => tooFar(MOMENT, MOMENT),
  stays: ({ stays, onlyId }) => stays(onlyId),
  takenBy: ({ takenBy }) => [takenBy([]), takenBy(SETTINGS)],
  archivedLater: ({ archivedLater }) => archivedLater('Архив', MOMENT),
  archivedNot: ({ archivedNot }) => archivedNot('Архив'),
  archived: ({ archived }) => archived('Архив', { by: 'starts_at', at: MOMENT }),
  cancelled: ({ cancelled }) => [cancelled('keep'), cancelled('remove')],
  cancelledWithoutEvent: ({ cancelledWithoutEvent }) => cancelledWithoutEvent,
  owners: ({ owners }) => Object.values(owners),
  without: ({ without }) => DIVISIONS.map(without),
  noCalendarOf: ({ noCalendarOf }) => DIVISIONS.map((by) => noCalendarOf(by, 'Арбат')),
  noCalendar: ({ noCalendar }) => noCalendar,
  and: ({ and, onlyId, deleted }) => and([onlyId, deleted]),
  inClass: ({ inClass }) => inClass('c1'),
  shownAsClass: ({ shownAsClass }) => [shownAsClass(true), shownAsClass(false)],
  blocked: ({ blocked }) => blocked,
};
const DIVISIONS = ['resource', 'branch', 'service'] as const;
const MOMENT = '2026-11-21T14:03:22.000Z';
/** The lines that a filter can have. */
const SETTINGS = linesOf({
  ...{ sinceMs: 0, projects: [], branches: [], statuses: [], lifecycles: [], channels: [], directions: [] },
  ...{ authorTypes: [], services: [], resources: [], sources: [], price: {}, guests: {} },
  ...{ customerLifecycles: [], condition: compileCondition('guests_count > 1') },
} as Where).map(({ setting }) => setting);

test('why a mirror takes an object or not', () => {
  expect(SETTINGS.length).toBeGreaterThan(12);
  const said = (words: WhyWords) => Object.values(REASONS).flatMap((of) => of(words));
  expect(said(WHY.en).filter((text) => /undefined|null|\[object/.test(text))).toEqual([]);
  expect(
    said(WHY.ru).filter(
      (text) => !CYRILLIC.test(text) || latinRuns(text).length > 0 || /undefined|null/.test(text),
    ),
  ).toEqual([]);
});

test('who decided it', () => {
  const by = found(/\bby: '(staff-edit|booking|operator|worker|row-edit|[a-z]+-[a-z]+)'/g);
  expect(by.length).toBeGreaterThan(4);
  expect(without(by, RU.codes.by)).toEqual([]);
  expect(by.map(EN.codes.by).filter((name) => name.includes('-'))).toEqual([]);
});

test('what stands beside a decision', () => {
  const acting = sources.filter((path) => read(path).includes("what: 'acted'"));
  const named = found(/\bids: \{([^}]*)\}/g, acting)
    .flatMap((ids) => ids.split(','))
    .flatMap((id) => /^\s*(\w+)/.exec(id)?.[1] ?? []);
  expect(named).toEqual(expect.arrayContaining(['calendarId', 'fields', 'reasons', 'spreadsheet']));
  expect(without(named, (name) => RU.codes.idNames[name])).toEqual([]);
  const [, fields = ''] = read('src/google/calendar-event.ts').split('export type PeoplesFields');
  const peoples = [...(fields.split('>>')[0]?.split('>')[0] ?? '').matchAll(/\| '(\w+)'/g)].map(
    ([, field = '']) => field,
  );
  expect(peoples).toContain('reminders');
  expect(without(peoples, (field) => RU.codes.eventFields[field])).toEqual([]);
  expect(peoples.filter((field) => EN.codes.eventFields[field] === undefined)).toEqual([]);
});

/** Names of leases, facts, subjects and streams. */
const NO_TARGETS = new Set(['cells-gone', 'edited', 'flush', 'learned', 'rows-looked-at', 'stray-ticks']);

test('what a problem is about', () => {
  const targets = [
    ...found(/\bTARGET = '([a-z-]+)/g),
    ...found(/\btarget(?: =|:) [`']([a-z-]+)/g),
    ...found(/\breturn `([a-z-]+):\$\{/g).filter((name) => !NO_TARGETS.has(name)),
  ];
  expect(targets).toEqual(
    expect.arrayContaining(['platform', 'calendar', 'mapping', 'blocks', 'webhook-endpoint']),
  );
  expect(targets.filter((target) => TARGETS_RU[target] === undefined)).toEqual([]);
  expect(targets.filter((target) => target.includes('-') && TARGETS_EN[target] === undefined)).toEqual([]);
  expect(RU.codes.target('calendar:anna@clinic.example')).toBe('календарь anna@clinic.example');
  expect(RU.codes.target('mapping:staff/branch Arbat')).toBe('настройки staff/филиал Arbat');
});

test('what was done, found or lost', () => {
  const { actions, differences, reasons, causes } = RU.codes;
  expect(without(union('src/engine/handler.ts', 'Action'), (code) => actions[code])).toEqual([]);
  expect(without(DIFFERENCES, (code) => differences[code as 'stale'])).toEqual([]);
  expect(without(DIFFERENCE_REASONS, (code) => reasons[code as 'pending'])).toEqual([]);
  const holes = [...documented('Holes'), ...union('src/engine/coverage.ts', 'HoleCause')];
  expect(holes.length).toBeGreaterThan(20);
  expect(without(holes, (code) => causes[code])).toEqual([]);
  expect(holes.filter((code) => EN.codes.causes[code] === undefined)).toEqual([]);
  const outcomes = [...union('src/engine/object.ts', 'ObservationOutcome'), 'noticed'];
  expect(without(outcomes, (code) => RU.story.outcomes[code])).toEqual([]);
  expect(without(union('src/engine/object.ts', 'ObservationSource'), (code) => RU.story.vias[code])).toEqual(
    [],
  );
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

test('no text of the Russian console is English', () => {
  const texts = (value: unknown): readonly string[] =>
    typeof value === 'string'
      ? [value]
      : Object.values(typeof value === 'object' && value !== null ? value : {}).flatMap(texts);
  expect(texts(RU).length).toBeGreaterThan(300);
  expect(texts(RU).filter((text) => latinRuns(text).length > 0)).toEqual([]);
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
