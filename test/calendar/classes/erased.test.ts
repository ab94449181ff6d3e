import { expect, test } from 'vitest';
import { createErasedWaker, doubtFor, wakeFor } from '../../../src/calendar/class-erased.ts';
import {
  CLASSES,
  type ClassRule,
  type ClassSlot,
  classIdOf,
  classSlotText,
  slotIn,
  storedClass,
} from '../../../src/engine/class-slot.ts';
import { eventIdOf } from '../../../src/engine/ids.ts';
import { NO_DIRECTORY } from '../../../src/engine/mirror.ts';
import type { Observation, Snapshot } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';
import type { CalendarEvent } from '../../../src/google/calendar-event.ts';

const NOW = Date.parse('2026-03-02T09:00:00.000Z');
const HOUR_MS = 3_600_000;
const RULE: ClassRule = {
  services: ['Yoga'],
  places: [],
  title: '',
  description: undefined,
  moved: 'refuse' as const,
};
const slotAt = (hours: number, serviceId = 'yoga'): ClassSlot => ({
  ...{ serviceId, resourceId: 'hall', startMs: NOW + hours * HOUR_MS },
});
const APPOINTMENT: Snapshot = {
  ...{ id: 'a', status: 'confirmed', service_id: 'yoga', service_name: 'Yoga', resource_id: 'hall' },
  starts_at: new Date(NOW + HOUR_MS).toISOString(),
};

const SERVICES = new Map([['yoga', { id: 'yoga', name: 'Yoga', projectId: 'p' }]]);

function belfry(known: readonly ClassSlot[], rules: readonly ClassRule[] = [RULE]) {
  const woken: string[] = [];
  const told = { looks: 0 };
  const parts = {
    intake: {
      async observe({ key, seen }: Observation) {
        const slot = seen.as === 'snapshot' ? slotIn(seen.snapshot['slot']) : undefined;
        expect(slot && classIdOf(slot)).toBe(key.id);
        woken.push(slot === undefined ? '' : `${slot.serviceId} ${(slot.startMs - NOW) / HOUR_MS}`);
        return 'fresh' as const;
      },
    },
    clock: { now: () => NOW },
  };
  const waker = createErasedWaker({
    ...parts,
    ...{ rules, directory: { current: () => ({ ...NO_DIRECTORY, services: SERVICES }) } },
    known: {
      async each(kind, tell) {
        expect(kind).toBe('class');
        told.looks += 1;
        await tell(known.map((slot) => ({ snapshot: storedClass(slot, NOW) }) as unknown as Claim));
      },
    },
  });
  const hear = (snapshot: Snapshot | 'reduced', kind: 'appointment' | 'contact' = 'appointment') =>
    waker({
      ...{ key: { kind, id: 'a' }, source: 'feed', occurredAtMs: NOW },
      seen: snapshot === 'reduced' ? { as: 'reduced' } : { as: 'snapshot', snapshot },
    });
  return { woken, told, hear, parts };
}

const KNOWN = [slotAt(3), slotAt(-25), slotAt(-2), slotAt(3, 'pilates')];

test('a change wakes the class where it is, and those of its service where it may have been', async () => {
  const { hear, woken } = belfry(KNOWN);
  await hear(APPOINTMENT);
  expect(woken).toEqual(['yoga 1', 'yoga 3', 'yoga -2']);
});

test('a cancelled one is in none, and one too large to be told of may have been in any', async () => {
  const { hear, woken } = belfry(KNOWN);
  await hear({ ...APPOINTMENT, status: 'cancelled', resource_id: null });
  expect(woken.splice(0)).toEqual(['yoga 3', 'yoga -2']);
  await hear('reduced');
  expect(woken).toEqual(['yoga 3', 'yoga -2', 'pilates 3']);
});

test('what is no class, and no appointment, wakes nothing and looks nowhere', async () => {
  const { hear, woken, told } = belfry(KNOWN);
  await hear({ ...APPOINTMENT, service_id: 'cut', service_name: 'Haircut' });
  await hear(APPOINTMENT, 'contact');
  const none = belfry(KNOWN, []);
  await none.hear('reduced');
  expect([...woken, ...none.woken, told.looks, none.told.looks]).toEqual([0, 0]);
});

test('those who hear at the same time share a look, and none that began before', async () => {
  const { hear, woken, told } = belfry(KNOWN);
  await Promise.all([hear(APPOINTMENT), hear(APPOINTMENT), hear(APPOINTMENT)]);
  expect(told.looks).toBe(1);
  await hear(APPOINTMENT);
  expect(told.looks).toBe(2);
  expect(woken).toHaveLength(12);
});

test('before it is forgotten, an appointment wakes all that had to hear of it', async () => {
  const { parts, woken } = belfry([]);
  const slots = [classSlotText(slotAt(1)), classSlotText(slotAt(3))];
  await wakeFor(parts)({ links: { [CLASSES]: { slots } } });
  await wakeFor(parts)({ links: {} });
  expect(woken).toEqual(['yoga 1', 'yoga 3']);
});

test('the class of an event that is to be emptied looks at it again, also one of which nothing is known', async () => {
  const { parts, woken } = belfry([]);
  const doubted: string[] = [];
  const dirtyMarks = {
    async doubt(keys: readonly { kind: string; id: string }[], mirror: string) {
      for (const { kind, id } of keys) doubted.push(`${kind} ${id} ${mirror} after ${woken.length}`);
    },
  };
  const id = classIdOf(slotAt(3));
  const marks = {
    ...{ slotbridge_appointment: id, slotbridge_mirror: 'staff', slotbridge_class: classSlotText(slotAt(3)) },
  };
  const event = { id: eventIdOf(id), extendedProperties: { private: marks } } as unknown as CalendarEvent;
  const forgiveEdits = async (key: string) => void doubted.push(`forgiven ${key}`);
  await doubtFor({ ...parts, dirtyMarks, forgiveEdits })(event);
  expect(woken).toEqual(['yoga 3']);
  // A class that was just taken up has something to be doubted.
  expect(doubted).toEqual([`forgiven class/${id}`, `class ${id} staff after 1`]);
});
