import type { Mirror } from '../engine/mirror.ts';
import { type Division, type EntityKind, isRecord, type PlatformKind } from '../engine/object.ts';
import { foldedText } from '../engine/plain-text.ts';
import { CARRIED_FIELDS } from '../engine/row-edit.ts';
import { calendarNamed } from './calendar-kinds.ts';
import type { ConfigDocument } from './document.ts';
import { isEmpty } from './kinds/section.ts';
import type { Advice, Path } from './problem.ts';
import { DIVISIONS } from './schema/calendar.ts';
import { KIND_OF, SOURCES, TARGETS } from './schema/mirror.ts';
import { carriedField, spreadsheetIdOf } from './schema/sheet.ts';

/**
 * What can be read of a mirror that may have mistakes. With it, the checks across settings report in the same run as the schema. It omits
 * values that do not fit, because the schema has reported them.
 */
export interface MirrorSketch {
  readonly name: string;
  readonly path: Path;
  readonly from: PlatformKind | undefined;
  /** Keys that have a value. */
  readonly parts: ReadonlySet<string>;
  readonly rules: readonly SketchedRule[];
  readonly calendars: readonly SketchedCalendar[];
  /** What happens to deleted events, as written. */
  readonly deletedEvents: string | undefined;
  readonly classes: SketchedClasses;
  readonly spreadsheetId: string | undefined;
  readonly tab: string | undefined;
  /** Undefined without an archive. If the archive names no spreadsheet, this is the sheet's. */
  readonly archive: SketchedArchive | undefined;
  readonly key: string | undefined;
  /** What happens to changed cells, and the header of the answers, as written. */
  readonly edited: string | undefined;
  readonly answers: string | undefined;
  /** Header of the column of ticks, as written. */
  readonly cancel: string | undefined;
  readonly columns: readonly SketchedColumn[];
  readonly templates: readonly SketchedTemplate[];
}

export interface SketchedTemplate {
  readonly path: Path;
  readonly source: string;
  /** Absent: the kind of the mirror. */
  readonly kind?: EntityKind;
  /** The source is not a text with tags, but what is between `{% if` and `%}`. */
  readonly isCondition?: true;
}

export interface SketchedClasses {
  readonly services: readonly string[];
  /** Services for which the file says a number of places. */
  readonly places: readonly string[];
}

export interface SketchedArchive {
  readonly spreadsheetId: string | undefined;
  readonly tab: string | undefined;
  readonly by: string | undefined;
}

export interface SketchedCalendar {
  readonly path: Path;
  readonly by: Division;
  /** Undefined for `by: all`. */
  readonly subject: string | undefined;
  readonly calendarId: string | undefined;
  /** What the calendar shows, as written. */
  readonly shows: string | undefined;
  readonly title: string | undefined;
  readonly account: string | undefined;
}

export interface SketchedRule {
  readonly path: Path;
  /** Undefined for an unknown value. */
  readonly by: Division | undefined;
  /** Keys that have a value. */
  readonly parts: ReadonlySet<string>;
}

export interface SketchedColumn {
  readonly path: Path;
  readonly header: string;
  /** Undefined when the value is not a template. */
  readonly template: string | undefined;
  /** Its type, as written. */
  readonly as: string | undefined;
  readonly templates: readonly { readonly path: Path; readonly source: string }[];
}

export function sketchMirrors(root: unknown, document: ConfigDocument): readonly MirrorSketch[] {
  return document.keysAt(['mirrors']).map((name) => {
    const mirror = groupIn(groupIn(root, 'mirrors'), name);
    const path: Path = ['mirrors', name];
    const columns = sketchColumns(mirror, path, document);
    const sheet = groupIn(mirror, 'sheet');
    const rules = sketchRules(mirror, name, document);
    const calendars = rules.flatMap((rule) => sketchCalendars(rule, document));
    return {
      name,
      path,
      from: kindOf(mirror['from']),
      parts: filledKeys(mirror),
      rules,
      calendars,
      deletedEvents: textIn(groupIn(mirror, 'staff_edits'), 'deleted'),
      classes: sketchClasses(mirror),
      spreadsheetId: spreadsheetIdOf(textIn(sheet, 'spreadsheet') ?? ''),
      tab: textIn(sheet, 'tab'),
      archive: sketchArchive(sheet),
      key: textIn(sheet, 'key'),
      edited: textIn(sheet, 'edited'),
      answers: textIn(sheet, 'answers'),
      cancel: textIn(sheet, 'cancel'),
      columns,
      templates: [
        ...sourceAt(groupIn(mirror, 'where'), 'if', [...path, 'where']).map(
          (found) => ({ ...found, isCondition: true }) as const,
        ),
        ...TARGETS.flatMap(({ texts }) =>
          Object.entries(texts).flatMap(([part, settings]) =>
            settings.flatMap((each) => sourceAt(groupIn(mirror, part), each, [...path, part])),
          ),
        ),
        ...['title', 'description'].flatMap((part) =>
          sourceAt(groupIn(mirror, 'classes'), part, [...path, 'classes']).map(
            (found) => ({ ...found, kind: 'class' }) as const,
          ),
        ),
        ...sourceAt(groupIn(mirror, 'classes'), 'guests', [...path, 'classes']),
        ...calendars.flatMap(titleOf),
        ...columns.flatMap((column) => column.templates),
      ],
    };
  });
}

