import type { Config } from '../config/config.ts';
import { bookedCalendars, namedCalendars } from '../config/needs.ts';
import type { ResyncRequest } from '../domain/coverage.ts';
import { type EntityKey, formatKey, isReadable } from '../domain/entity.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { eventsIn, rowsIn } from '../google/everything.ts';
import { createCustomers } from '../mirrors/filter/customers.ts';
import { SubjectCalendars } from '../mirrors/subject-calendars.ts';
import { auditOf } from '../operator/audit.ts';
import { cursorsOf } from '../operator/cursors.ts';
import { findObjects } from '../operator/find.ts';
import { type ForgetPlan, planForget, runForget } from '../operator/forget/forget.ts';
import { previewOf } from '../operator/preview.ts';
import { readOnly } from '../operator/read-only.ts';
import { whereIs } from '../operator/whereis.ts';
import { createCustomerCards, createPlatformWriter } from '../platform/writer.ts';
import type { Clock } from '../ports/runtime.ts';
import { SILENT, UNCOUNTED } from '../ports/runtime.ts';
import { DirectoryKeeper } from '../upkeep/directory-keeper.ts';
import { heirsOf } from '../upkeep/mapping-change/inherit-links.ts';
import { MappingMark } from '../upkeep/mapping-change/mapping-mark.ts';
import { requestResync } from '../upkeep/resync/resync-request.ts';
import { classifyEvent } from '../work/classify.ts';
import { KeyedQueue } from '../work/keyed-queue.ts';
import { openBlockDesk } from './blocks.ts';
import { spreadsheetsOf } from './core.ts';
import { feedLinksAt } from './feeds.ts';
import { forgetParts } from './forgetting.ts';
import { readRememberedAccounts } from './remembered-accounts.ts';
import { openRemotes } from './remotes.ts';
import { openEditGuard } from './staff-edits.ts';
import { openStore, type Store } from './stores.ts';
import { createTargets } from './targets.ts';
import { linkedMirrors } from './upkeep.ts';

const NO_BOARD = { raise: async () => undefined, clear: async () => undefined };

/** What the operator's commands work on: the state in Redis, the queue of a worker that may run, and the two outsides. */
export async function openSession(config: Config, clock: Clock) {
  const store = await openStore(config, clock, { sharing: true });
  try {
    const remembered = await readRememberedAccounts(store.memory);
    return furnish(config, { store, remembered, clock });
  } catch (error) {
    // A credential that cannot be used must not leave a private Redis running that nobody stops.
    await store.close();
    throw error;
  }
}

function furnish(
  config: Config,
  parts: {
    readonly store: Store;
    readonly remembered: ReadonlyMap<string, string>;
    readonly clock: Clock;
  },
) {
  const { store, remembered, clock } = parts;
  const remotes = openRemotes({ config, store, remembered, clock, log: SILENT, meter: UNCOUNTED });
  const connection = store.openQueueConnection();
  const queue = new KeyedQueue({
    name: 'objects',
    prefix: store.keys.queues,
    connection,
    attempts: config.worker.attempts,
    log: SILENT,
  });
  const { reader } = remotes.platform;
  const directory = new DirectoryKeeper(reader, clock);
  // Names that are learned while somebody looks are not the worker's business, nor what is wrong with them.
  const calendars = new SubjectCalendars({ memory: readOnly(store.memory), problems: NO_BOARD });
  // Whoever looks stores nothing.
  const customerOf = createCustomers({ view: store.ledger, reader });
  const made = createTargets({
    customerOf,
    ...{ config, store, remotes, directory, calendars, queue, clock },
    guard: openEditGuard({ store, remotes, clock }),
    ...{ bell: { ring() {} }, log: SILENT, meter: UNCOUNTED },
  });
  const forgetting = forgetParts({ config, store, remotes, queue, clock });
  let resolved: Promise<void> | undefined;
  /** The mirrors, able to say what they would do. */
  const targets = async () => {
    resolved ??= directory.refresh().then((lists) => calendars.resolve(config.mirrors, lists));
    await resolved;
    return made.mirrors;
  };
  /** Of objects that cannot be read alone the event is all that the platform shows (platform API, Leads). */
  const shown = new Map<string, Snapshot>();
  const introduce = async (key: EntityKey): Promise<boolean> => {
    const snapshot = isReadable(key.kind) ? await reader.get(key) : shown.get(formatKey(key));
    if (snapshot === undefined) return false;
    const seen = { as: 'snapshot', snapshot } as const;
    await store.intake.observe({ key, source: 'operator', occurredAtMs: clock.now(), force: true, seen });
    return true;
  };
  const { auditBlocks, ...blockDesk } = openBlockDesk({ config, store, remotes, directory, clock });
  return {
    ...store,
    ...auditOf({
      ...{ config, store, reader, directory, queue, clock, targets, introduce, auditBlocks },
      heirs: () => heirsOf(linkedMirrors({ config, calendars }), store.memory),
      calendars: remotes.calendarFor('list'),
      sheets: remotes.sheetsFor('list'),
    }),
    ...cursorsOf({ config, store, clock }),
    ...blockDesk,
    whereIs: (asked: string) =>
      whereIs(asked, {
        cards: createCustomerCards(remotes.platform),
        appointments: createPlatformWriter(remotes.platform),
        ...{ view: store.ledger, search: store.search, calendars: [...namedCalendars(config)] },
        eventsIn: (calendarId) => eventsIn(remotes.calendarPolls, calendarId),
        spreadsheets: spreadsheetsOf(config),
        rowsIn: (spreadsheetId) => rowsIn(remotes.sheetsFor('list'), spreadsheetId),
      }),
    feedLinks: feedLinksAt(store.feedLinks, config.platform.webhook.publicUrl),
    planForget: (contactId: string) => planForget(contactId, forgetting),
    runForget: (plan: ForgetPlan) => runForget(plan.order, forgetting),
    clock,
    remotes,
    queue,
    view: store.ledger,
    find: (what: string, id: string) =>
      findObjects(
        { view: store.ledger, journal: store.journal, calendars: bookedCalendars(config) },
        what,
        id,
      ),
    async eventOnPlatform(eventId: string): Promise<EntityKey | undefined> {
      const event = await reader.event(eventId);
      const classified = event === undefined ? undefined : classifyEvent(event, 'feed', clock.now());
      if (classified?.as !== 'observation') return undefined;
      const { key, seen } = classified.observation;
      if (seen.as === 'snapshot') shown.set(formatKey(key), seen.snapshot);
      return key;
    },
    introduce,
    whoseMapping: () => {
      const { mirrors, bookings, feeds, blocks } = config;
      const { memory, coverage, outbox } = store;
      return new MappingMark({ mirrors, bookings, feeds, blocks, memory, coverage, outbox, clock }).whose();
    },
    requestResync: (request: ResyncRequest) =>
      requestResync({ ...store, clock }, { cause: 'operator', request }),
    /** Read from the platform now, where it can be read; compared with what the mirrors last wrote. */
    async preview(key: EntityKey): Promise<string> {
      const known = await store.ledger.peek(key);
      const found = isReadable(key.kind)
        ? await reader.get(key)
        : (known?.snapshot ?? shown.get(formatKey(key)));
      if (known === undefined) return found === undefined ? 'unknown' : 'created';
      if (found === undefined) return known.deleted ? 'nothing' : 'not shown by the platform';
      return previewOf(await targets(), { ...known, snapshot: found, deleted: false, verify: false });
    },
    async close(): Promise<void> {
      await queue.close();
      connection.disconnect();
      await store.close();
    },
  };
}

export type OperatorSession = Awaited<ReturnType<typeof openSession>>;
