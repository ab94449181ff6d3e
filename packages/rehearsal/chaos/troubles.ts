// What goes wrong: faults of both sandboxes, and what happens to the machines. Everything here is lifted again by `lift`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '@slotbridge/sandbox/faults';
import { trouble } from '@slotbridge/sandbox/google/troubles';
import { type Deed, type FaultName, PEOPLE } from './act.ts';
import { Skipped } from './ledger.ts';
import { BOOK, CALENDARS } from './names.ts';
import { restoreHeaders } from './sheet-hands.ts';
import { CALLS, GOOD_DELIVERY, LOOSE_QUOTAS, type Stage } from './stage.ts';
import type { ChaosWorker } from './worker.ts';

type DeedOf<Name extends Deed['do']> = Extract<Deed, { do: Name }>;
type Troubles<Names extends Deed['do']> = {
  readonly [Name in Names]: (stage: Stage, deed: DeedOf<Name>) => void | Promise<void>;
};

const TIGHT = 2;
/** So long before the lists are due a process stops. */
const BEFORE_DUE_MS = 500;
/** The worker looks every five seconds; Redis may be full, frozen or down meanwhile. */
const DUE_WITHIN_MS = 60_000;

export const troubles: Troubles<
  | 'fault'
  | 'lift'
  | 'deliveries'
  | 'release-deliveries'
  | 'endpoint-off'
  | 'expire-sync'
  | 'revoke-tokens'
  | 'revoke-grants'
  | 'restore-grants'
  | 'tighten-quotas'
  | 'loosen-quotas'
  | 'restart'
  | 'kill'
  | 'freeze'
  | 'set-clock'
  | 'freeze-over-due'
  | 'redis-kill'
  | 'redis-wipe'
  | 'redis-full'
  | 'redis-freeze'
  | 'cut-off'
> = {
  fault(stage, { side, fault, share, times, ms, on }) {
    const plan = side === 'caldav' ? stage.galina?.faults : stage[side].faults;
    if (plan === undefined) throw new Skipped('there is no CalDAV server');
    const call = on === undefined ? undefined : CALLS[on];
    const narrowed = call === undefined ? {} : { path: call.path, ...methodOf(call.method) };
    const lift = plan.add({ share, times, ...narrowed, fault: faultOf(fault, ms) });
    stage.faults.push({ side, lift });
  },

  lift(stage, { side }) {
    for (const fault of stage.faults.filter((each) => each.side === side)) {
      fault.lift();
      stage.faults.splice(stage.faults.indexOf(fault), 1);
    }
  },

  deliveries(stage, { lose, double, delayMs, hold }) {
    stage.platform.delivery = {
      ...{ ...stage.platform.delivery, loseShare: lose, doubleShare: double, delayMs: [0, delayMs] },
      hold: hold === true,
    };
  },

  'release-deliveries'(stage) {
    stage.platform.delivery = { ...stage.platform.delivery, hold: false };
    stage.platform.releaseHeld('shuffled');
  },

  'endpoint-off'(stage) {
    stage.platform.dashboard.disableEndpoint(stage.endpointId);
  },

  'expire-sync'(stage, { in: place }) {
    stage.google.staff.calendar.expireSyncTokens({ calendarId: CALENDARS[place] });
  },

  'revoke-tokens'(stage) {
    stage.google.revokeTokens();
  },

  'revoke-grants'(stage) {
    stage.google.revokeGrants();
  },

  'restore-grants'(stage) {
    stage.google.restoreGrants();
  },

  'tighten-quotas'(stage, { of: side }) {
    if (side === 'platform') stage.platform.rateLimitPerMinute = TIGHT;
    else
      stage.google.changeQuotas({
        ...LOOSE_QUOTAS,
        ...{
          calendarPerMinutePerUser: TIGHT,
          sheetsReadsPerMinutePerUser: TIGHT,
          sheetsWritesPerMinutePerUser: TIGHT,
        },
      });
  },

  'loosen-quotas'(stage) {
    stage.platform.rateLimitPerMinute = LOOSE_QUOTAS.calendarPerMinutePerUser;
    stage.google.changeQuotas(LOOSE_QUOTAS);
  },

  restart: (stage, { worker, downMs }) => again(workerAt(stage, worker), downMs, (each) => each.stop()),

  kill: (stage, { worker, downMs }) => again(workerAt(stage, worker), downMs, (each) => each.kill()),

  freeze(stage, { worker: index, ms }) {
    const worker = workerAt(stage, index);
    return worker.inTurn(async () => {
      worker.freeze();
      await sleep(ms);
      worker.thaw();
    });
  },

  'set-clock'(stage, { worker, aheadMs, forMs }) {
    const { clock } = workerAt(stage, worker);
    const setRight = clock.put(aheadMs);
    return sleep(forMs).then(setRight);
  },

  'freeze-over-due'(stage, { worker: index, ms }) {
    const worker = workerAt(stage, index);
    return worker.inTurn(async () => {
      const setRight = worker.clock.set(stage.dueMs - BEFORE_DUE_MS);
      await sleep(BEFORE_DUE_MS / 2);
      worker.freeze();
      await sleep(ms);
      worker.thaw();
      // Only now: right again, it is hours before.
      await untilRead(stage);
      setRight();
    });
  },

  'redis-kill'(stage, { loseBytes, downMs }) {
    if (loseBytes > 0) stage.ledger.isRedisLost = true;
    return inAllTurns(stage, async () => {
      await stage.redis.kill(loseBytes);
      await sleep(downMs);
      await stage.redis.revive();
    });
  },

  'redis-wipe'(stage) {
    stage.ledger.isRedisLost = true;
    return inAllTurns(stage, () => stage.redis.wipe());
  },

  async 'redis-full'(stage, { ms }) {
    await stage.redis.fill();
    await sleep(ms);
    await stage.redis.makeRoom();
  },

  async 'redis-freeze'(stage, { ms }) {
    stage.redis.freeze();
    await sleep(ms);
    stage.redis.thaw();
  },

  async 'cut-off'(stage, { worker, ms, isLost }) {
    const proxy = stage.proxies[worker];
    if (proxy === undefined) throw new Skipped('there is no such proxy');
    proxy.freeze();
    await sleep(ms);
    if (isLost) proxy.forget();
    proxy.thaw();
  },
};

