import type { EntityKind } from '../../domain/entity.ts';
import type { ConfigDocument } from '../document.ts';
import { formatPath, type Path } from '../path.ts';
import type { Advice, ProblemList } from '../problem.ts';
import { MIRROR_NAME } from '../schema/mirror.ts';
import { ARCHIVE_FIELDS } from '../schema/sheet.ts';
import type { CompileCondition } from '../schema/where-content.ts';
import { findKeyColumn } from './key-column.ts';
import type { MirrorSketch } from './sketch.ts';

/** Why a template does not parse; line and column count from 1 inside the template. */
export interface TemplateProblem {
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** What a configuration is checked and built with: the engine of templates stands behind it. */
export interface ConfigChecks {
  /** Asks the one who renders; undefined: the template, or the condition, is fine. */
  checkTemplate(
    source: string,
    from?: EntityKind,
    form?: 'template' | 'condition',
  ): TemplateProblem | undefined;
  /** Compiles a condition that `checkTemplate` has found nothing wrong with. */
  readonly compileCondition: CompileCondition;
}

/** What no single setting can know: parts that exclude or need each other, things mapped twice, templates. */
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
    checkResources(sketch, sayAtKey);
    checkTitles(sketch, say);
    checkHeaders(sketch, sayAtKey);
    checkKeyColumn(sketch, say);
    checkArchive(sketch, say);
    for (const { path, source, isCondition } of sketch.templates) {
      const form = isCondition ? 'condition' : 'template';
      const problem = report.checks.checkTemplate(source, sketch.from, form);
      if (problem) sayInTemplate(path, problem, { document, problems: report.problems });
    }
  }
  const lineOf = (path: Path) => document.placeOf(path).line;
  checkCalendars(sketches, say, lineOf);
  checkTabs(sketches, say, lineOf);
}

type Say = (path: Path, advice: Advice) => void;

function checkName({ path, name }: MirrorSketch, say: Say): void {
  if (MIRROR_NAME.test(name)) return;
  say(path, {
    what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
    fix: 'rename the mirror, for example staff-calendars',
  });
}

function checkParts({ path, parts, from }: MirrorSketch, say: Say): void {
  const has = (part: string) => parts.has(part);
  // Of the others the schema has said so already.
  const mayHaveCalendars = from === undefined || from === 'appointment';
  if (has('calendars') && has('sheet') && mayHaveCalendars) {
    say([...path, 'sheet'], {
      what: 'the mirror has both calendars and sheet',
      fix: 'make two mirrors of it, one for each',
    });
  } else if (!has('calendars') && !has('sheet')) {
    say(path, { what: 'has neither calendars nor sheet, so it goes nowhere', fix: 'add one of the two' });
  }
  if (has('calendars') && !has('event') && mayHaveCalendars) {
    say([...path, 'event'], {
      what: 'is missing',
      fix: 'say what the events look like: event: { title: "{{ service_name }}, {{ customer_name }}" }',
    });
  }
  if (has('event') && !has('calendars') && has('sheet') && mayHaveCalendars) {
    say([...path, 'event'], { what: 'belongs to a mirror with calendars', fix: 'remove it' });
  }
  if (has('staff_edits') && !has('calendars') && has('sheet') && mayHaveCalendars) {
    say([...path, 'staff_edits'], { what: 'belongs to a mirror with calendars', fix: 'remove it' });
  }
  if (has('sheet') && !has('columns')) {
    say([...path, 'columns'], {
      what: 'is missing',
      fix: 'say what stands in the sheet: columns: { ID: "{{ id }}" }',
    });
  }
  if (has('columns') && !has('sheet') && has('calendars')) {
    say([...path, 'columns'], { what: 'belongs to a mirror with a sheet', fix: 'remove it' });
  }
}

function checkResources(sketch: MirrorSketch, say: Say): void {
  const seen = new Set<string>();
  for (const { path, resource } of sketch.calendars) {
    const name = resource.trim();
    if (name === '') say(path, { what: 'names no resource', fix: 'write the name or the id of one' });
    if (seen.has(name)) say(path, { what: 'the same resource stands twice', fix: 'keep one of the two' });
    seen.add(name);
  }
}

/** A title that silently did nothing would let somebody believe that a calendar hides what it shows. */
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
    // People retype headers: what differs in case only would be one column to them.
    const folded = header.normalize('NFC').toLowerCase();
    const twin = seen.get(folded);
    if (twin !== undefined) {
      say(path, {
        what: `is the same header as ${JSON.stringify(twin)}: case and blanks around it do not count`,
        fix: 'rename one of the two',
      });
    } else seen.set(folded, header);
  }
}

function checkKeyColumn({ path, parts, columns, key }: MirrorSketch, say: Say): void {
  // A template that could not be read may have been the one that holds the id.
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
    what: `${JSON.stringify(by)} is no time that ${from}s have`,
    fix: `write one of: ${ARCHIVE_FIELDS[from].join(', ')}`,
  });
}

function checkCalendars(sketches: readonly MirrorSketch[], say: Say, lineOf: (path: Path) => number): void {
  const first = new Map<string, Path>();
  for (const { path, calendarId } of sketches.flatMap((sketch) => sketch.calendars)) {
    if (calendarId === undefined) continue;
    const id = calendarId.toLowerCase();
    const twin = first.get(id);
    if (twin) {
      say(path, {
        what: `the calendar is mapped already, by ${formatPath(twin)} in line ${lineOf(twin)}`,
        fix: 'give every calendar one place only: two would undo what the other wrote',
      });
    } else first.set(id, path);
  }
}

function checkTabs(sketches: readonly MirrorSketch[], say: Say, lineOf: (path: Path) => number): void {
  const first = new Map<string, Path>();
  const tabs = sketches.flatMap(({ path, archive, ...home }) => [
    { ...home, own: [...path, 'sheet', 'tab'] },
    ...(archive === undefined ? [] : [{ ...archive, own: [...path, 'sheet', 'archive', 'tab'] }]),
  ]);
  for (const { own, spreadsheetId, tab } of tabs) {
    if (spreadsheetId === undefined || tab === undefined) continue;
    // Google tells tabs of one spreadsheet apart without regard to case.
    const id = `${spreadsheetId}/${tab.toLowerCase()}`;
    const twin = first.get(id);
    if (twin) {
      say(own, {
        what: `the tab is written to already, by ${formatPath(twin)} in line ${lineOf(twin)}`,
        fix: 'give every mirror a tab of its own',
      });
    } else first.set(id, own);
  }
}

/** Says what is wrong with a template at the very place where it is wrong, as far as that can be told. */
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

/** Why a template cannot be used. */
function adviseTemplate(problem: TemplateProblem, isFilled: boolean): Advice {
  const fix = 'correct the template; its language is Liquid';
  // The message may quote the template, and what came from a variable is shown to nobody.
  if (isFilled)
    return { what: 'the template cannot be used (variables went into it, so it is not shown)', fix };
  const place =
    problem.line === undefined ? '' : ` (line ${problem.line} of the template${columnOf(problem)})`;
  return { what: `the template cannot be used: ${problem.message.replaceAll(/\s+/g, ' ')}${place}`, fix };
}

function columnOf(problem: TemplateProblem): string {
  return problem.column === undefined ? '' : `, column ${problem.column}`;
}
