import { createRowTimes } from '../bookings/outside/row-times.ts';
import { isAppointmentWord } from '../bookings/words/outside-words.ts';
import { ofKind } from '../domain/mirror.ts';
import { createBookingTemplates } from '../mirrors/render/booking-templates.ts';
import { RememberedTabs } from '../mirrors/sheet/tab/tab-memory.ts';
import { createPlatformWriter } from '../platform/writer.ts';
import { DropDowns } from '../sources/booking-sheet/drop-downs/drop-downs.ts';
import { offeredNames } from '../sources/booking-sheet/drop-downs/offered-names.ts';
import { every } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';
import type { Core } from './core.ts';

/** How often the worker checks whether drop-downs are due. */
const LOOK_EVERY_MS = 15_000;

/** Keeps the drop-downs of booking sheets, and removes them once the setting is gone. */
export function bookingDropDowns(core: Core): readonly Part[] {
  const { config, store, remotes, directory, mark, clock, log } = core;
  const mappings = ofKind(config.bookings, 'sheet');
  if (mappings.length === 0) return [];
  const ofBlocks = config.blocks.map(({ service }) => service);
  const dropDowns = new DropDowns({
    ...{ mappings, installation: config.redis.prefix },
    // All live work goes first on both sides, because nothing waits for a suggestion.
    api: remotes.sheetsFor('list'),
    tabs: new RememberedTabs(store.memory),
    names: () => offeredNames(directory.current(), ofBlocks),
    times: createRowTimes({
      ...{ writer: createPlatformWriter(remotes.platform, 'walk'), directory, clock },
      templatesOf: ({ region }) =>
        createBookingTemplates({
          region,
          serviceNames: () => [...directory.current().services.values()].map(({ name }) => name),
        }),
    }),
    ...{ isAnswer: isAppointmentWord, memory: store.memory, leases: store.leases },
    ...{ problems: store.problems, clock, log },
  });
  const look = async (signal: AbortSignal) => {
    if (await mark.isCurrent()) await dropDowns.look(signal);
  };
  return [every({ name: 'drop-downs', everyMs: LOOK_EVERY_MS, log }, look)];
}
