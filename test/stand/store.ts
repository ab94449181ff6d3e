import type { Lease } from '../../src/ports/leases.ts';
import { RedisAlertStore } from '../../src/storage/alert-store.ts';
import { RedisCalendarCursors } from '../../src/storage/calendar-cursors.ts';
import { RedisChannelStore } from '../../src/storage/channel-store.ts';
import { RedisCoverageStore } from '../../src/storage/coverage-store.ts';
import { RedisDeadLetters } from '../../src/storage/dead-letters.ts';
import { RedisHistory } from '../../src/storage/history.ts';
import { RedisIntakeStore } from '../../src/storage/intake-store.ts';
import { RedisIntentStore } from '../../src/storage/intent-store.ts';
import { RedisJournal } from '../../src/storage/journal.ts';
import { KeySpace } from '../../src/storage/key-space.ts';
import { RedisKnownObjects } from '../../src/storage/known-objects.ts';
import { RedisLaterTurns } from '../../src/storage/later-turns.ts';
import { RedisLeases } from '../../src/storage/leases.ts';
import { RedisLedger } from '../../src/storage/ledger.ts';
import { RedisLinkMoves } from '../../src/storage/link-moves.ts';
import { RedisLinkStore } from '../../src/storage/link-store.ts';
import { RedisMemory } from '../../src/storage/memory.ts';
import { RedisNudges } from '../../src/storage/nudges.ts';
import { RedisOutbox } from '../../src/storage/outbox.ts';
import { RedisProblemBoard } from '../../src/storage/problem-board.ts';
import { RedisPutOffTurns } from '../../src/storage/put-off-turns.ts';
import { openRedis } from '../../src/storage/redis-client.ts';
import { RedisRowMoves } from '../../src/storage/row-moves.ts';
import { RedisRowRegister } from '../../src/storage/row-register.ts';
import { RedisSentRows } from '../../src/storage/sent-rows.ts';
import { RedisSheetRows } from '../../src/storage/sheet-rows.ts';
import { RedisSightingStore } from '../../src/storage/sighting-store.ts';
import { RedisTally } from '../../src/storage/tally.ts';
import { RedisUnkeptRows } from '../../src/storage/unkept-rows.ts';
import { RedisWorkStore } from '../../src/storage/work-store.ts';

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
