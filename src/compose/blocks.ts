import { createBlockBell } from '../blocks/bell.ts';
import { BlockPoll } from '../blocks/poll.ts';
import { createBlockTarget } from '../blocks/target.ts';
import type { Config } from '../config/config.ts';
import { calendarBookings } from '../config/needs.ts';
import type { BookingRules } from '../domain/block.ts';
import { createPlatformWriter } from '../platform/writer.ts';
import type { Handler } from '../ports/handler.ts';
import type { PlatformWriter } from '../ports/platform.ts';
import { repeat, type WakeAll } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';
import type { Core } from './core.ts';
import type { Remotes } from './remotes.ts';

/** Brings blocks in step, and hears what happens to appointments of people who have them. */
export function openBlockHandlers(core: Core): readonly Handler[] {
  const { config, store, remotes, directory, queues, clock, log } = core;
  const rules = config.blocks;
  if (rules.length === 0) return [];
  const { intents, memory, problems, dirtyMarks } = store;
  return [
    createBlockTarget({
      rules,
      writer: blockWriter(remotes),
      intents,
      directory,
      memory,
      problems,
      clock,
      log,
    }),
    createBlockBell({ rules, directory, view: store.ledger, dirtyMarks, queue: queues.objects, clock }),
  ];
}

/** Reads private calendars at the pace of their entries, one process at a time. */
export function blockPolls(core: Core, wakeAll: WakeAll): Part {
  const { config, store, remotes, directory, intake, mark, clock, log } = core;
  const rules = config.blocks;
  const { memory, problems, leases } = store;
  const poll = new BlockPoll({
    ...{
      rules,
      calendars: remotes.busyEvents,
      directory,
      intake,
      view: store.ledger,
      memory,
      problems,
      clock,
      log,
    },
    bookingsIn: bookingsIn(config),
  });
  return {
    name: 'blocks',
    async run(signal) {
      await Promise.all(
        rules
          .filter(({ paused }) => !paused)
          .map((rule) =>
            repeat({ name: 'blocks', everyMs: rule.everyMs, signal, log, wakeAll }, async () => {
              if (!(await mark.isCurrent())) return undefined;
              await leases.hold(`blocks:${rule.name}`, (lease) => poll.round(rule, lease), { until: signal });
              return undefined;
            }),
          ),
      );
    },
  };
}

/** The rules by which people book in a calendar. */
export function bookingsIn(config: Config): (calendarId: string) => BookingRules {
  const bookings = calendarBookings(config);
  return (calendarId) =>
    bookings
      .filter(({ calendars }) => calendars.some((each) => isSame(each.calendarId, calendarId)))
      .map(({ when }) => when);
}

/** Bookings and mirrors go first: a first start books hundreds of blocks. Other times are asked for at no refusal, because nobody waits for them. */
export function blockWriter({ platform }: Pick<Remotes, 'platform'>): PlatformWriter {
  const writer = createPlatformWriter(platform, 'walk');
  return {
    create: (request) => writer.create(request),
    reschedule: (id, request) => writer.reschedule(id, request),
    cancel: (id, request) => writer.cancel(id, request),
    get: (id) => writer.get(id),
    list: (filters, after) => writer.list(filters, after),
    slots: async () => ({ projectId: '', zone: 'UTC', slots: [], windows: [], hasMore: false }),
  };
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
