import { createBlockBell } from '../calendar/blocks/bell.ts';
import { openBlockDesk } from '../calendar/blocks/desk.ts';
import { blockPollLoop } from '../calendar/blocks/poll.ts';
import { blockWriter, bookingsIn, createBlockTarget } from '../calendar/blocks/target.ts';
import { ofKind } from '../engine/domain/mirror.ts';
import type { WakeAll } from '../engine/loops.ts';
import type { Handler } from '../engine/ports/handler.ts';
import type { Part } from '../engine/supervisor.ts';
import { createPlatformWriter } from '../platform/writer.ts';
import type { Core } from './core.ts';
import type { Remotes } from './remotes.ts';

/** One handler keeps blocks in step with private events. The other reacts to appointments of people who have blocks. */
export function openBlockHandlers(core: Core): readonly Handler[] {
  const { config, store, remotes, directory, queues, clock, log } = core;
  const rules = config.blocks;
  if (rules.length === 0) return [];
  const { intents, memory, problems, dirtyMarks } = store;
  return [
    createBlockTarget({
      ...{ rules, writer: writerOf(remotes), intents, directory, memory, problems, clock, log },
    }),
    createBlockBell({ rules, directory, view: store.ledger, dirtyMarks, queue: queues.objects, clock }),
  ];
}

/** Reads private calendars. */
export function blockPolls(core: Core, wakeAll: WakeAll): Part {
  const { config, store, remotes, directory, intake, mark, clock, log } = core;
  const { memory, problems, leases } = store;
  return blockPollLoop({
    ...{ rules: config.blocks, calendars: remotes.busyEvents, directory, intake, view: store.ledger },
    ...{ memory, problems, leases, wakeAll, clock, log },
    isCurrent: () => mark.isCurrent(),
    bookingsIn: bookingsIn(ofKind(config.bookings, 'calendar')),
  });
}

/** What operator commands read and cancel of blocks. */
export function blockDeskOf({
  config,
  store,
  remotes,
  directory,
  clock,
}: Pick<Core, 'config' | 'store' | 'remotes' | 'directory' | 'clock'>) {
  const { intents, memory, known, deadLetters } = store;
  return openBlockDesk({
    ...{ rules: config.blocks, calendars: remotes.busyEvents, directory, view: store.ledger },
    ...{ writer: writerOf(remotes), intents, memory, known, deadLetters, clock },
    bookingsIn: bookingsIn(ofKind(config.bookings, 'calendar')),
  });
}

/** Ranks as `walk`, so that bookings and mirrors go first: a first start books hundreds of blocks. */
function writerOf({ platform }: Pick<Remotes, 'platform'>) {
  return blockWriter(createPlatformWriter(platform, 'walk'));
}