function sketchClasses(mirror: Record<string, unknown>): SketchedClasses {
  const classes = groupIn(mirror, 'classes');
  const { services } = classes;
  const written: readonly unknown[] = Array.isArray(services) ? services : [services];
  return {
    services: written.flatMap((each) => (typeof each === 'string' ? [each.trim()] : [])),
    places: Object.keys(groupIn(classes, 'places')),
  };
}

function sketchArchive(sheet: Record<string, unknown>): SketchedArchive | undefined {
  const archive = groupIn(sheet, 'archive');
  if (Object.keys(archive).length === 0) return undefined;
  const spreadsheet = textIn(archive, 'spreadsheet') ?? textIn(sheet, 'spreadsheet') ?? '';
  return {
    spreadsheetId: spreadsheetIdOf(spreadsheet),
    tab: textIn(archive, 'tab'),
    by: textIn(archive, 'by'),
  };
}

function kindOf(from: unknown): PlatformKind | undefined {
  const source = SOURCES.find((each) => each === from);
  return source === undefined ? undefined : KIND_OF[source];
}

/** A single rule needs no list. */
export function rulePath(mirror: string, at: number, document: ConfigDocument): Path {
  const path = ['mirrors', mirror, 'calendars'];
  return document.isList(path) ? [...path, at] : path;
}

interface WrittenRule extends SketchedRule {
  readonly written: Record<string, unknown>;
}

function sketchRules(
  mirror: Record<string, unknown>,
  name: string,
  document: ConfigDocument,
): readonly WrittenRule[] {
  const { calendars } = mirror;
  const groups: readonly unknown[] = Array.isArray(calendars) ? calendars : [calendars];
  return groups.flatMap((written, at) => {
    if (!isRecord(written)) return [];
    const by = textIn(written, 'by') ?? 'resource';
    return [
      {
        path: rulePath(name, at, document),
        by: DIVISIONS.find((each) => each === by),
        parts: filledKeys(written),
        written,
      },
    ];
  });
}

/** As the worker will spell it; as written, where it is no calendar. */
export function calendarIn<Written extends string | undefined>(written: Written): string | Written {
  return (written && calendarNamed(written)) ?? written;
}

function sketchCalendars(
  { path, by, parts, written }: WrittenRule,
  document: ConfigDocument,
): readonly SketchedCalendar[] {
  if (by === undefined) return [];
  const entryAt = (group: Record<string, unknown>, key: string) => ({
    calendarId: calendarIn(textIn(group, key) ?? textIn(groupIn(group, key), 'id')),
    shows: textIn(groupIn(group, key), 'show'),
    title: textIn(groupIn(group, key), 'title'),
    account: textIn(groupIn(group, key), 'account'),
  });
  const mapPath = [...path, 'map'];
  const map = groupIn(written, 'map');
  const lines = document
    .keysAt(mapPath)
    .map((subject) => ({ path: [...mapPath, subject], by, subject, ...entryAt(map, subject) }));
  if (!parts.has('calendar')) return lines;
  const everything = { path: [...path, 'calendar'], by, subject: undefined };
  return [...lines, { ...everything, ...entryAt(written, 'calendar') }];
}

function sketchColumns(
  mirror: Record<string, unknown>,
  path: Path,
  document: ConfigDocument,
): SketchedColumn[] {
  const columnsPath = [...path, 'columns'];
  const columns = groupIn(mirror, 'columns');
  return document.keysAt(columnsPath).map((header) => ({
    path: [...columnsPath, header],
    header: header.trim(),
    template: textIn(columns, header) ?? textIn(groupIn(columns, header), 'value'),
    as: textIn(groupIn(columns, header), 'as'),
    templates: [
      ...sourceAt(columns, header, columnsPath),
      ...['value', 'currency'].flatMap((part) =>
        sourceAt(groupIn(columns, header), part, [...columnsPath, header]),
      ),
    ],
  }));
}

function titleOf({ path, title }: SketchedCalendar): { path: Path; source: string }[] {
  return title === undefined ? [] : [{ path: [...path, 'title'], source: title }];
}

export function sourceAt(
  group: Record<string, unknown>,
  key: string,
  path: Path,
): { path: Path; source: string }[] {
  const source = textIn(group, key);
  return source === undefined ? [] : [{ path: [...path, key], source }];
}

