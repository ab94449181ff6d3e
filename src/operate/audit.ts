import { classOf, createClassReader } from '../calendar/class-target.ts';
import { fieldsOfEvent } from '../calendar/event-writer.ts';
import { type ClassSlot, classIdOf, storedClass } from '../engine/class-slot.ts';
import type { DirectoryKeeper } from '../engine/directory-keeper.ts';
import type { ErasureStore } from '../engine/erasure.ts';
import { WorkerError } from '../engine/errors.ts';
import { isSameToPeople, MARK } from '../engine/event-texts.ts';
import type { Difference } from '../engine/finding.ts';
import type { MirrorTarget, WorkQueue } from '../engine/handler.ts';
import { sheetPlace } from '../engine/ids.ts';
import type { IntakeStore } from '../engine/intake-store.ts';
import type { KnownObjects, Ledger } from '../engine/ledger.ts';
import {
  type ColumnType,
  type Mirror,
  type MirrorPlaces,
  ofKind,
  type SheetMirror,
} from '../engine/mirror.ts';
import { type EntityKey, type EntityKind, isReadable } from '../engine/object.ts';
import type { FieldChange, PlannedEvent, PlannedRow, PlannedStep, PlannedText } from '../engine/planned.ts';
import type { DirectorySource, PlatformReader } from '../engine/platform.ts';
import type { PlatformBudget } from '../engine/quotas.ts';
import { type Clock, SILENT } from '../engine/runtime.ts';
import type { Claim } from '../engine/work.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { CalendarEvent } from '../google/calendar-event.ts';
import type { SheetsApi } from '../google/sheets-api.ts';
import type { Config } from '../mapping/config.ts';
import { blockCalendars, namedCalendars } from '../mapping/needs.ts';
import { COLOR_NAME_OF } from '../mapping/schema/calendar.ts';
import { holds, RememberedTabs, TabSurvey, placesOf as tabsOf } from '../sheet/tab-survey.ts';
import { cellsById } from '../sheet/target.ts';
import { hasZone, spokenSerial } from '../sheet/typed-cell.ts';
import { type AuditProgress, type AuditResult, audit, type ClassTruth } from './audit/audit.ts';
import {
  type AppliedStep,
  applyPlan,
  type FixParts,
  fixAll,
  guardedPlaces,
  type Healed,
  type PlannedChange,
  planChanges,
} from './audit/fix.ts';
import type { Successor } from './mapping-change/inherit-links.ts';
import { readOnly } from './reading.ts';
import { type ReadingPhase, TimeLeft, WALK_SHARE } from './waiting.ts';

/** What was compared besides the mirrors. */
type Beside = Pick<AuditResult, 'objects' | 'standing' | 'unread' | 'unjudged'>;

export interface ActualParts {
  readonly survey: TabSurvey;
  /** Calendars that left the YAML, and in which events of the mirror are still linked. */
  readonly former: readonly string[];
}

interface Parts {
  readonly config: Config;
  readonly store: Pick<FixParts, 'dirtyMarks' | 'deadLetters' | 'links' | 'intake' | 'memory'> & {
    readonly known: KnownObjects;
    readonly erasures: ErasureStore;
    readonly ledger: Ledger;
  };
  readonly reader: PlatformReader;
  readonly calendars: CalendarApi;
  readonly sheets: SheetsApi;
  readonly actualOf: (mirror: Mirror, about: ActualParts) => MirrorPlaces;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly directory: DirectoryKeeper;
  /** Which mirror takes over whose links once workers run with this YAML. */
  readonly successors: () => Promise<readonly Successor[]>;
  readonly targets: () => Promise<readonly MirrorTarget[]>;
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  /** The platform's request budget, as far as its answers have shown it. */
  readonly platformBudget: () => Promise<PlatformBudget>;
  /** Undefined if there were never any blocks. */
  readonly auditBlocks: (tell: (difference: Difference) => void) => Promise<Beside | undefined>;
}

