// The world of one scenario: both sandboxes with its company, and a worker that can be stopped and started.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import type { Config } from '../../../src/mapping/config.ts';
import { type Company, furnishGoogle, furnishPlatform, zoneOf } from './company.ts';
import type { Directory } from './directory.ts';
import { openDoor } from './door.ts';
import { onSandboxes, PACE } from './mapping.ts';
import { Calendar } from './moments.ts';
import type { Scenario } from './read.ts';

export interface ScenarioWorker {
  readonly url: string;
  readonly failed: Promise<unknown>;
  stop(): Promise<void>;
}

export interface Means {
  /** A worker in this process, without log lines. */
  readonly startWorker: (config: Config, formationMs: number) => Promise<ScenarioWorker>;
  readonly redisUrl: string;
  /** Prefix of this scenario's keys; no other scenario uses it. */
  readonly prefix: string;
  /** The folder for the key file. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** How long the worker may take to come to rest; absent: a minute. */
  readonly settledWithinMs?: number | undefined;
  /** What happened may become the expectation: only if everything happened that the scenario ordered. */
  readonly isUpdate?: boolean | undefined;
}

/** A thing to which a scenario gives a name. */
export type Thing =
  | { readonly kind: 'appointment'; readonly id: string }
  | { readonly kind: 'event'; readonly calendarId: string; readonly eventId: string }
  | { readonly kind: 'row'; readonly spreadsheetId: string; readonly tab: string; row: number };

const MANY = 1_000_000;
const SEED = 1;
/** How long a change takes to reach the feed. */
const FEED_DELAY_MS = 100;
const DELIVERY = { retryDelaysMs: [300, 1_000, 2_000, 5_000], timeoutMs: 3_000 };
const SETTLED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;
/** One round through the tabs, and the writing of what it found. */
const TABS_LOOKED_THROUGH_MS = 3 * PACE.checkEveryMs;
/** The worker gives a row its id at one look at the tab, and takes it at the next. */
const ROWS_TAKEN_MS = 2 * PACE.intakeEveryMs;

/** The worker did not come to rest, or ended on its own: the result cannot be judged. */
export class Unsettled extends Error {}

export class World {
  readonly platform: PlatformSandbox;
  readonly google: GoogleSandbox;
  readonly calendar: Calendar;
  readonly company: Company;
  readonly directory: Directory;
  readonly things = new Map<string, Thing>();
  readonly #means: Means;
  readonly #config: Config;
  readonly #leadDoor: (url: string | undefined) => void;
  /** Troubles that steps have ordered: how often each still has to occur. */
  readonly #ordered: { readonly what: string; readonly left: () => number }[] = [];
  #worker: ScenarioWorker | undefined;
  #failure: unknown;
  #areTabsTouched = false;

  private constructor(parts: {
    readonly platform: PlatformSandbox;
    readonly google: GoogleSandbox;
    readonly scenario: Scenario;
    readonly means: Means;
    readonly config: Config;
    readonly company: Company;
    readonly leadDoor: (url: string | undefined) => void;
  }) {
    this.platform = parts.platform;
    this.google = parts.google;
    this.company = parts.company;
    this.directory = parts.scenario.directory;
    this.calendar = new Calendar(zoneOf(parts.scenario.given), Date.now(), parts.scenario.source);
    this.#means = parts.means;
    this.#config = parts.config;
    this.#leadDoor = parts.leadDoor;
  }

  /** Sets up the world, runs `play`, and always takes the world down. The worker does not run yet. */
  static async use<T>(scenario: Scenario, means: Means, play: (world: World) => Promise<T>): Promise<T> {
    const releases: (() => Promise<unknown>)[] = [];
    try {
      const platform = await PlatformSandbox.start({
        ...{ seed: SEED, eventDelayMs: [0, 0], rateLimitPerMinute: MANY, delivery: DELIVERY },
      });
      releases.push(() => platform.close());
      const google = await GoogleSandbox.start({ seed: SEED, quotas: LOOSE_QUOTAS });
      releases.push(() => google.close());
      const door = await openDoor();
      releases.push(() => door.close());
      const company = platform.silently(() => furnishPlatform(platform, scenario));
      furnishGoogle(google, scenario);
      const apiKey = platform.createKey();
      const keyFile = join(means.folder, `${means.prefix}-key.json`);
      writeFileSync(keyFile, JSON.stringify(google.serviceAccountKey()), { mode: 0o600 });
      const secret = await subscribe(platform.url, apiKey, `${door.url}/webhooks/platform`);
      const config = onSandboxes(scenario.config, {
        ...{ platformUrl: platform.url, apiKey, publicUrl: door.url, secret },
        ...{ googleUrl: google.url, keyFile, redisUrl: means.redisUrl, prefix: means.prefix },
      });
      const leadDoor = door.leadTo.bind(door);
      const world = new World({ platform, google, scenario, means, config, company, leadDoor });
      releases.push(() => world.stopWorker());
      return await play(world);
    } finally {
      for (const release of releases.reverse()) await release().catch(() => undefined);
    }
  }

