import { createClassBell } from '../calendar/classes/bell.ts';
import { createClassReader } from '../calendar/classes/class-reader.ts';
import {
  createClassTarget,
  mirrorOfClasses,
  overbookedNote,
  whereHash,
} from '../calendar/classes/class-target.ts';
import { createGuests } from '../calendar/classes/guests.ts';
import type { MemberParts } from '../calendar/classes/member.ts';
import type { CalendarTargetParts } from '../calendar/target.ts';
import { type CalendarMirror, filtersByCustomer } from '../engine/domain/mirror.ts';
import type { Handler, MirrorTarget } from '../engine/ports/handler.ts';
import type { DirectorySource } from '../engine/ports/platform.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import type { ClassReader, WorkQueue } from '../engine/ports/work.ts';
import { CLASS_WORDS } from '../engine/words/class-words.ts';
import type { CustomerOf } from '../mapping/filter/customers.ts';
import { classRules } from './class-rules.ts';
import type { Core } from './core.ts';
import type { Remotes } from './remotes.ts';

type Parts = Pick<Core, 'config' | 'store' | 'directory' | 'calendars' | 'clock'>;

/** Reacts to appointments, including those whose service was a class before the YAML was edited. */
export function classHandlers(core: Core): readonly Handler[] {
  const { store, directory, intake, clock } = core;
  return [createClassBell({ rules: classRules(core.config), links: store.links, directory, intake, clock })];
}

export function openClassReader(parts: {
  readonly remotes: Pick<Remotes, 'platform'>;
  readonly directory: DirectorySource;
  readonly clock: Clock;
}): ClassReader {
  return createClassReader({ ...parts, reader: parts.remotes.platform.reader });
}

export function memberParts(parts: Parts, mirror: CalendarMirror): MemberParts {
  const { store, directory, calendars } = parts;
  return { mirror, directory, view: store.ledger, resolved: () => calendars.calendarsOf(mirror) };
}

/** Every calendar mirror has one. After an edit of the YAML, it hands former classes back to their appointments. */
export function classTarget(
  parts: Parts & { readonly queue: WorkQueue; readonly customerOf: CustomerOf },
  mirror: CalendarMirror,
  targetOf: (
    mirror: CalendarMirror,
    about: Pick<CalendarTargetParts, 'noteAbout' | 'takenBy' | 'moreGuests'>,
  ) => MirrorTarget,
): MirrorTarget {
  const { config, store, queue, clock } = parts;
  const { links, dirtyMarks, problems, erasures: erased } = store;
  const { overbooked, moreGuests } = CLASS_WORDS[config.worker.language];
  const noteAbout = overbookedNote(overbooked);
  const inner = targetOf(mirrorOfClasses(mirror), {
    ...{ noteAbout, moreGuests, takenBy: whereHash(mirror.where) },
  });
  const { guests } = mirror.classes ?? {};
  const { customerOf, directory } = parts;
  return createClassTarget(inner, {
    ...{ ...memberParts(parts, mirror), links, dirtyMarks, queue, problems, clock },
    ...(filtersByCustomer([mirror]) && { customerOf }),
    ...(guests !== undefined && { guestsOf: createGuests(guests, { erased, customerOf, directory }) }),
  });
}
