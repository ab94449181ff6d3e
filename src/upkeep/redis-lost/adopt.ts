// After Redis was lost, the calendars still show which events are the worker's. They are linked again before any other write. Otherwise an
// appointment that was cancelled or moved meanwhile would leave its old event behind. A Redis that only restarted may lack links, too: it
// may have lost its last second, or what its replica had not received.
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
  /** Identifies the process that serves the memory. Another process may know less than the last one did. */
  readonly redisRun: string;
  readonly log: Log;
}

export interface Adopted {
  readonly events: number;
  /** Error of the first calendar that could not be read. */
  readonly failure?: unknown;
}

/**
 * Looks once per Redis run into each calendar of each mirror. A calendar that cannot be read does not hold up the others. Another call
 * continues with what is left.
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
          // No other source may ever report this class, because all of its appointments may have been cancelled meanwhile.
          if (slot !== undefined) await introduceClass(parts, slot);
          // A mirror that was renamed in the YAML continues with the events that it wrote under its old name.
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