const PLATFORM_PAGE = 100;
const CALENDAR_PAGE = 250;
const SHEET_PAGE = 10_000;
export function auditOf(parts: Parts) {
  const { config, store, reader, queue, clock } = parts;
  const classes = classTruth(parts);
  const { introduce } = classes;
  return {
    async auditCost() {
      let [calendars, sheets, known] = [0, 0, 0];
      const phases = await phasesOf(parts);
      for (const [kind, { objects }] of phases) {
        known += objects;
        for (const mirror of config.mirrors.filter((each) => each.from === kind)) {
          if (mirror.kind === 'calendar')
            calendars += mirror.calendars.length + Math.floor(objects / CALENDAR_PAGE);
          else sheets += 2 + Math.floor(objects / SHEET_PAGE);
        }
      }
      if (config.blocks.length > 0) calendars += blockCalendars(config).length;
      const lists = [...phases.values()].reduce((sum, { requests }) => sum + requests, 0);
      const platform = 3 + lists + (await blockRequests(parts));
      // Its answer shows the limit, and the comparison needs it anyway.
      await parts.directory.readSince(clock.now());
      const { limit } = await parts.platformBudget();
      const perMinute = limit === undefined ? undefined : Math.max(1, Math.floor(limit * WALK_SHARE));
      const { calendarPerMinute, sheetsReadsPerMinute } = config.google.quotas;
      return {
        ...{ platform, google: calendars + sheets, known },
        minutes: perMinute === undefined ? 0 : Math.floor(platform / perMinute),
        googleMinutes: Math.floor(
          calendars / (calendarPerMinute * WALK_SHARE) + sheets / (sheetsReadsPerMinute * WALK_SHARE),
        ),
      };
    },
    async audit(about: {
      readonly tell: (difference: Difference) => void;
      readonly progress: (step: TimedProgress) => void;
    }): Promise<AuditResult> {
      const targets = await parts.targets();
      const { known, erasures: erased, ledger: view, deadLetters } = store;
      const { mirrors } = config;
      const nowMs = clock.now();
      const places = await placesOf(parts);
      const progress = await timed(parts, about.progress, await blockRequests(parts));
      const { tell } = about;
      const shown = await audit(
        { mirrors, reader, view, known, erased, classes, deadLetters, nowMs, targets, places, progress },
        tell,
      );
      const blocks = await parts.auditBlocks(tell);
      return blocks === undefined ? shown : withBlocks(shown, blocks);
    },
    async planChanges(about: {
      readonly tell: (change: PlannedChange) => void;
      readonly progress: (step: TimedProgress) => void;
      /** Whether to read the rows and events that would change, for their present content. */
      readonly isDetailed: boolean;
    }) {
      const { known, erasures: erased, ledger: view } = store;
      const [targets, nowMs] = [await parts.targets(), clock.now()];
      const progress = await timed(parts, about.progress);
      const { tell } = about;
      const directory = parts.directory.current();
      const successors = await parts.successors();
      const standing: PlannedChange[] = [];
      const result = await planChanges(
        {
          mirrors: config.mirrors,
          reader,
          view,
          known,
          erased,
          classes,
          nowMs,
          targets,
          directory,
          successors,
          progress,
        },
        ({ row, event, ...change }) => {
          if (!about.isDetailed || (row ?? event) === undefined) tell(change);
          else standing.push({ ...change, ...(row && { row }), ...(event && { event }) });
        },
      );
      const mirrors = ofKind(config.mirrors, 'sheet');
      const reading = { mirrors, api: parts.sheets, survey: surveyOf(parts) };
      const told = await withOldEvents(await withOldCells(standing, reading), parts.calendars);
      for (const change of told) tell(change);
      return result;
    },
    guardedPlaces: (steps: readonly AppliedStep[], standing: ReadonlyMap<string, number>) =>
      guardedPlaces({ memory: store.memory, nowMs: () => clock.now() }, steps, standing),
    applyPlan: (steps: readonly AppliedStep[], standing: ReadonlyMap<string, number>) =>
      applyPlan(
        {
          ...{ dirtyMarks: store.dirtyMarks, memory: store.memory, introduce, queue },
          nowMs: () => clock.now(),
        },
        steps,
        standing,
      ),
    async fixAll(chosen: readonly Difference[], standingIn: ReadonlyMap<string, number>): Promise<Healed> {
      const { dirtyMarks, deadLetters, ledger: view, links, intake, memory } = store;
      const isThere = async (calendarId: string, eventId: string) => {
        const seen = await parts.calendars.get(calendarId, eventId);
        return seen !== 'absent' && seen.status !== 'cancelled';
      };
      const removeEvent = async (calendarId: string, eventId: string) => {
        const seen = await parts.calendars.get(calendarId, eventId);
        return seen === 'absent' ? seen : parts.calendars.remove(calendarId, seen);
      };
      return fixAll(
        {
          ...{ dirtyMarks, deadLetters, view, links, intake, memory, queue, reader, introduce },
          ...{ isThere, removeEvent },
          nowMs: () => clock.now(),
        },
        chosen,
        standingIn,
      );
    },
  };
}

