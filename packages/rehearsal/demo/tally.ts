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
  | 'caldavRequests'
  | 'sheetWriteRequests'
  | 'platformCalls'
  | 'platformWrites'
  | 'mailsSent'
  | 'faultsInjected'
>;

const SHEET_WRITES = /^spreadsheets\.(batchUpdate|values\.(append|update|batchUpdate|clear|batchClear)\w*)$/;

/**
 * Counts what happens between construction and close. The sandboxes' counters run on; the worker's restart from zero with each kill.
 */
export class Tally {
  readonly #stage: Stage;
  readonly #before: Snapshot;
  #recovered: number[] = [];
  #kills = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#before = snapshotOf(stage);
  }

  /** Reads the worker's counters, which the kill loses. */
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
      caldavRequests: now.caldavRequests - before.caldavRequests,
      sheetWriteRequests: now.sheetWriteRequests - before.sheetWriteRequests,
      platformCalls: now.platformCalls - before.platformCalls,
      // Counted from the very start, because every write counts.
      platformWrites: now.platformWrites,
      mailsSent: now.mailsSent,
      faultsInjected: now.faults - before.faults,
    };
  }
}

type Snapshot = ReturnType<typeof snapshotOf>;

function snapshotOf({ platform, google, api, colleague }: Stage) {
  const ofPlatform = platform.stats();
  const ofGoogle = google.stats();
  const routes = Object.entries(ofPlatform.requestsByRoute);
  // All calls of the company's other programs are writes. The rest are the worker's.
  const writes = total(routes.filter(([route]) => !route.startsWith('GET ')));
  return {
    webhooksSent: ofPlatform.webhooksSent,
    webhooksLost: ofPlatform.webhooksLost,
    webhooksDoubled: ofPlatform.webhooksDoubled,
    googleCalls: ofGoogle.calls,
    caldavRequests: colleague?.requests() ?? 0,
    sheetWriteRequests: total(
      Object.entries(ofGoogle.callsByMethod).filter(([name]) => SHEET_WRITES.test(name)),
    ),
    platformCalls: ofPlatform.requests - api.calls,
    platformWrites: writes - api.calls,
    // A service account has no guests to mail, so also count the calls that asked to notify.
    mailsSent: Math.max(ofGoogle.mailsSent, ofGoogle.notifyingCalls),
    faults: platform.faults.hits() + google.faults.hits() + (colleague?.faults.hits() ?? 0),
  };
}

function total(entries: readonly (readonly [string, number])[]): number {
  return entries.reduce((sum, [, count]) => sum + count, 0);
}
