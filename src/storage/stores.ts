// Everything that is kept in Redis, over one connection. The product and the tests open the same stores.

import { KEEP, type Keep } from '../domain/keep.ts';
import type { Clock } from '../ports/runtime.ts';
import type { WorkQueue } from '../ports/work.ts';
import { RedisCalendarCursors } from './calendars/calendar-cursors.ts';
import { RedisChannelStore } from './calendars/channel-store.ts';
import { RedisLinkMoves } from './calendars/link-moves.ts';
import { RedisLinkStore } from './calendars/link-store.ts';
import { RedisSightingStore } from './calendars/sighting-store.ts';
import { spellingOf } from './calendars/spelling.ts';
import type { KeySpace } from './core/key-space.ts';
import { RedisLeases } from './core/leases.ts';
import { RedisMemory } from './core/memory.ts';
import { RedisStateSearch } from './core/state-search.ts';

import { RedisFeedLinks, RedisFeedStore } from './feeds/feed-store.ts';
import { RedisBudget } from './google/budget.ts';
import { RedisConsentLinks, RedisConsents } from './google/consent-store.ts';
import { RedisPauseStore } from './google/pause-store.ts';
import { Seal } from './google/seal.ts';
import { RedisActLog } from './operator/act-log.ts';
import { RedisAlertStore } from './operator/alert-store.ts';
import { RedisConsoleAccess } from './operator/console-access.ts';
import { RedisErasureStore } from './operator/erasure-store.ts';
import { RedisProblemBoard } from './operator/problem-board.ts';
import { RedisTally } from './operator/tally.ts';
import type { RedisClient } from './redis/redis-client.ts';
import { RedisOutbox } from './rows/outbox.ts';
import { RedisOverWrites } from './rows/over-writes.ts';
import { RedisRowEdits } from './rows/row-edits.ts';
import { RedisRowMoves } from './rows/row-moves.ts';
import { RedisRowRegister } from './rows/row-register.ts';
import { RedisSentRows } from './rows/sent-rows.ts';
import { RedisSheetRows } from './rows/sheet-rows.ts';
import { RedisUnkeptRows } from './rows/unkept-rows.ts';
import { RedisChanges } from './work/changes.ts';
import { RedisCoverageStore } from './work/coverage-store.ts';
import { RedisCustomerAppointments } from './work/customer-appointments.ts';
import { RedisDeadLetters } from './work/dead-letters.ts';
import { RedisDirtyMarks } from './work/dirty-marks.ts';
import { RedisHistory } from './work/history.ts';
import { RedisIntakeStore } from './work/intake-store.ts';
import { RedisIntentStore } from './work/intent-store.ts';
import { RedisJournal } from './work/journal.ts';
import { RedisKeptDeliveries } from './work/kept-deliveries.ts';
import { RedisKnownObjects } from './work/known-objects.ts';
import { RedisLaterTurns } from './work/later-turns.ts';
import { RedisLedger } from './work/ledger.ts';
import { RedisPutOffTurns } from './work/put-off-turns.ts';
import { RedisRetention } from './work/retention.ts';
import { RedisWorkStore } from './work/work-store.ts';

export interface StoreSettings {
  /** How long events stay in the journal. */
  readonly journalMs?: number;
  /** How long each kind of data is kept; default: as the YAML's defaults. */
  readonly keep?: Keep;
  /** The process whose death frees its leases. Absent: they expire. */
  readonly processId?: string;
  /** Requests per minute, by prefix of the budget's name. */
  readonly perMinute?: Readonly<Record<string, number>>;
  /** Keys of 32 bytes in base64 for people's consents; absent: none. */
  readonly consentKeys?: readonly string[];
  /** Calendar ids as the YAML spells them. */
  readonly calendarIds?: Iterable<string>;
  /** False: problems of this target are no longer shown. */
  readonly concerns?: (target: string) => boolean;
}

export type Stores = ReturnType<typeof openStores>;

/** Makes no call yet. */
export function openStores(
  redis: RedisClient,
  about: { readonly keys: KeySpace; readonly clock: Clock },
  settings: StoreSettings = {},
) {
  const { journalMs, processId, perMinute = {}, consentKeys = [], concerns, keep = KEEP } = settings;
  const parts = { redis, ...about, keep, spelling: spellingOf(settings.calendarIds ?? []) };
  const seal = new Seal(consentKeys);
  return {
    keys: about.keys,
    intake: new RedisIntakeStore({ ...parts, ...(journalMs !== undefined && { journalMs }) }),
    deliveries: new RedisKeptDeliveries(parts),
    work: new RedisWorkStore(parts),
    links: new RedisLinkStore(parts),
    linkMoves: new RedisLinkMoves(parts),
    sightings: new RedisSightingStore(parts),
    calendars: new RedisCalendarCursors(parts),
    channels: new RedisChannelStore(parts),
    outbox: new RedisOutbox(parts),
    sheetRows: new RedisSheetRows(parts),
    rowMoves: new RedisRowMoves(parts),
    rowEdits: new RedisRowEdits(parts),
    overWrites: new RedisOverWrites(parts),
    /** The same, for a process that has a queue: they add what they mark dirty to it. */
    rowsWith(queue: WorkQueue) {
      const dirtied = (names: readonly string[]) => queue.add(names);
      return {
        outbox: new RedisOutbox({ ...parts, dirtied }),
        sheetRows: new RedisSheetRows({ ...parts, dirtied }),
        rowMoves: new RedisRowMoves({ ...parts, dirtied }),
        rowEdits: new RedisRowEdits({ ...parts, dirtied }),
      };
    },
    coverage: new RedisCoverageStore(parts),
    intents: new RedisIntentStore(parts),
    leases: new RedisLeases({ ...parts, ...(processId !== undefined && { processId }) }),
    problems: new RedisProblemBoard({ ...parts, ...(concerns !== undefined && { concerns }) }),
    ledger: new RedisLedger(parts),
    deadLetters: new RedisDeadLetters(parts),
    unkept: new RedisUnkeptRows(parts),
    sentRows: new RedisSentRows(parts),
    rowRegister: new RedisRowRegister(parts),
    dirtyMarks: new RedisDirtyMarks(parts),
    feeds: new RedisFeedStore(parts),
    feedLinks: new RedisFeedLinks(parts),
    customerAppointments: new RedisCustomerAppointments(parts),
    later: new RedisLaterTurns(parts),
    putOff: new RedisPutOffTurns(parts),
    known: new RedisKnownObjects(parts),
    memory: new RedisMemory(parts),
    alerts: new RedisAlertStore(parts),
    consoleAccess: new RedisConsoleAccess(parts),
    acts: new RedisActLog(parts),
    tally: new RedisTally(parts),
    history: new RedisHistory(parts),
    changes: new RedisChanges(parts),
    journal: new RedisJournal(parts),
    search: new RedisStateSearch(parts),
    retention: new RedisRetention(parts),
    erasures: new RedisErasureStore(parts),
    platformPause: new RedisPauseStore({ ...parts, name: 'platform' }),
    budget: new RedisBudget({ ...parts, perMinute }),
    consents: new RedisConsents({ ...parts, seal }),
    consentLinks: new RedisConsentLinks({ ...parts, seal }),
  };
}