/** How far it is, and how long the rest lasts, where something shows that. */
export interface TimedProgress extends AuditProgress {
  readonly leftS?: number;
}

async function timed(parts: Parts, tell: (step: TimedProgress) => void, besides = 0) {
  const timeLeft = new TimeLeft(await phasesOf(parts), besides);
  return async (step: AuditProgress): Promise<void> => {
    const leftMs = timeLeft.after(step, await parts.platformBudget());
    tell({ ...step, ...(leftMs !== undefined && { leftS: leftMs / 1_000 }) });
  };
}

/** What is known of each kind, and the requests that list it. */
async function phasesOf({ config, store }: Parts): Promise<ReadonlyMap<EntityKind, ReadingPhase>> {
  const phases = new Map<EntityKind, ReadingPhase>();
  for (const kind of new Set(config.mirrors.map((mirror) => mirror.from))) {
    const objects = await store.known.count(kind);
    phases.set(kind, { objects, requests: isReadable(kind) ? Math.ceil((objects + 1) / PLATFORM_PAGE) : 0 });
  }
  return phases;
}

/** Blocks are compared after the mirrors, with a list of appointments of their own. */
async function blockRequests({ config, store }: Parts): Promise<number> {
  if (config.blocks.length === 0) return 0;
  return Math.ceil(((await store.known.count('appointment')) + 1) / PLATFORM_PAGE);
}

function withBlocks(shown: AuditResult, blocks: Beside): AuditResult {
  return {
    ...shown,
    objects: shown.objects + blocks.objects,
    standing: shown.standing + blocks.standing,
    unread: new Map([...shown.unread, ...blocks.unread]),
    unjudged: new Map([...shown.unjudged, ...blocks.unjudged]),
  };
}

function surveyOf({ sheets: api, store }: Parts): TabSurvey {
  return new TabSurvey({ api, memory: new RememberedTabs(readOnly(store.memory)), log: SILENT });
}

async function placesOf(parts: Parts): Promise<readonly MirrorPlaces[]> {
  const { config, store } = parts;
  const survey = surveyOf(parts);
  const former = await formerCalendars(config, store.known);
  return config.mirrors.map((mirror) =>
    parts.actualOf(mirror, { survey, former: former.get(mirror.name) ?? [] }),
  );
}

/** Per mirror: calendars that left the YAML, and in which its events are still linked. Each calendar is listed once. */
async function formerCalendars(
  config: Config,
  known: KnownObjects,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = config.mirrors.flatMap((mirror) => (mirror.kind === 'calendar' ? [mirror.name] : []));
  const seen = new Set(namedCalendars(config));
  const former = new Map<string, string[]>(names.map((name) => [name, []]));
  const look = async (claims: readonly Claim[]) => {
    for (const { links } of claims) {
      for (const name of names) {
        for (const { calendarId } of links[name]?.calendars ?? []) {
          if (seen.has(calendarId)) continue;
          seen.add(calendarId);
          former.get(name)?.push(calendarId);
        }
      }
    }
  };
  for (const kind of ['appointment', 'class'] as const) await known.each(kind, look);
  return former;
}

interface ClassTruthParts {
  readonly config: Pick<Config, 'mirrors'>;
  readonly directory: DirectorySource;
  readonly reader: PlatformReader;
  readonly store: { readonly intake: Pick<IntakeStore, 'observe'> };
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  readonly clock: Clock;
}

