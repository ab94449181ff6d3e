import type { Changes } from '../engine/changes.ts';
import type { Hole, ResyncRequest } from '../engine/coverage.ts';
import type { DeadLetters } from '../engine/dead-letters.ts';
import type { WorkQueue } from '../engine/handler.ts';
import type { Journal } from '../engine/intake-store.ts';
import type { Leases } from '../engine/leases.ts';
import type { KnownObjects } from '../engine/ledger.ts';
import type { SharedMemory } from '../engine/memory.ts';
import type { Directory } from '../engine/mirror.ts';
import type { EntityKey, Snapshot } from '../engine/object.ts';
import type { WrittenMinute } from '../engine/poll-pace.ts';
import type { WorkerSeen } from '../engine/processes.ts';
import type { PlatformBudget } from '../engine/quotas.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import type { ConsoleConfig, Language } from '../mapping/config.ts';
import type { ConsoleAccess } from '../operate/console-access.ts';
import type { ExplainParts } from '../operate/explain.ts';
import type { MirroredRows } from '../operate/mirrored-rows.ts';
import type { PeopleIndex } from '../operate/people-index.ts';
import type { PendingHere, Place, PlaceStore } from '../operate/places.ts';
import type { RedisMirrorPace, Usage } from '../operate/process-reports.ts';
import type { StatusSource } from '../operate/status.ts';
import type { KeptReplayRuns } from '../platform/replay-runs.ts';
import type { ResyncProgress } from '../platform/resync-walk.ts';
import type { DeliveryLogStore } from '../platform/webhook-delivery.ts';
import type { ComparisonSession, ComparisonWaiting } from './comparison.ts';

/** The parts that the console uses. Each one is read only when a person opens a page. */
export interface ConsoleParts {
  readonly settings: ConsoleConfig;
  /** Names besides loopback under which the worker answers. */
  readonly hosts: readonly string[];
  /** For a browser that asks for no available language. */
  readonly language: Language;
  readonly version: string;
  readonly access: ConsoleAccess;
  readonly acts: ActLog;
  readonly status: StatusSource;
  /** How much all workers wrote in each minute, and how late. Both bounds are minutes since 1970. */
  readonly pace: { between(from: number, to: number): Promise<readonly WrittenMinute[]> };
  readonly mirrorPace: Pick<RedisMirrorPace, 'read'>;
  /** What this worker used the request budgets for within the last minute. */
  readonly usage: Pick<Usage, 'read'>;
  readonly platformBudget: () => Promise<PlatformBudget>;
  /** Workers that have reported since then. */
  readonly workersSince: (sinceMs: number) => Promise<readonly WorkerSeen[]>;
  /** The objects that an id may mean; `what` as in `findObjects`. */
  readonly find: (what: string, id: string) => Promise<readonly EntityKey[]>;
  readonly people: PeopleIndex;
  /** The platform's lists, as last read. */
  readonly directory: () => Directory;
  /** Zone of an appointment's branch, by which its times are shown and its day is searched. */
  readonly zoneOf: (snapshot: Snapshot) => string;
  readonly rows: MirroredRows;
  readonly journal: Journal;
  /** The newest webhooks of all workers. */
  readonly received: Pick<DeliveryLogStore, 'newest'>;
  readonly changes: Changes;
  readonly places: {
    /** The calendars and tabs of the YAML. */
    readonly all: readonly Place[];
    readonly store: Pick<PlaceStore, 'reached' | 'size'>;
    readonly pendingIn: (place: Place) => Promise<PendingHere>;
    /** Google's id of a tab, as last seen. */
    readonly tabId: (spreadsheetId: string, tab: string) => Promise<number | undefined>;
  };
  /** Names of the mirrors of the YAML. */
  readonly mirrors: readonly string[];
  readonly known: Pick<KnownObjects, 'count'>;
  readonly replays: KeptReplayRuns;
  readonly resyncs: Resyncs;
  /** Opens a session for a comparison, separate from the worker's work. */
  readonly openAudit: (waiting: ComparisonWaiting) => Promise<ComparisonSession>;
  readonly leases: Leases;
  readonly deadLetters: DeadLetters;
  /** Holds approvals, and what waits for one. */
  readonly memory: SharedMemory;
  /** Takes up retried objects. */
  readonly queue: WorkQueue;
  /** The parts from which the story of an object is made. */
  readonly story: ExplainParts;
  /** True when events and rows are at Google itself, so that links may lead there. */
  readonly hasGoogle: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whether cookies are for https only. */
export function isSecure({ address }: ConsoleConfig): boolean {
  return address?.startsWith('https:') ?? false;
}

/** Walks through the platform's lists at a user's request. */
export interface Resyncs {
  /** `isKnown`: the same walk was requested before and still runs. Undefined: others request one at the same time. */
  request(request: ResyncRequest): Promise<{ readonly id: string; readonly isKnown: boolean } | undefined>;
  progress(): Promise<ResyncProgress>;
  /** The requested walks that have not ended. */
  asked(): Promise<readonly Hole[]>;
}
