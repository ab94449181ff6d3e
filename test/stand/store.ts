import type { Lease } from '../../src/ports/leases.ts';
import { RedisCalendarCursors } from '../../src/storage/calendars/calendar-cursors.ts';
import { RedisChannelStore } from '../../src/storage/calendars/channel-store.ts';
import { RedisLinkMoves } from '../../src/storage/calendars/link-moves.ts';
import { RedisLinkStore } from '../../src/storage/calendars/link-store.ts';
import { RedisSightingStore } from '../../src/storage/calendars/sighting-store.ts';
import { KeySpace } from '../../src/storage/core/key-space.ts';
import { RedisLeases } from '../../src/storage/core/leases.ts';
import { RedisMemory } from '../../src/storage/core/memory.ts';
import { RedisAlertStore } from '../../src/storage/operator/alert-store.ts';
import { RedisProblemBoard } from '../../src/storage/operator/problem-board.ts';
import { RedisTally } from '../../src/storage/operator/tally.ts';
import { openRedis } from '../../src/storage/redis/redis-client.ts';
import { RedisOutbox } from '../../src/storage/rows/outbox.ts';
import { RedisRowMoves } from '../../src/storage/rows/row-moves.ts';
import { RedisRowRegister } from '../../src/storage/rows/row-register.ts';
import { RedisSentRows } from '../../src/storage/rows/sent-rows.ts';
import { RedisSheetRows } from '../../src/storage/rows/sheet-rows.ts';
import { RedisUnkeptRows } from '../../src/storage/rows/unkept-rows.ts';
import { RedisCoverageStore } from '../../src/storage/work/coverage-store.ts';
import { RedisDeadLetters } from '../../src/storage/work/dead-letters.ts';
import { RedisNudges } from '../../src/storage/work/dirty-marks.ts';
import { RedisHistory } from '../../src/storage/work/history.ts';
import { RedisIntakeStore } from '../../src/storage/work/intake-store.ts';
import { RedisIntentStore } from '../../src/storage/work/intent-store.ts';
import { RedisJournal } from '../../src/storage/work/journal.ts';
import { RedisKnownObjects } from '../../src/storage/work/known-objects.ts';
import { RedisLaterTurns } from '../../src/storage/work/later-turns.ts';
import { RedisLedger } from '../../src/storage/work/ledger.ts';
import { RedisPutOffTurns } from '../../src/storage/work/put-off-turns.ts';
import { RedisWorkStore } from '../../src/storage/work/work-store.ts';

let spaces = 0;

/** The stores over a real Redis, each call in a key space of its own. */
export function openTestStore(url: string, options: { now?: () => number; prefix?: string } = {}) {
  const redis = openRedis(url, 'commands');
  spaces += 1;
  const prefix = options.prefix ?? `test-${process.pid}-${spaces}`;
  const keys = new KeySpace(prefix);
  const parts = { redis, keys, clock: { now: options.now ?? Date.now } };
  return {
    redis,
    keys,
    prefix,
    intake: new RedisIntakeStore(parts),
    work: new RedisWorkStore(parts),
    links: new RedisLinkStore(parts),
    linkMoves: new RedisLinkMoves(parts),
    sightings: new RedisSightingStore(parts),
    calendars: new RedisCalendarCursors(parts),
    channels: new RedisChannelStore(parts),
    outbox: new RedisOutbox(parts),
    unkept: new RedisUnkeptRows(parts),
    sentRows: new RedisSentRows(parts),
    rowRegister: new RedisRowRegister(parts),
    sheetRows: new RedisSheetRows(parts),
    rowMoves: new RedisRowMoves(parts),
    coverage: new RedisCoverageStore(parts),
    intents: new RedisIntentStore(parts),
    leases: new RedisLeases(parts),
    problems: new RedisProblemBoard(parts),
    ledger: new RedisLedger(parts),
    putOff: new RedisPutOffTurns(parts),
    deadLetters: new RedisDeadLetters(parts),
    nudges: new RedisNudges(parts),
    later: new RedisLaterTurns(parts),
    known: new RedisKnownObjects(parts),
    memory: new RedisMemory(parts),
    alerts: new RedisAlertStore(parts),
    tally: new RedisTally(parts),
    history: new RedisHistory(parts),
    journal: new RedisJournal(parts),
    /** Writes as the holder of that lease. */
    async under<T>(name: string, write: (lease: Lease) => Promise<T>): Promise<T> {
      const held = await this.leases.hold(name, write);
      if (held === undefined) throw new Error(`somebody else holds ${name}`);
      return held.result;
    },
    ready: () =>
      new Promise<void>((done) => (redis.status === 'ready' ? done() : redis.once('ready', () => done()))),
    close: () => redis.disconnect(),
  };
}

export type TestStore = ReturnType<typeof openTestStore>;

export const SILENT_LOG = { debug() {}, info() {}, warn() {}, error() {} };
export const NO_METER = { add() {}, observe() {} };