/** What an audit and a plan need to know about classes. `introduce` also takes in the classes that they have met. */
function classTruth(parts: ClassTruthParts): ClassTruth & Pick<ClassTruthParts, 'introduce'> {
  const { config, directory, reader, store, clock } = parts;
  const rules = ofKind(config.mirrors, 'calendar').map(({ classes }) => classes);
  const met = new Map<string, ClassSlot>();
  return {
    ...createClassReader({ reader, directory, clock }),
    slotFor(claim) {
      const slot = classOf(rules, claim, directory.current());
      if (slot !== undefined) met.set(classIdOf(slot), slot);
      return slot;
    },
    async introduce(key) {
      if (key.kind !== 'class') return parts.introduce(key);
      const slot = met.get(key.id);
      if (slot === undefined) return false;
      const nowMs = clock.now();
      const seen = { as: 'snapshot', snapshot: storedClass(slot, nowMs) } as const;
      await store.intake.observe({ key, source: 'operator', occurredAtMs: nowMs, force: true, seen });
      return true;
    },
  };
}

// Adds the present cells of rows to what a plan would write: each change with a row gets a field for each cell. Reads each tab once, and
// only tabs in which something would change.

type Changed = Pick<PlannedStep, 'place' | 'from' | 'fields' | 'row'>;
type Standing = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The field of a row whose cells would change, before the cells have been read. */
const WHOLE_ROW = 'cells';

export async function withOldCells<Change extends Changed>(
  changes: readonly Change[],
  parts: {
    readonly mirrors: readonly SheetMirror[];
    readonly api: SheetsApi;
    readonly survey: TabSurvey;
  },
): Promise<readonly Omit<Change, 'row'>[]> {
  const tabs = new Map(parts.mirrors.flatMap(tabsOf).map((tab) => [sheetPlace(tab), tab]));
  const read = new Map<string, Standing | WorkerError>();
  const told: Omit<Change, 'row'>[] = [];
  for (const { row, ...change } of changes) {
    const place = change.from ?? change.place;
    const tab = tabs.get(place);
    if (row === undefined || tab === undefined || !isOfCells(change.fields)) {
      told.push(change as Omit<Change, 'row'>);
      continue;
    }
    const standing = read.get(place) ?? (await look(tab, parts));
    read.set(place, standing);
    const others = (change.fields ?? []).filter(({ field }) => field !== WHOLE_ROW);
    told.push({ ...change, fields: [...cellChanges(row, standing), ...others] } as Omit<Change, 'row'>);
  }
  return told;
}

function isOfCells(fields: readonly FieldChange[] = []): boolean {
  return fields.some(({ field }) => field === WHOLE_ROW);
}

/** A tab that cannot be read leaves the rest of the plan as it is. */
async function look(
  tab: SheetMirror,
  parts: { readonly api: SheetsApi; readonly survey: TabSurvey },
): Promise<Standing | WorkerError> {
  try {
    return await cellsById(tab, parts);
  } catch (error) {
    if (error instanceof WorkerError) return error;
    throw error;
  }
}

function cellChanges(row: PlannedRow, standing: Standing | WorkerError): readonly FieldChange[] {
  if (standing instanceof WorkerError)
    return [{ field: `${WHOLE_ROW}, which cannot be read now (${standing.code})` }];
  const stands = standing.get(row.id);
  if (stands === undefined) return [{ field: 'row', old: 'not in the tab', new: 'written again' }];
  return row.cells.flatMap(({ header, value, as, isPersonal }): readonly FieldChange[] => {
    const old = stands[header];
    if (holds(old, value)) return [];
    const isMoment = typeof old === 'number' && hasZone(as);
    const isQuiet = isPersonal || !(isMoment || isHarmless(old, row.harmless));
    return [
      {
        ...{ field: header, old: spoken(old, as), new: spoken(value, as) },
        ...(isQuiet ? { personal: true as const } : {}),
      },
    ];
  });
}

function spoken(value: unknown, as: ColumnType | undefined): string {
  const text = typeof value === 'number' && as !== undefined ? spokenSerial(as, value) : undefined;
  return text ?? String(value ?? '');
}

