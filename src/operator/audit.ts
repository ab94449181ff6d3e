import type { Config } from '../config/config.ts';
import { blockCalendars, namedCalendars } from '../config/needs.ts';
import type { Difference } from '../domain/difference.ts';
import type { EntityKey } from '../domain/entity.ts';
import { type Mirror, ofKind } from '../domain/mirror.ts';
import type { Claim } from '../domain/work.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { SheetsApi } from '../google/sheets-api.ts';
import { TabSurvey } from '../mirrors/sheet/tab/survey.ts';
import { RememberedTabs } from '../mirrors/sheet/tab/tab-memory.ts';
import type { MirrorTarget } from '../ports/handler.ts';
import type { MirrorPlaces } from '../ports/operator.ts';
import type { DirectorySource, PlatformReader } from '../ports/platform.ts';
import type { Clock } from '../ports/runtime.ts';
import { SILENT } from '../ports/runtime.ts';
import type { KnownObjects, ObjectView, WorkQueue } from '../ports/work.ts';
import { type AppliedStep, applyPlan, guardedPlaces } from '../upkeep/audit/apply.ts';
import { type AuditProgress, type AuditResult, audit } from '../upkeep/audit/audit.ts';
import { type FixParts, fixAll, type Healed } from '../upkeep/audit/fix.ts';
import { type PlannedChange, planChanges } from '../upkeep/audit/plan.ts';
import type { Heir } from '../upkeep/mapping-change/heirs.ts';
import { classTruth } from './class-truth.ts';
import { withOldCells } from './old-cells.ts';
import { withOldEvents } from './old-events.ts';
import { readOnly } from './read-only.ts';

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
    readonly ledger: ObjectView;
  };
  readonly reader: PlatformReader;
  readonly calendars: CalendarApi;
  readonly sheets: SheetsApi;
  /** Reads the places of a mirror. */
  readonly actualOf: (mirror: Mirror, about: ActualParts) => MirrorPlaces;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly directory: DirectorySource;
  /** Which mirror takes over whose links once workers run with this YAML. */
  readonly heirs: () => Promise<readonly Heir[]>;
  readonly targets: () => Promise<readonly MirrorTarget[]>;
  readonly introduce: (key: EntityKey) => Promise<boolean>;
  /** Undefined if there were never any blocks. */
  readonly auditBlocks: (tell: (difference: Difference) => void) => Promise<Beside | undefined>;
}

const PLATFORM_PAGE = 100;
const CALENDAR_PAGE = 250;
const SHEET_PAGE = 10_000;

/** The audit of the operator's session. */
export function auditOf(parts: Parts) {
  const { config, store, reader, queue, clock } = parts;
  const classes = classTruth(parts);
  const { introduce } = classes;
  return {
    async auditCost() {
      let [platform, google] = [3, 0];
      for (const kind of new Set(config.mirrors.map((mirror) => mirror.from))) {
        const objects = await store.known.count(kind);
        if (kind !== 'lead' && kind !== 'message') platform += Math.ceil((objects + 1) / PLATFORM_PAGE);
        for (const mirror of config.mirrors.filter((each) => each.from === kind)) {
          google +=
            mirror.kind === 'calendar'
              ? mirror.calendars.length + Math.floor(objects / CALENDAR_PAGE)
              : 2 + Math.floor(objects / SHEET_PAGE);
        }
      }
      if (config.blocks.length > 0) {
        platform += Math.ceil(((await store.known.count('appointment')) + 1) / PLATFORM_PAGE);
        google += blockCalendars(config).length;
      }
      return { platform, google };
    },
    async audit(about: {
      readonly tell: (difference: Difference) => void;
      readonly progress: (step: AuditProgress) => void;
    }): Promise<AuditResult> {
      const targets = await parts.targets();
      const { known, ledger: view, deadLetters } = store;
      const { mirrors } = config;
      const nowMs = clock.now();
      const places = await placesOf(parts);
      const { progress, tell } = about;
      const shown = await audit(
        { mirrors, reader, view, known, classes, deadLetters, nowMs, targets, places, progress },
        tell,
      );
      const blocks = await parts.auditBlocks(tell);
      return blocks === undefined ? shown : withBlocks(shown, blocks);
    },
    async planChanges(about: {
      readonly tell: (change: PlannedChange) => void;
      readonly progress: (step: AuditProgress) => void;
      /** Whether to read the rows and events that would change, for their present content. */
      readonly isDetailed: boolean;
    }) {
      const { known, ledger: view } = store;
      const [targets, nowMs] = [await parts.targets(), clock.now()];
      const { progress, tell } = about;
      const directory = parts.directory.current();
      const heirs = await parts.heirs();
      const standing: PlannedChange[] = [];
      const result = await planChanges(
        { mirrors: config.mirrors, reader, view, known, classes, nowMs, targets, directory, heirs, progress },
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
      const removeEvent = async (calendarId: string, eventId: string) => {
        const seen = await parts.calendars.get(calendarId, eventId);
        return seen === 'absent' ? seen : parts.calendars.remove(calendarId, seen);
      };
      return fixAll(
        {
          ...{ dirtyMarks, deadLetters, view, links, intake, memory, queue, reader, introduce, removeEvent },
          nowMs: () => clock.now(),
        },
        chosen,
        standingIn,
      );
    },
  };
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