  get isWorking(): boolean {
    return this.#worker !== undefined;
  }

  async startWorker(): Promise<void> {
    if (this.#worker !== undefined) return;
    const worker = await this.#means.startWorker(this.#config, FEED_DELAY_MS);
    this.#worker = worker;
    void worker.failed.then((error) => {
      this.#failure = error;
    });
    this.#leadDoor(worker.url);
  }

  async stopWorker(): Promise<void> {
    this.#leadDoor(undefined);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.stop();
  }

  /** People have changed a tab that the worker writes, and reads only from time to time. */
  touchTabs(): void {
    this.#areTabsTouched = true;
  }

  order(what: string, left: () => number): void {
    this.#ordered.push({ what, left });
  }

  /** A scenario that shows how the worker survives a trouble shows nothing if the trouble never occurred. */
  assertTroublesStruck(): void {
    const spared = this.#ordered.filter(({ left }) => left() > 0);
    if (spared.length === 0) return;
    const told = spared.map(({ what, left }) => `${what}: ${left()} more to come`).join('; ');
    throw new Unsettled(
      `not all the trouble that was ordered has come (${told}). Order less, or do more behind it`,
    );
  }

  /** Resolves with the number of dead letters once the worker has seen and done everything up to now. */
  async settle(): Promise<number> {
    const sinceMs = Date.now();
    const { settledWithinMs = SETTLED_WITHIN_MS } = this.#means;
    const deadlineMs = sinceMs + settledWithinMs;
    let last = 'it has not answered';
    while (Date.now() < deadlineMs) {
      this.#means.signal.throwIfAborted();
      if (this.#worker === undefined) throw new Unsettled('the worker is stopped');
      if (this.#failure !== undefined)
        throw new Unsettled(`the worker ended: ${errorMessage(this.#failure)}`);
      const status = await readStatus(this.#worker.url);
      const reasons = status === undefined ? [last] : this.#unrest(status, sinceMs);
      if (status !== undefined && reasons.length === 0) {
        this.#areTabsTouched = false;
        return status.dead_letters.count;
      }
      last = reasons.join('; ');
      await sleep(LOOK_EVERY_MS);
    }
    throw new Unsettled(`the worker did not come to rest within ${settledWithinMs / 1_000} s: ${last}`);
  }

  #unrest(status: Status, sinceMs: number): readonly string[] {
    const { feed, calendars, intake_sheets: sheets, blocks = [] } = status.coverage;
    const isSeen = (coveredUntil: string | null, marginMs = 0) =>
      Date.parse(coveredUntil ?? '') > sinceMs + marginMs;
    return [
      ...(status.idle ? [] : status.not_idle_because),
      ...(isSeen(feed.covered_until) ? [] : ['the feed has not been read since']),
      ...(calendars.every((each) => isSeen(each.covered_until))
        ? []
        : ['a calendar has not been read since']),
      ...(sheets.every((each) => isSeen(each.covered_until, ROWS_TAKEN_MS))
        ? []
        : ['a booking sheet has not been read since']),
      ...(blocks.every((each) => isSeen(each.covered_until))
        ? []
        : ['a private calendar has not been read since']),
      ...(this.#areTabsTouched && Date.now() < sinceMs + TABS_LOOKED_THROUGH_MS
        ? ['the tabs have not been looked through since']
        : []),
    ];
  }
}

interface Status {
  readonly idle: boolean;
  readonly not_idle_because: readonly string[];
  readonly coverage: {
    readonly feed: { readonly covered_until: string | null };
    readonly calendars: readonly { readonly covered_until: string | null }[];
    readonly intake_sheets: readonly { readonly covered_until: string | null }[];
    readonly blocks?: readonly { readonly covered_until: string | null }[];
  };
  readonly dead_letters: { readonly count: number };
}

const LOOSE_QUOTAS = {
  calendarPerMinutePerUser: MANY,
  calendarPerMinutePerProject: MANY,
  sheetsReadsPerMinutePerUser: MANY,
  sheetsWritesPerMinutePerUser: MANY,
  sheetsReadsPerMinutePerProject: MANY,
  sheetsWritesPerMinutePerProject: MANY,
};

async function readStatus(url: string): Promise<Status | undefined> {
  try {
    const answer = await fetch(`${url}/status`);
    return answer.ok ? ((await answer.json()) as Status) : undefined;
  } catch {
    return undefined;
  }
}

export async function subscribe(platformUrl: string, apiKey: string, url: string): Promise<string> {
  const answer = await fetch(`${platformUrl}/webhook_endpoints`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'scenario',
    },
    body: JSON.stringify({ url, enabled_events: ['*'] }),
  });
  return ((await answer.json()) as { readonly secret: string }).secret;
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