// Adds the present content of events to what a plan would write: each change with an event gets a field for each difference. Reads only
// events that would change, and writes nothing.

type ChangedEvent = Pick<PlannedStep, 'fields' | 'event'>;
type Seen = CalendarEvent | 'absent' | WorkerError;

/** Up to this many events of a calendar are read one by one; more are read with its list, 250 per request. */
const READ_SINGLY = 20;
const INSTANTS = ['start', 'end'];
const VALUES = [...INSTANTS, 'color', 'visibility', 'busy'];

export async function withOldEvents<Change extends ChangedEvent>(
  changes: readonly Change[],
  api: Pick<CalendarApi, 'get' | 'marked'>,
): Promise<readonly Omit<Change, 'event'>[]> {
  const planned = changes.flatMap(({ event }) => event ?? []);
  const seen = new Map<PlannedEvent, Seen>();
  for (const calendarId of new Set(planned.map((event) => event.calendarId))) {
    const events = planned.filter((event) => event.calendarId === calendarId);
    await lookAtCalendar(calendarId, { events, api, seen });
  }
  return changes.map(({ event, ...change }) => {
    const found = event && seen.get(event);
    if (event === undefined || found === undefined) return change;
    return { ...change, fields: fieldsOf(event, found, change.fields ?? []) };
  });
}

/** A calendar that cannot be read leaves the rest of the plan as it is. After the first error, no more of its events are read. */
async function lookAtCalendar(
  calendarId: string,
  about: {
    readonly events: readonly PlannedEvent[];
    readonly api: Pick<CalendarApi, 'get' | 'marked'>;
    readonly seen: Map<PlannedEvent, Seen>;
  },
): Promise<void> {
  const { events, api, seen } = about;
  try {
    if (events.length > READ_SINGLY) {
      const byId = new Map(events.map((event) => [event.id, event]));
      for await (const found of api.marked(calendarId, MARK)) {
        const event = byId.get(found.id);
        if (event !== undefined) seen.set(event, found);
      }
    }
    // People's own events have no mark until the worker writes them.
    for (const event of events) if (!seen.has(event)) seen.set(event, await api.get(calendarId, event.id));
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error;
    for (const event of events) if (!seen.has(event)) seen.set(event, error);
  }
}

function fieldsOf(event: PlannedEvent, found: Seen, known: readonly FieldChange[]): readonly FieldChange[] {
  if (found instanceof WorkerError)
    return [...known, { field: `event, which cannot be read now (${found.code})` }];
  if (found === 'absent' || found.status === 'cancelled')
    return [{ field: 'event', old: 'not in the calendar', new: 'written again' }];
  const old = fieldsOfEvent(found);
  const differing = event.fields.flatMap((text) => changeOf(text, old[text.field], event.harmless));
  return [...differing, ...known.filter(({ field }) => field === 'status')];
}

function changeOf(
  { field, value, isPersonal }: PlannedText,
  old: string,
  words: readonly string[],
): readonly FieldChange[] {
  const isSame = INSTANTS.includes(field)
    ? Date.parse(old) === Date.parse(value)
    : isSameToPeople(old, value);
  if (isSame) return [];
  const isQuiet = isPersonal || !(VALUES.includes(field) || isHarmless(old, words));
  const spoken = (text: string) => (field === 'color' ? (COLOR_NAME_OF.get(text) ?? text) : text);
  return [{ field, old: spoken(old), new: spoken(value), ...(isQuiet ? { personal: true as const } : {}) }];
}

/**
 * Whether an old value may be shown. Another template may have written it, and people type what they like. So it is shown only if it
 * identifies nobody: a word of the object itself, a day, an hour, or a short number.
 */
function isHarmless(old: unknown, words: readonly string[]): boolean {
  if (typeof old === 'boolean') return true;
  const text = String(old ?? '').trim();
  return text === '' || words.includes(text) || HARMLESS.test(text);
}

const HARMLESS =
  /^(?:-?\d{1,5}(?:[.,]\d{1,2})?|(?:\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4})?[ T]?(?:\d\d?:\d\d(?::\d\d)?)?)$/;
