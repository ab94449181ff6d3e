import { feedLinksAt } from '../calendar/feed-handler.ts';
import type { ResyncRequest } from '../engine/coverage.ts';
import { observationIn } from '../engine/intake.ts';
import { KeyedQueue } from '../engine/keyed-queue.ts';
import { MappingMark } from '../engine/mapping-mark.ts';
import { type Clock, SILENT, UNCOUNTED } from '../engine/runtime.ts';
import { readRememberedAccounts } from '../google/auth.ts';
import type { Config } from '../mapping/config.ts';
import { createCustomers } from '../mapping/filter-lines.ts';
import { SubjectCalendars } from '../mapping/route.ts';
import { auditOf } from '../operate/audit.ts';
import { cursorsOf } from '../operate/cursors.ts';
import { type ForgetParts, type ForgetPlan, planForget, runPlan } from '../operate/forget/forget.ts';
import { resolvedTargets } from '../operate/kinds.ts';
import { successorsOf } from '../operate/mapping-change/inherit-links.ts';
import { openObjects, readOnly } from '../operate/reading.ts';
import { Limits, type Waiting } from '../operate/waiting.ts';
import { whereIs } from '../operate/whereis.ts';
import { requestResync } from '../platform/resync-walk.ts';
import type { Core } from './core.ts';
import { finderIn } from './explain-session.ts';
import { forgetParts } from './forgetting.ts';
import { openRemotes } from './remotes.ts';
import { openStore, type Store } from './stores.ts';
import { linkedMirrors } from './upkeep.ts';
import { blockDeskOf, openClassReader, openEditGuard } from './wishes.ts';
import { createTargets } from './work.ts';

const NO_BOARD = { raise: async () => undefined, clear: async () => undefined };

/** What operator commands work on: the state in Redis, a worker's queue, and both remote sides, whose limits its requests outlast. */
export async function openSession(config: Config, clock: Clock, waiting?: Waiting) {
  const store = await openStore(config, clock, { sharing: true });
  try {
    const remembered = await readRememberedAccounts(store.memory);
    return await wireSession(config, { store, remembered, clock, limits: new Limits(waiting) });
  } catch (error) {
    // An unusable credential must not leave a private Redis running.
    await store.close();
    throw error;
  }
}

async function wireSession(
  config: Config,
  parts: { store: Store; remembered: ReadonlyMap<string, string>; clock: Clock; limits: Limits },
) {
  const { store, remembered, clock, limits } = parts;
  const remotes = await openRemotes({
    config,
    store,
    remembered,
    limits,
    clock,
    log: SILENT,
    meter: UNCOUNTED,
  });
  const connection = store.openQueueConnection();
  const queue = new KeyedQueue({
    name: 'objects',
    prefix: store.keys.queues,
    connection,
    attempts: config.worker.attempts,
    log: SILENT,
  });
  const { reader } = remotes.platform;
  const { directory } = remotes;
  // Names that a command resolves, and problems with them, must not reach the worker's state.
  const calendars = new SubjectCalendars({ memory: readOnly(store.memory), problems: NO_BOARD });
  // Operator commands store no customers.
  const customerOf = createCustomers({ view: store.ledger, reader });
  const made = createTargets({
    customerOf,
    ...{ config, store, remotes, directory, calendars, queue, clock },
    guard: openEditGuard({ store, remotes, clock }),
    ...{ waker: { wake() {} }, log: SILENT, meter: UNCOUNTED },
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
      platformBudget: () => remotes.platform.budget(),
      actualOf: made.actualOf,
      successors: () => successorsOf(linkedMirrors({ config, calendars }), store.memory),
      calendars: remotes.calendarFor('list'),
      sheets: remotes.sheetsFor('list'),
    }),
    ...cursorsOf({ config, store, clock }),
    ...blockDesk,
    ...openSearch({ config, store }, forgetting),
    feedLinks: feedLinksAt(store.feedLinks, config.platform.webhook.publicUrl),
    planForget: (contactId: string) => planForget(contactId, forgetting),
    runForget: (plan: ForgetPlan) => runPlan(plan, forgetting),
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

/** Lookups for operators: everything about one person, or one object by any of its ids. */
function openSearch({ config, store }: Pick<Core, 'config' | 'store'>, forgetting: ForgetParts) {
  return {
    whereIs: (asked: string) => whereIs(asked, forgetting),
    find: finderIn({ config, store }),
  };
}
