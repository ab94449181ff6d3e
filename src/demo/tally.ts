import { recoveredFromFeed } from './metrics.ts';
import type { Measured } from './report.ts';
import type { Stage } from './stage.ts';

type Counted = Pick<
  Measured,
  | 'webhooksSent'
  | 'webhooksLost'
  | 'webhooksDoubled'
  | 'recoveredFromFeed'
  | 'kills'
  | 'googleCalls'
  | 'sheetWriteRequests'
  | 'platformCalls'
  | 'platformWrites'
  | 'mailsSent'
  | 'faultsInjected'
>;

const SHEET_WRITES = /^spreadsheets\.(batchUpdate|values\.(append|update|batchUpdate|clear|batchClear)\w*)$/;

/** Counts what happens from its making to its close: the sandboxes' counters, and the worker's, which start again with each kill. */
export class Tally {
  readonly #stage: Stage;
  readonly #before: Snapshot;
  #recovered: number[] = [];
  #kills = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#before = snapshotOf(stage);
  }

  /** The worker's counters die with it. */
  async beforeKill(): Promise<void> {
    this.#recovered.push(recoveredFromFeed(await this.#stage.worker.metrics()));
    this.#kills += 1;
  }

  async close(): Promise<Counted> {
    this.#recovered.push(recoveredFromFeed(await this.#stage.worker.metrics()));
    const before = this.#before;
    const now = snapshotOf(this.#stage);
    return {
      webhooksSent: now.webhooksSent - before.webhooksSent,
      webhooksLost: now.webhooksLost - before.webhooksLost,
      webhooksDoubled: now.webhooksDoubled - before.webhooksDoubled,
      recoveredFromFeed: this.#recovered.reduce((sum, count) => sum + count, 0),
      kills: this.#kills,
      googleCalls: now.googleCalls - before.googleCalls,
      sheetWriteRequests: now.sheetWriteRequests - before.sheetWriteRequests,
      platformCalls: now.platformCalls - before.platformCalls,
      // From the very start: a write is a write, whenever it was made.
      platformWrites: now.platformWrites,
      mailsSent: now.mailsSent,
      faultsInjected: now.faults - before.faults,
    };
  }
}

type Snapshot = ReturnType<typeof snapshotOf>;

function snapshotOf({ platform, google, api }: Stage) {
  const ofPlatform = platform.stats();
  const ofGoogle = google.stats();
  const routes = Object.entries(ofPlatform.requestsByRoute);
  // The other programs of the company make nothing but writes, and the worker should make none.
  const writes = total(routes.filter(([route]) => !route.startsWith('GET ')));
  return {
    webhooksSent: ofPlatform.webhooksSent,
    webhooksLost: ofPlatform.webhooksLost,
    webhooksDoubled: ofPlatform.webhooksDoubled,
    googleCalls: ofGoogle.calls,
    sheetWriteRequests: total(
      Object.entries(ofGoogle.callsByMethod).filter(([name]) => SHEET_WRITES.test(name)),
    ),
    platformCalls: ofPlatform.requests - api.calls,
    platformWrites: writes - api.calls,
    // A service account has no guests to mail: what counts is whether any call asked to.
    mailsSent: Math.max(ofGoogle.mailsSent, ofGoogle.notifyingCalls),
    faults: platform.faults.hits() + google.faults.hits(),
  };
}

function total(entries: readonly (readonly [string, number])[]): number {
  return entries.reduce((sum, [, count]) => sum + count, 0);
}
