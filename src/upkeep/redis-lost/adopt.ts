// After Redis was lost, the calendars still know which events are the worker's. They are linked again before anything else is written.
// Otherwise an appointment that was cancelled or moved meanwhile would leave its old event behind. A Redis that only restarted may lack
// links, too: it may have lost its last second, or what its replica had not received.
import { type ClassSlot, classIdOf, storedClass } from '../../domain/class-slot.ts';
import { formatKey } from '../../domain/entity.ts';
import { markedObject } from '../../domain/event-id.ts';
import { type CalendarMirror, calendarIdsOf } from '../../domain/mirror.ts';
import type { LinkStore, MarkedEvents } from '../../ports/calendars.ts';
import type { Intake } from '../../ports/intake.ts';
import type { Memory } from '../../ports/memory.ts';
import type { Clock, Log } from '../../ports/runtime.ts';

export interface AdoptParts {
  readonly mirrors: readonly CalendarMirror[];
  readonly marked: MarkedEvents;
  readonly links: LinkStore;
  readonly intake: Pick<Intake, 'observe'>;
  readonly clock: Clock;
  readonly memory: Memory;
  /** Names the process that serves the memory: another one may know less than the last did. */
  readonly redisRun: string;
  readonly log: Log;
}

export interface Adopted {
  readonly events: number;
  /** Error of the first calendar that could not be read. */
  readonly failure?: unknown;
}

/**
 * Looks once into each calendar of a mirror that was not looked into for it since Redis was started. One that cannot be read does not keep the
 * others from it; calling it again goes on with what is left.
 */
export async function adoptMarkedEvents(parts: AdoptParts): Promise<Adopted> {
  let events = 0;
  const failures: unknown[] = [];
  for (const mirror of parts.mirrors) {
    for (const calendarId of calendarIdsOf(mirror)) {
      const done = `adopted:${mirror.name}/${calendarId}`;
      if ((await parts.memory.get(done)) === parts.redisRun) continue;
      try {
        for await (const { appointmentId, link, slot } of parts.marked.in(calendarId)) {
          const key = markedObject(appointmentId);
          // Nobody else may ever tell of a class: all of its appointments may have been cancelled meanwhile.
          if (slot !== undefined) await introduceClass(parts, slot);
          // A mirror that was renamed in the YAML goes on with the events that it wrote under its old name.
          if (await parts.links.adopt(formatKey(key), mirror.name, link)) events += 1;
        }
        await parts.memory.set(done, parts.redisRun);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  if (events > 0) parts.log.warn({ events }, 'events of an earlier installation taken up again');
  return { events, ...(failures.length > 0 && { failure: failures[0] }) };
}

async function introduceClass({ intake, clock }: AdoptParts, slot: ClassSlot): Promise<void> {
  const nowMs = clock.now();
  await intake.observe({
    ...{ key: { kind: 'class', id: classIdOf(slot) }, source: 'calendar', occurredAtMs: nowMs, force: true },
    seen: { as: 'snapshot', snapshot: storedClass(slot, nowMs) },
  });
}
