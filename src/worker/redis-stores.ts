// Everything that is kept in Redis, over one connection. The product and the tests open the same stores.

import { RedisCalendarCursors } from '../calendar/store/calendar-cursors.ts';
import { RedisChannelStore } from '../calendar/store/channel-store.ts';
import { RedisFeedLinks, RedisFeedStore } from '../calendar/store/feed-store.ts';
import { RedisLinkMoves } from '../calendar/store/link-moves.ts';
import { RedisLinkStore } from '../calendar/store/link-store.ts';
import { RedisSightingStore } from '../calendar/store/sighting-store.ts';
import { KEEP, type Keep } from '../engine/domain/keep.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import type { WorkQueue } from '../engine/ports/work.ts';
import type { RedisClient } from '../engine/redis/redis-client.ts';
import { RedisChanges } from '../engine/store/changes.ts';
import { RedisCoverageStore } from '../engine/store/coverage-store.ts';
import { RedisCustomerAppointments } from '../engine/store/customer-appointments.ts';
import { RedisDeadLetters } from '../engine/store/dead-letters.ts';
import { RedisDirtyMarks, RedisLaterTurns, RedisPutOffTurns } from '../engine/store/dirty-marks.ts';
import { RedisHistory } from '../engine/store/history.ts';
import { RedisIntakeStore } from '../engine/store/intake-store.ts';
import { RedisIntentStore } from '../engine/store/intent-store.ts';
import { RedisJournal } from '../engine/store/journal.ts';
import { RedisKeptDeliveries } from '../engine/store/kept-deliveries.ts';
import type { KeySpace } from '../engine/store/key-space.ts';
import { RedisKnownObjects } from '../engine/store/known-objects.ts';
import { RedisLeases } from '../engine/store/leases.ts';
import { RedisLedger } from '../engine/store/ledger.ts';
import { RedisMemory } from '../engine/store/memory.ts';
import { RedisRetention } from '../engine/store/retention.ts';
import { RedisRowMoves } from '../engine/store/row-moves.ts';
import { RedisSheetRows } from '../engine/store/sheet-rows.ts';
import { spellingOf } from '../engine/store/spelling.ts';
import { RedisStateSearch } from '../engine/store/state-search.ts';
import { RedisUnkeptRows } from '../engine/store/unkept-rows.ts';
import { RedisWorkStore } from '../engine/store/work-store.ts';
import { RedisBudget } from '../google/store/budget.ts';
import { RedisConsentLinks, RedisConsents } from '../google/store/consent-store.ts';
import { RedisPauseStore } from '../google/store/pause-store.ts';
import { Seal } from '../google/store/seal.ts';
import { RedisActLog } from '../operate/store/act-log.ts';
import { RedisAlertStore } from '../operate/store/alert-store.ts';
import { RedisConsoleAccess } from '../operate/store/console-access.ts';
import { RedisErasureStore } from '../operate/store/erasure-store.ts';
import { RedisHostReports } from '../operate/store/host-reports.ts';
import { RedisPaceStore } from '../operate/store/pace-store.ts';
import { RedisProblemBoard } from '../operate/store/problem-board.ts';
import { RedisTally } from '../operate/store/tally.ts';
import { RedisOutbox } from '../sheet/store/outbox.ts';
import { RedisOverWrites } from '../sheet/store/over-writes.ts';
import { RedisRowEdits } from '../sheet/store/row-edits.ts';
import { RedisRowRegister } from '../sheet/store/row-register.ts';
import { RedisSentRows } from '../sheet/store/sent-rows.ts';

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

/** Hosts compare this clock with that of Redis, whatever clock a worker is given. */
const MACHINE_CLOCK: Clock = { now: () => Date.now() };

/** Makes no call yet. */
export function openStores(
  redis: RedisClient,
  about: { readonly keys: KeySpace; readonly clock: Clock },
  settings: StoreSettings = {},
) {
  const { journalMs, processId, perMinute = {}, consentKeys = [], concerns, keep = KEEP } = settings;
  const parts = { redis, ...about, keep, spelling: spellingOf(settings.calendarIds ?? []) };
  const seal = new Seal(consentKeys);
  const letters = new RedisDeadLetters(parts);
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
    ledger: new RedisLedger({ ...parts, letters }),
    deadLetters: letters,
    unkept: new RedisUnkeptRows(parts),
    sentRows: new RedisSentRows(parts),
    rowRegister: new RedisRowRegister(parts),
    dirtyMarks: new RedisDirtyMarks(parts),
    hosts: new RedisHostReports({ ...parts, clock: MACHINE_CLOCK, processId: processId ?? 'command' }),
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
    pace: new RedisPaceStore(parts),
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
