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
import type { Memory } from '../ports/memory.ts';
import type { PlatformBudget } from '../ports/quotas.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { DeadLetters, KnownObjects, WorkQueue } from '../ports/work.ts';
import type { ComparisonSession } from './comparison.ts';

/** What the console is made of; each part is read only when somebody opens a page. */
export interface ConsoleParts {
  readonly settings: ConsoleConfig;
  /** Names besides loopback under which the worker answers. */
  readonly hosts: readonly string[];
  /** For a browser that asks for none that there is. */
  readonly language: Language;
  readonly version: string;
  readonly access: ConsoleAccess;
  readonly acts: ActLog;
  readonly status: StatusSource;
  /** How much this worker wrote lately, and how late. */
  readonly pace: Pick<Pace, 'read'>;
  /** What this worker has used the request budgets for within the last minute. */
  readonly usage: Pick<Usage, 'read'>;
  readonly platformBudget: () => Promise<PlatformBudget>;
  /** Workers that were there since then. */
  readonly workersSince: (sinceMs: number) => Promise<readonly WorkerSeen[]>;
  /** The objects that an id may mean; `what` as of `findObjects`. */
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
  /** A comparison of its own session, beside the work. */
  readonly openAudit: () => Promise<ComparisonSession>;
  readonly openBoard: () => Promise<QueueBoard>;
  readonly leases: Leases;
  readonly deadLetters: DeadLetters;
  /** Where approvals stand, and what waits for one. */
  readonly memory: Memory;
  /** Takes up what was retried. */
  readonly queue: WorkQueue;
  /** What the story of an object is told from. */
  readonly story: ExplainParts;
  /** Events and rows stand at Google itself, so that links may lead there. */
  readonly hasGoogle: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whether cookies are for https only. */
export function isSecure({ address }: ConsoleConfig): boolean {
  return address?.startsWith('https:') ?? false;
}