export function groupIn(value: unknown, key: string): Record<string, unknown> {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

/** Undefined for an empty text too: an unset variable leaves one behind. */
export function textIn(group: Record<string, unknown>, key: string): string | undefined {
  const found = Object.hasOwn(group, key) ? group[key] : undefined;
  return typeof found === 'string' && found.trim() !== '' ? found.trim() : undefined;
}

/** Keys that have a value, as the schema sees it. */
export function filledKeys(group: Record<string, unknown>): ReadonlySet<string> {
  return new Set(Object.keys(group).filter((key) => !isEmpty(group[key])));
}

type Say = (path: Path, advice: Advice) => void;

/** Checks what `edited: carry` requires and excludes. */
export function checkCarry(sketch: MirrorSketch, say: Say): void {
  const { path, from, edited, cancel, archive } = sketch;
  const sheet = [...path, 'sheet'];
  if (edited !== 'carry') return;
  if (cancel !== undefined && from === 'contact')
    say([...sheet, 'cancel'], {
      what: 'is for appointments: contacts are not cancelled',
      fix: 'remove it',
    });
  if (from !== undefined && from !== 'contact' && from !== 'appointment') {
    say([...sheet, 'edited'], {
      what: `${from}s cannot be changed in a sheet, only contacts and appointments`,
      fix: 'write edited: restore or leave',
    });
    return;
  }
  if (archive !== undefined)
    say([...sheet, 'archive'], {
      what: 'cannot be combined with edited: carry: the worker cannot tell a row that moves from one that people changed',
      fix: 'remove one of the two',
    });
  if (from === 'appointment') checkStart(sketch, say);
  else checkFields(sketch, say);
  checkAdded(sketch, say);
}

function checkFields({ path, columns }: MirrorSketch, say: Say): void {
  if (columns.some(({ template, as }) => carriedField('contact', template, as) !== undefined)) return;
  say([...path, 'sheet', 'edited'], {
    what: 'nothing can be carried: no column shows a field unchanged',
    fix: `add a column that is exactly ${CARRIED_FIELDS.map((field) => `{{ ${field} }}`).join(', ')}`,
  });
}

/** An id alone proves nothing: a row must also show the start and another field, whether people move rows or only cancel. */
function checkStart({ path, columns }: MirrorSketch, say: Say): void {
  const fields = columns.map(({ template, as }) => carriedField('appointment', template, as));
  const starts = columns.filter((_, at) => fields[at] === 'start');
  const edited = [...path, 'sheet', 'edited'];
  if (starts.length === 0)
    say(edited, {
      what: 'nothing can be carried: no column shows the start as a date with a time',
      fix: `add a column such as Start: { value: "{{ starts_at }}", as: datetime }`,
    });
  const [, second] = starts;
  if (second !== undefined)
    say(second.path, {
      what: 'shows the start a second time: the worker could not tell which one counts',
      fix: 'leave one column with { value: "{{ starts_at }}", as: datetime }',
    });
  const isId = (template = '') => /^\s*\{\{-?\s*id\s*-?\}\}\s*$/.test(template);
  const telling = columns.filter(({ template }, at) => fields[at] === 'shown' && !isId(template));
  if (telling.length === 0)
    say(edited, {
      what: 'no column besides the id and the start shows whose row it is',
      fix: 'add a column such as Name: "{{ customer_name }}"',
    });
}

function checkAdded({ path, answers, cancel, columns }: MirrorSketch, say: Say): void {
  const sheet = [...path, 'sheet'];
  const isTaken = (name: string) => columns.some(({ header }) => foldedText(header) === foldedText(name));
  const taken = {
    what: 'is the header of a column of the mirror',
    fix: 'name another column, which the worker adds',
  };
  if (answers === undefined)
    say([...sheet, 'answers'], {
      what: 'is missing: people must see the result of a change',
      fix: 'name the column for it, for example answers: Answer',
    });
  else if (isTaken(answers)) say([...sheet, 'answers'], taken);
  if (cancel === undefined) return;
  if (isTaken(cancel)) say([...sheet, 'cancel'], taken);
  else if (foldedText(cancel) === foldedText(answers ?? ''))
    say([...sheet, 'cancel'], {
      what: 'is the column of the answers',
      fix: 'name another column, for example cancel: Cancel',
    });
}

/** Warnings for `check`: settings that are allowed, but may carry less than their author expects. */
export function warnOfCarry(mirrors: readonly Mirror[]): readonly string[] {
  return mirrors.flatMap((mirror) => {
    if (mirror.kind !== 'sheet' || mirror.from !== 'contact' || mirror.carry === undefined) return [];
    const at = `mirrors.${mirror.name}`;
    const { carry } = mirror;
    const isOwn = (header: string) => header === mirror.keyHeader || header === carry.answerHeader;
    const others = mirror.columns.filter(
      ({ header, template }) =>
        !isOwn(header) &&
        CARRIED_FIELDS.some((field) => template.includes(field)) &&
        !carry.columns.some((column) => column.header === header),
    );
    const telling = carry.columns.filter(({ field }) => field !== 'lifecycle');
    return [
      ...others.map(
        ({ header }) =>
          `${at}.columns.${header}: changes of its cells are put back. Only a column that shows a field unchanged can be carried: {{ name }}, without a filter and as text.`,
      ),
      ...(telling.length > 1
        ? []
        : [
            `${at}.columns: a change counts only if another of name, phone and e-mail stays unchanged. With only one such column, it can never be changed.`,
          ]),
    ];
  });
}
