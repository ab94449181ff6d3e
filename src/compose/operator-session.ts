import type { Config } from '../config/config.ts';
import type { ResyncRequest } from '../domain/coverage.ts';
import { readRememberedAccounts } from '../google/remembered-accounts.ts';
import { feedLinksAt } from '../mirrors/feed/links.ts';
import { createCustomers } from '../mirrors/filter/customers.ts';
import { SubjectCalendars } from '../mirrors/subject-calendars.ts';
import { auditOf } from '../operator/audit.ts';
import { cursorsOf } from '../operator/cursors.ts';
import { type ForgetPlan, planForget, runForget } from '../operator/forget/forget.ts';
import { openObjects } from '../operator/objects.ts';
import { readOnly } from '../operator/read-only.ts';
import { resolvedTargets } from '../operator/resolved-targets.ts';
import type { Clock } from '../ports/runtime.ts';
import { SILENT, UNCOUNTED } from '../ports/runtime.ts';
import { DirectoryKeeper } from '../upkeep/directory-keeper.ts';
import { heirsOf } from '../upkeep/mapping-change/inherit-links.ts';
import { MappingMark } from '../upkeep/mapping-change/mapping-mark.ts';
import { requestResync } from '../upkeep/resync/resync-request.ts';
import { observationIn } from '../work/classify.ts';
import { KeyedQueue } from '../work/keyed-queue.ts';
import { blockDeskOf } from './blocks.ts';
import { openClassReader } from './classes.ts';
import { forgetParts } from './forgetting.ts';
import { openSearch } from './operator-search.ts';
import { openRemotes } from './remotes.ts';
import { openEditGuard } from './staff-edits.ts';
import { openStore, type Store } from './stores.ts';
import { createTargets } from './targets.ts';
import { linkedMirrors } from './upkeep.ts';

const NO_BOARD = { raise: async () => undefined, clear: async () => undefined };

/** What operator commands work on: the state in Redis, the queue of a worker that may be running, and both remote sides. */
export async function openSession(config: Config, clock: Clock) {
  const store = await openStore(config, clock, { sharing: true });
  try {
    const remembered = await readRememberedAccounts(store.memory);
    return wireSession(config, { store, remembered, clock });
  } catch (error) {
    // An unusable credential must not leave a private Redis running.
    await store.close();
    throw error;
  }
}

function wireSession(
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
  // Names that a command resolves, and problems with them, must not reach the worker's state.
  const calendars = new SubjectCalendars({ memory: readOnly(store.memory), problems: NO_BOARD });
  // Operator commands store no customers.
  const customerOf = createCustomers({ view: store.ledger, reader });
  const made = createTargets({
    customerOf,
    ...{ config, store, remotes, directory, calendars, queue, clock },
    guard: openEditGuard({ store, remotes, clock }),
    ...{ bell: { ring() {} }, log: SILENT, meter: UNCOUNTED },
  });
  const forgetting = forgetParts({ config, store, remotes, queue, clock });
  const targets = resolvedTargets({ targets: made.mirrors, mirrors: config.mirrors, directory, calendars });
  const objects = openObjects({
    ...{ reader, intake: store.intake, view: store.ledger, targets, clock },
    classes: openClassReader({ remotes, directory, clock }),
    observationIn: (event) => observationIn(event, 'feed', clock.now()),
  });
  const { introduce } = objects;
  const { auditBlocks, ...blockDesk } = blockDeskOf({ config, store, remotes, directory, clock });
  return {
    ...store,
    ...auditOf({
      ...{ config, store, reader, directory, queue, clock, targets, introduce, auditBlocks },
      actualOf: made.actualOf,
      heirs: () => heirsOf(linkedMirrors({ config, calendars }), store.memory),
      calendars: remotes.calendarFor('list'),
      sheets: remotes.sheetsFor('list'),
    }),
    ...cursorsOf({ config, store, clock }),
    ...blockDesk,
    ...openSearch({ config, store, remotes }),
    feedLinks: feedLinksAt(store.feedLinks, config.platform.webhook.publicUrl),
    planForget: (contactId: string) => planForget(contactId, forgetting),
    runForget: (plan: ForgetPlan) => runForget(plan.order, forgetting),
    clock,
    remotes,
    queue,
    view: store.ledger,
    ...objects,
    whoseMapping: () => {
      const { mirrors, bookings, feeds, blocks } = config;
      const { memory, coverage, outbox } = store;
      return new MappingMark({ mirrors, bookings, feeds, blocks, memory, coverage, outbox, clock }).whose();
    },
    requestResync: (request: ResyncRequest) =>
      requestResync({ ...store, clock }, { cause: 'operator', request }),
    async close(): Promise<void> {
      await queue.close();
      connection.disconnect();
      await store.close();
    },
  };
}

export type OperatorSession = Awaited<ReturnType<typeof openSession>>;
