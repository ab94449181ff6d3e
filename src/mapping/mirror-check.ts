import { assertNever } from '../engine/errors.ts';
import type { Mirror } from '../engine/mirror.ts';
import type { EntityKind } from '../engine/object.ts';
import { foldedText } from '../engine/plain-text.ts';
import type { SheetCarry } from '../engine/row-edit.ts';
import type { ConfigDocument } from './document.ts';
import { ENTRY_NAME } from './kinds/section.ts';
import { checkCarry, type MirrorSketch, rulePath, type SketchedCalendar } from './mirror-sketch.ts';
import { type Advice, didYouMean, formatPath, type Path, type ProblemList } from './problem.ts';
import { KIND_OF, TARGETS, type WrittenMirror } from './schema/mirror.ts';
import { ARCHIVE_FIELDS, toSheet } from './schema/sheet.ts';
import { type CompileCondition, toFilter } from './schema/where.ts';

interface KeyedColumn {
  readonly header: string;
  readonly template: string | undefined;
}

/**
 * The column by which rows are found again: the one that `sheet.key` names, otherwise the only column that is exactly `{{ id }}`. Any other
 * content would not be unique, or would change.
 */
export function findKeyColumn(
  columns: readonly KeyedColumn[],
  key: string | undefined,
): { readonly header: string } | { readonly advice: Advice } {
  const holdingId = columns.filter((column) => /^\s*\{\{-?\s*id\s*-?\}\}\s*$/.test(column.template ?? ''));
  const [first, second] = holdingId;
  if (key !== undefined) return namedColumn(columns, holdingId, key);
  if (first === undefined) {
    return {
      advice: {
        what: 'no column shows the id, so the worker could not find rows again',
        fix: 'add one: ID: "{{ id }}"',
      },
    };
  }
  if (second !== undefined) {
    return {
      advice: {
        what: `${holdingId.length} columns show the id: ${holdingId.map((column) => column.header).join(', ')}`,
        fix: `say which one identifies the rows: sheet: { key: ${JSON.stringify(first.header)} }`,
      },
    };
  }
  return { header: first.header };
}

function namedColumn(
  columns: readonly KeyedColumn[],
  holdingId: readonly KeyedColumn[],
  key: string,
): { readonly header: string } | { readonly advice: Advice } {
  const headers = columns.map((column) => column.header);
  if (!headers.includes(key)) {
    return {
      advice: {
        what: 'names a column that does not exist',
        fix: `${didYouMean(key, headers)}name one of the columns: ${headers.join(', ')}`,
      },
    };
  }
  if (!holdingId.some((column) => column.header === key)) {
    return {
      advice: {
        what: 'names a column that does not show the id',
        fix: `write ${JSON.stringify(key)}: "{{ id }}" in columns, or name another column`,
      },
    };
  }
  return { header: key };
}