/** Everything is as it should be again: nothing refuses, everything is shared, all workers live. */
export async function lift(stage: Stage): Promise<void> {
  const { google, platform, redis, workers } = stage;
  google.faults.clear();
  platform.faults.clear();
  stage.galina?.faults.clear();
  stage.faults.splice(0);
  platform.delivery = { ...platform.delivery, ...GOOD_DELIVERY };
  platform.releaseHeld('shuffled');
  troubles['loosen-quotas'](stage, { do: 'loosen-quotas' });
  google.restoreGrants();
  for (const place of [...PEOPLE, 'room', 'team'] as const) google.grantAccess(CALENDARS[place]);
  google.grantAccess(BOOK);
  restoreHeaders(stage);
  for (const { clock } of workers) clock.put(0);
  redis.thaw();
  for (const proxy of stage.proxies) proxy.thaw();
  await redis.makeRoom();
  await redis.revive();
  // Whoever has switched the endpoint off switches it on again; what was missed meanwhile is the worker's to find.
  if (platform.truth.endpoints().some(({ status }) => status !== 'enabled'))
    platform.dashboard.enableEndpoint(stage.endpointId);
  for (const worker of workers) await worker.inTurn(async () => worker.start());
}

function again(
  worker: ChaosWorker,
  downMs: number,
  end: (worker: ChaosWorker) => Promise<void>,
): Promise<void> {
  return worker.inTurn(async () => {
    await end(worker);
    await sleep(downMs);
    worker.start();
  });
}

/** What happens to Redis does not meet a worker that is just being started or ended. */
function inAllTurns({ settings, workers }: Stage, work: () => Promise<void>): Promise<void> {
  const [worker] = workers;
  return settings.redis === 'shared' || worker === undefined ? work() : worker.inTurn(work);
}

/** Waits until a worker has said that it reads the lists for the moment at which they were due. */
async function untilRead({ dueMs, workers, ledger }: Stage): Promise<void> {
  const due = new Date(dueMs).toISOString();
  const deadline = performance.now() + DUE_WITHIN_MS;
  while (!workers.some((worker) => worker.hasSaid(`"due":"${due}"`))) {
    // Without what Redis held, a schedule begins anew.
    if (ledger.isRedisLost) return;
    if (performance.now() > deadline) {
      ledger.missed.push(due);
      return;
    }
    await sleep(100);
  }
}

function workerAt({ workers }: Stage, index: number): ChaosWorker {
  const worker = workers[index];
  if (worker === undefined) throw new Skipped('there is no such worker');
  return worker;
}

function methodOf(method: RegExp): { method?: string } {
  const [only] = /^\^([A-Z]+)\$$/.exec(method.source)?.slice(1) ?? [];
  return only === undefined ? {} : { method: only };
}

function faultOf(name: FaultName, ms: number): Fault {
  switch (name) {
    case '503':
      return { kind: 'status', status: 503 };
    case '500':
      return { kind: 'status', status: 500 };
    case '429':
      return { kind: 'status', status: 429, headers: { 'retry-after': '1' } };
    case 'reset':
      return { kind: 'reset' };
    case 'hang':
      return { kind: 'hang', ms: HANG_MS };
    case 'delay':
      return { kind: 'delay', ms };
    case 'commit-then-reset':
      return { kind: 'commit-then-reset' };
    case 'commit-then-500':
      return { kind: 'commit-then-status', status: 500 };
    case 'user-rate-limit':
      return trouble('calendarUserRateLimit');
    case 'too-many':
      return trouble('calendarTooMany');
    case 'sheets-too-many':
      return trouble('sheetsTooMany');
    case 'expired-token':
      return trouble('calendarExpiredToken');
    case 'full-sync':
      return trouble('calendarFullSync');
    case 'conflict':
      return trouble('calendarConflict');
  }
}

/** Longer than the worker waits. */
const HANG_MS = 4_000;
