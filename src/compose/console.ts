import { isHiddenBy } from '../blocks/hidden.ts';
import { bookedCalendars } from '../config/needs.ts';
import { openConsole } from '../console/plugin.ts';
import type { EntityKey } from '../domain/entity.ts';
import { cursorsOf } from '../operator/cursors.ts';
import { findObjects } from '../operator/find.ts';
import { MirroredRows } from '../operator/mirrored-rows.ts';
import { PeopleIndex } from '../operator/people-index.ts';
import type { Pace } from '../ops/pace.ts';
import type { StatusSource } from '../ops/status.ts';
import type { Usage } from '../ops/usage.ts';
import { steadyClock } from '../ports/runtime.ts';
import { requestResyncOnce } from '../upkeep/resync/resync-request.ts';
import type { Core } from './core.ts';
import { explainParts } from './explain-parts.ts';
import { openSession } from './operator-session.ts';
import { openReplays } from './replays.ts';

/** The web console over a worker's stores; empty when the console is switched off. */
export function openConsoles(
  core: Core,
  about: {
    readonly status: StatusSource;
    readonly version: string;
    readonly pace: Pick<Pace, 'read'>;
    readonly usage: Pick<Usage, 'read'>;
  },
) {
  const { config, store, queues, directory, clock, log } = core;
  if (!config.console.isEnabled) return [];
  // Live pages never call the platform. They show what the worker last knew.
  const known = {
    directory: async () => directory.current(),
    reader: { get: async (key: EntityKey) => (await store.ledger.peek(key))?.snapshot },
  };
  return [
    openConsole({
      ...{ settings: config.console, hosts: config.http.hosts, language: config.worker.language },
      ...{ access: store.consoleAccess, acts: store.acts, clock, log },
      ...{ deadLetters: store.deadLetters, queue: queues.objects, memory: store.memory },
      find: (what, id) =>
        findObjects(
          { view: store.ledger, journal: store.journal, calendars: bookedCalendars(config) },
          what,
          id,
        ),
      platformBudget: () => core.remotes.platform.budget(),
      workersSince: (sinceMs) => store.processes.seenSince(sinceMs),
      ...{ changes: store.changes, mirrors: config.mirrors.map(({ name }) => name) },
      ...{ journal: store.journal, known: store.known, leases: store.leases },
      replays: openReplays(core),
      resyncs: {
        request: (request) => requestResyncOnce({ ...store, clock }, request),
        progress: cursorsOf({ config, store, clock }).resyncProgress,
        asked: async () =>
          (await store.coverage.holes()).filter(
            ({ request, cause }) => request !== undefined && cause === 'operator',
          ),
      },
      openBoard: () => queues.openBoard(),
      openAudit: () => openSession(config, clock),
      rows: new MirroredRows({
        ...{ api: core.remotes.sheetsFor('catch-up'), mirrors: config.mirrors, bookings: config.bookings },
      }),
      people: new PeopleIndex({
        ...{ ...store, view: store.ledger, isHidden: isHiddenBy(config), clock, steady: steadyClock },
        zoneOf: ({ branch_id }) =>
          typeof branch_id === 'string' ? directory.current().branches.get(branch_id)?.timezone : undefined,
      }),
      story: explainParts({ config, store, clock, ...known }),
      hasGoogle: config.google.calendarRootUrl.startsWith('https://www.googleapis.com/'),
      ...about,
    }),
  ];
}
