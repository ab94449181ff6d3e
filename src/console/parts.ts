import type { ConsoleConfig, Language } from '../config/config.ts';
import type { EntityKey } from '../domain/entity.ts';
import type { ExplainParts } from '../ops/explain.ts';
import type { Pace } from '../ops/pace.ts';
import type { StatusSource } from '../ops/status.ts';
import type { Usage } from '../ops/usage.ts';
import type {
  ActLog,
  Changes,
  ConsoleAccess,
  PeopleSearch,
  QueueBoard,
  ReplayRuns,
  Resyncs,
  RowLookup,
  WorkerSeen,
} from '../ports/console.ts';
import type { Journal } from '../ports/intake.ts';
import type { Leases } from '../ports/leases.ts';
import type { SharedMemory } from '../ports/memory.ts';
import type { PlatformBudget } from '../ports/quotas.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { DeadLetters, KnownObjects, WorkQueue } from '../ports/work.ts';
import type { ComparisonSession } from './comparison.ts';

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
  /** How much this worker wrote recently, and how late. */
  readonly pace: Pick<Pace, 'read'>;
  /** What this worker used the request budgets for within the last minute. */
  readonly usage: Pick<Usage, 'read'>;
  readonly platformBudget: () => Promise<PlatformBudget>;
  /** Workers that have reported since then. */
  readonly workersSince: (sinceMs: number) => Promise<readonly WorkerSeen[]>;
  /** The objects that an id may mean; `what` as in `findObjects`. */
  readonly find: (what: string, id: string) => Promise<readonly EntityKey[]>;
  readonly people: PeopleSearch;
  readonly rows: RowLookup;
  readonly journal: Journal;
  readonly changes: Changes;
  /** Names of the mirrors of the YAML. */
  readonly mirrors: readonly string[];
  readonly known: Pick<KnownObjects, 'count'>;
  readonly replays: ReplayRuns;
  readonly resyncs: Resyncs;
  /** Opens a session for a comparison, separate from the worker's work. */
  readonly openAudit: () => Promise<ComparisonSession>;
  readonly openBoard: () => Promise<QueueBoard>;
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