/** Why a template does not parse. Line and column count from 1 inside the template. */
export interface TemplateProblem {
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** What loading needs of the template engine, to check and build a configuration. */
export interface ConfigChecks {
  /** Asks the renderer; undefined: the template or condition is valid. */
  checkTemplate(
    source: string,
    from?: EntityKind,
    form?: 'template' | 'condition',
  ): TemplateProblem | undefined;
  /** Compiles a condition that `checkTemplate` has accepted. */
  readonly compileCondition: CompileCondition;
}

/** Checks mirrors across settings: parts that exclude or require each other, targets mapped twice, templates. */
export function checkMirrors(
  sketches: readonly MirrorSketch[],
  document: ConfigDocument,
  report: { readonly problems: ProblemList; readonly checks: ConfigChecks },
): void {
  const say = (path: Path, advice: Advice) => report.problems.add(path, document.placeOf(path), advice);
  const sayAtKey = (path: Path, advice: Advice) =>
    report.problems.add(path, document.placeOfKey(path), advice);
  for (const sketch of sketches) {
    checkName(sketch, sayAtKey);
    checkParts(sketch, say);
    checkRules(sketch, say, sayAtKey);
    checkSubjects(sketch, sayAtKey);
    checkDeletions(sketch, say);
    checkClasses(sketch, say);
    checkTitles(sketch, say);
    checkHeaders(sketch, sayAtKey);
    checkKeyColumn(sketch, say);
    checkArchive(sketch, say);
    checkCarry(sketch, say);
    for (const { path, source, isCondition, kind = sketch.from } of sketch.templates) {
      const form = isCondition ? 'condition' : 'template';
      const problem = report.checks.checkTemplate(source, kind, form);
      if (problem) sayInTemplate(path, problem, { document, problems: report.problems });
    }
  }
  const lineOf = (path: Path) => document.placeOf(path).line;
  checkCalendars(sketches, say, lineOf);
  checkTabs(sketches, say, lineOf);
}

type Say = (path: Path, advice: Advice) => void;

function checkName({ path, name }: MirrorSketch, say: Say): void {
  if (ENTRY_NAME.test(name)) return;
  say(path, {
    what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
    fix: 'rename the mirror, for example staff-calendars',
  });
}

function checkParts({ path, parts, from }: MirrorSketch, say: Say): void {
  const named = TARGETS.filter(({ part }) => parts.has(part));
  // For any other `from`, the schema has already reported it.
  const fits = (target: (typeof TARGETS)[number]) => [undefined, target.from].includes(from) || !target.from;
  const [first, second] = named;
  if (first === undefined) {
    const names = TARGETS.map(({ part }) => part).join(' nor ');
    say(path, { what: `has neither ${names}, so nothing is written`, fix: 'add one of them' });
  } else if (second !== undefined && named.every(fits)) {
    say([...path, second.part], {
      what: `the mirror has both ${first.part} and ${second.part}`,
      fix: 'make two mirrors of it, one for each',
    });
  }
  for (const target of TARGETS.filter(fits)) {
    const { part, called, needs, own } = target;
    if (parts.has(part)) {
      if (needs && !parts.has(needs.part)) say([...path, needs.part], { what: 'is missing', fix: needs.fix });
    } else if (first !== undefined) {
      for (const each of own.filter((name) => parts.has(name)))
        say([...path, each], { what: `belongs to a mirror with ${called}`, fix: 'remove it' });
    }
  }
}

/** `by: all` needs one calendar; every other `by` needs a map. */
function checkRules({ rules }: MirrorSketch, say: Say, sayAtKey: Say): void {
  for (const { path, by, parts } of rules) {
    if (by === undefined) continue;
    const [needed, other] = by === 'all' ? ['calendar', 'map'] : ['map', 'calendar'];
    if (parts.has(other)) {
      sayAtKey([...path, other], {
        what: by === 'all' ? 'has no effect with by: all' : 'belongs to by: all',
        fix:
          by === 'all'
            ? 'write calendar: with the id of the one calendar'
            : `write map: with one ${by} per line, or by: all`,
      });
    }
    if (parts.has(needed) || parts.has(other)) continue;
    say([...path, needed], {
      what: 'is missing',
      fix: by === 'all' ? 'write the id of the calendar' : `write one ${by} and its calendar per line`,
    });
  }
}

function checkSubjects({ calendars }: MirrorSketch, say: Say): void {
  const seen = new Set<string>();
  for (const { path, by, subject } of calendars) {
    const name = subject?.trim();
    if (name === '') say(path, { what: `names no ${by}`, fix: 'write the name or the id of one' });
    if (seen.has(`${by} ${name}`)) {
      say(path, {
        what:
          by === 'all' ? 'everything already has a calendar in this mirror' : `the same ${by} occurs twice`,
        fix: 'keep one of the two, or make a second mirror for the other calendar',
      });
    }
    seen.add(`${by} ${name}`);
  }
}

/** A deletion can cancel only in the calendar of a booked resource. */
function checkDeletions({ path, calendars, deletedEvents }: MirrorSketch, say: Say): void {
  if (deletedEvents !== 'cancel' || calendars.length === 0) return;
  if (calendars.some(({ by }) => by === 'resource')) return;
  say([...path, 'staff_edits', 'deleted'], {
    what: 'cancels nothing here: a deletion can cancel only in the calendar of a booked resource, with by: resource',
    fix: 'write deleted: restore, and deleted: cancel in the mirror with by: resource',
  });
}

function checkClasses({ path, parts, classes }: MirrorSketch, say: Say): void {
  if (!parts.has('classes')) return;
  for (const service of classes.places) {
    if (classes.services.includes(service.trim())) continue;
    say([...path, 'classes', 'places', service], {
      what: 'is not a service of these classes',
      fix: 'write the service as in services:, or remove the line',
    });
  }
}

/** A title without effect would make people believe that the calendar hides what it shows. */
function checkTitles({ calendars }: MirrorSketch, say: Say): void {
  for (const { path, shows, title } of calendars) {
    if (title === undefined || shows === 'busy') continue;
    say([...path, 'title'], {
      what: 'belongs to a calendar with show: busy',
      fix: 'write show: busy beside it, or remove it',
    });
  }
}

function checkHeaders(sketch: MirrorSketch, say: Say): void {
  const seen = new Map<string, string>();
  for (const { path, header } of sketch.columns) {
    if (header === '') say(path, { what: 'the header is empty', fix: 'name the column' });
    // People retype headers: to them, headers that look the same are one column.
    const folded = foldedText(header);
    const twin = seen.get(folded);
    if (twin !== undefined) {
      say(path, {
        what: `is the same header as ${JSON.stringify(twin)}: it looks the same`,
        fix: 'rename one of the two',
      });
    } else seen.set(folded, header);
  }
}

function checkKeyColumn({ path, parts, columns, key }: MirrorSketch, say: Say): void {
  // A template that could not be read may be the one with the id.
  if (!parts.has('sheet') || columns.length === 0 || columns.some((column) => column.template === undefined))
    return;
  const found = findKeyColumn(columns, key);
  if ('advice' in found)
    say(key === undefined ? [...path, 'columns'] : [...path, 'sheet', 'key'], found.advice);
}

function checkArchive({ path, archive, from }: MirrorSketch, say: Say): void {
  const by = archive?.by;
  if (by === undefined || from === undefined || ARCHIVE_FIELDS[from].includes(by)) return;
  say([...path, 'sheet', 'archive', 'by'], {
    what: `${JSON.stringify(by)} is not a time that ${from}s have`,
    fix: `write one of: ${ARCHIVE_FIELDS[from].join(', ')}`,
  });
}

function checkCalendars(sketches: readonly MirrorSketch[], say: Say, lineOf: (path: Path) => number): void {
  const first = new Map<string, { readonly mirror: string; readonly line: SketchedCalendar }>();
  for (const { name: mirror, calendars } of sketches) {
    for (const line of calendars) {
      if (line.calendarId === undefined) continue;
      const id = line.calendarId.toLowerCase();
      const twin = first.get(id);
      if (twin === undefined) {
        first.set(id, { mirror, line });
        continue;
      }
      const by = `${formatPath(twin.line.path)} in line ${lineOf(twin.line.path)}`;
      if (twin.mirror !== mirror) {
        say(line.path, {
          what: `the calendar already belongs to another mirror, by ${by}`,
          fix: 'put all lines for one calendar into one mirror: two mirrors would undo what the other wrote',
        });
      } else if (line.calendarId !== twin.line.calendarId) {
        say(line.path, {
          what: `the calendar id is written differently by ${by}`,
          fix: 'write its id the same way in both lines',
        });
      } else if (!isSameView(line, twin.line)) {
        say(line.path, {
          what: `the calendar has other settings by ${by}`,
          fix: 'write the same show, title and account in both lines: an appointment has one event in a calendar',
        });
      }
    }
  }
}

function isSameView(a: SketchedCalendar, b: SketchedCalendar): boolean {
  const isBusy = a.shows === 'busy';
  return isBusy === (b.shows === 'busy') && a.title === b.title && a.account === b.account;
}

function checkTabs(sketches: readonly MirrorSketch[], say: Say, lineOf: (path: Path) => number): void {
  const first = new Map<string, Path>();
  const tabs = sketches.flatMap(({ path, archive, ...home }) => [
    { ...home, own: [...path, 'sheet', 'tab'] },
    ...(archive === undefined ? [] : [{ ...archive, own: [...path, 'sheet', 'archive', 'tab'] }]),
  ]);
  for (const { own, spreadsheetId, tab } of tabs) {
    if (spreadsheetId === undefined || tab === undefined) continue;
    // Google ignores case in the names of a spreadsheet's tabs.
    const id = `${spreadsheetId}/${tab.toLowerCase()}`;
    const twin = first.get(id);
    if (twin) {
      say(own, {
        what: `the tab is already written to, by ${formatPath(twin)} in line ${lineOf(twin)}`,
        fix: 'give every mirror a tab of its own',
      });
    } else first.set(id, own);
  }
}

/** Reports a problem at its exact place inside the template, if that is known. */
export function sayInTemplate(
  path: Path,
  problem: TemplateProblem,
  { document, problems }: { readonly document: ConfigDocument; readonly problems: ProblemList },
): void {
  const { line, column } = problem;
  const place =
    line === undefined || column === undefined
      ? document.placeOf(path)
      : document.placeWithin(path, { line, column });
  problems.add(path, place, adviseTemplate(problem, document.isFilled(path)));
}

function adviseTemplate(problem: TemplateProblem, isFilled: boolean): Advice {
  const fix = 'correct the template; its language is Liquid';
  // The message may quote the template, and a value that came from a variable is never shown.
  if (isFilled)
    return { what: 'the template cannot be used (variables went into it, so it is not shown)', fix };
  const place =
    problem.line === undefined ? '' : ` (line ${problem.line} of the template${columnOf(problem)})`;
  return { what: `the template cannot be used: ${problem.message.replaceAll(/\s+/g, ' ')}${place}`, fix };
}

function columnOf(problem: TemplateProblem): string {
  return problem.column === undefined ? '' : `, column ${problem.column}`;
}

/** Builds the mirror of an entry that has passed every check. */
export function buildMirror(
  name: string,
  written: WrittenMirror,
  from: {
    readonly document: ConfigDocument;
    readonly compile: CompileCondition;
    /** What happens to rows of deleted objects when the mirror does not say. */
    readonly deleted: 'clear' | 'keep';
    /** The language of texts for people. */
    readonly language: SheetCarry['language'];
  },
): Mirror {
  const { document, compile } = from;
  const sheet = () => sheetOf({ ...from, name, written });
  if (written.from !== 'appointments') {
    return {
      ...{ kind: 'sheet', name, ...sourceOf(written, compile) },
      ...sheet(),
    };
  }
  const where = toFilter(written.where, compile);
  const keysOf = (at: number) => document.keysAt([...rulePath(name, at, document), 'map']);
  const [built] = TARGETS.flatMap(({ build }) => build?.(written, { name, where, keysOf }) ?? []);
  return built ?? { kind: 'sheet', name, from: 'appointment', where, ...sheet() };
}

function sourceOf(written: Exclude<WrittenMirror, { from: 'appointments' }>, compile: CompileCondition) {
  switch (written.from) {
    case 'contacts':
      return { from: 'contact', where: toFilter(written.where, compile) } as const;
    case 'leads':
      return { from: 'lead', where: toFilter(written.where, compile) } as const;
    case 'conversations':
      return { from: 'conversation', where: toFilter(written.where, compile) } as const;
    case 'messages':
      return { from: 'message', where: toFilter(written.where, compile) } as const;
    default:
      return assertNever(written, 'source of a mirror');
  }
}

function sheetOf({
  name,
  written,
  document,
  deleted,
  language,
}: {
  readonly name: string;
  readonly written: WrittenMirror;
  readonly document: ConfigDocument;
  readonly deleted: 'clear' | 'keep';
  readonly language: SheetCarry['language'];
}) {
  const { sheet, columns } = written;
  if (sheet === undefined || columns === undefined)
    throw new Error(`mirror ${name} passed the checks without a target`);
  const order = document.keysAt(['mirrors', name, 'columns']);
  const found = findKeyColumn(
    order.map((header) => ({ header: header.trim(), template: columns[header]?.value })),
    sheet.key,
  );
  if ('advice' in found) throw new Error(`mirror ${name} passed the checks without a key column`);
  const about = { order, keyHeader: found.header, from: KIND_OF[written.from], deleted, language };
  return toSheet(sheet, columns, about);
}
