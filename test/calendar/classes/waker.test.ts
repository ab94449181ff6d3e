import { expect, test } from 'vitest';
import { createClassWaker } from '../../../src/calendar/class-target.ts';
import { CLASSES, type ClassRule, classIdOf, classSlotText, slotIn } from '../../../src/engine/class-slot.ts';
import { fenced } from '../../../src/engine/errors.ts';
import type { MirrorLinks } from '../../../src/engine/link.ts';
import { NO_DIRECTORY } from '../../../src/engine/mirror.ts';
import type { Snapshot } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';

const NOW = Date.parse('2026-03-02T09:00:00.000Z');
const RULE: ClassRule = {
  services: ['Yoga'],
  places: [],
  title: '',
  description: undefined,
  moved: 'refuse' as const,
};
const TEN = classSlotText({ serviceId: 'yoga', resourceId: 'hall', startMs: NOW });
const TWELVE = classSlotText({ serviceId: 'yoga', resourceId: 'hall', startMs: NOW + 7_200_000 });
const APPOINTMENT: Snapshot = {
  ...{ id: 'a', status: 'confirmed', service_id: 'yoga', service_name: 'Yoga', resource_id: 'hall' },
  starts_at: '2026-03-02T09:00:00.000Z',
};

/** What one turn does, in its order. */
async function turn(about: {
  readonly snapshot?: Snapshot | undefined;
  readonly heard?: Pick<MirrorLinks, 'slots' | 'rung'>;
  readonly rules?: readonly ClassRule[];
  readonly isFenced?: boolean;
  readonly sinceMs?: number | undefined;
  /** When the class is said to have changed. */
  readonly heardAt?: (ms: number) => void;
}): Promise<readonly string[]> {
  const steps: string[] = [];
  const waker = createClassWaker({
    rules: about.rules ?? [RULE],
    directory: { current: () => NO_DIRECTORY },
    links: {
      async write(_, mirror, { slots = [], rung }) {
        expect(mirror).toBe(CLASSES);
        steps.push(
          `remember ${slots.map(hourOf).join(' and ')}${rung === undefined ? '' : `, rung ${rung}`}`,
        );
        if (about.isFenced === true) throw fenced();
      },
    },
    intake: {
      async observe({ key, force, seen, occurredAtMs }) {
        about.heardAt?.(occurredAtMs);
        const slot = seen.as === 'snapshot' ? slotIn(seen.snapshot['slot']) : undefined;
        expect(slot && classIdOf(slot)).toBe(key.id);
        steps.push(`wake ${slot && hourOf(classSlotText(slot))}${force === true ? '' : ' in vain'}`);
        return 'fresh';
      },
    },
    clock: { now: () => NOW },
  });
  const claim: Claim = {
    ...{ key: { kind: 'appointment', id: 'a' }, fence: '', desiredRev: 7, syncedRev: 6, deleted: false },
    ...{
      verify: false,
      projectId: undefined,
      sightings: [],
      pendingSinceMs: 'sinceMs' in about ? about.sinceMs : NOW,
    },
    snapshot: 'snapshot' in about ? about.snapshot : APPOINTMENT,
    links: about.heard === undefined ? {} : { [CLASSES]: about.heard },
  };
  await waker.reconcile(claim).catch((error: { readonly code?: string }) => steps.push(String(error.code)));
  return steps;
}

const hourOf = (slot: string) => (slot === TEN ? 'ten' : 'twelve');

test('an appointment remembers its class before it wakes, so that a death in between wakes again', async () => {
  expect(await turn({})).toEqual(['remember ten', 'wake ten', 'remember ten, rung 7']);
});

test('it wakes at each change, and once for each', async () => {
  expect(await turn({ heard: { slots: [TEN], rung: 6 } })).toEqual(['wake ten', 'remember ten, rung 7']);
  expect(await turn({ heard: { slots: [TEN], rung: 7 } })).toEqual([]);
});

test('one that was moved wakes where it was and where it is; a death on the way forgets neither', async () => {
  const moved = ['wake ten', 'wake twelve'];
  const at = { snapshot: { ...APPOINTMENT, starts_at: '2026-03-02T11:00:00.000Z' } };
  const all = 'remember ten and twelve';
  const end = 'remember twelve, rung 7';
  expect(await turn({ ...at, heard: { slots: [TEN], rung: 6 } })).toEqual([all, ...moved, end]);
  expect(await turn({ ...at, heard: { slots: [TEN, TWELVE] } })).toEqual([...moved, end]);
});

test.each([
  ['was cancelled', { snapshot: { ...APPOINTMENT, status: 'cancelled', resource_id: null } }],
  ['is in no class any more by the YAML', { rules: [] }],
])('one that %s wakes where it was', async (_, about) => {
  expect(await turn({ ...about, heard: { slots: [TEN], rung: 7 } })).toEqual([
    'wake ten',
    'remember , rung 7',
  ]);
});

test('one whose content is not kept any more changes nothing; one of another service never wakes', async () => {
  expect(await turn({ snapshot: undefined, heard: { slots: [TEN], rung: 7 } })).toEqual([]);
  expect(await turn({ snapshot: { ...APPOINTMENT, service_id: 'cut', service_name: 'Cut' } })).toEqual([]);
});

test('a handler that was overtaken wakes nobody', async () => {
  expect(await turn({ isFenced: true })).toEqual(['remember ten', 'fenced']);
});

test('an appointment whose class the YAML turned off and on again wakes it, although nothing has changed since', async () => {
  expect(await turn({ heard: { slots: [], rung: 7 } })).toEqual([
    'remember ten',
    'wake ten',
    'remember ten, rung 7',
  ]);
});

test('what is stored and names no class wakes nobody', async () => {
  expect(await turn({ heard: { slots: [TEN, 'yoga hall'], rung: 6 } })).toEqual([
    'wake ten',
    'remember ten, rung 7',
  ]);
});

test('a class has changed since its appointment waits, or now', async () => {
  const heard: number[] = [];
  const heardAt = (ms: number) => heard.push(ms);
  await turn({ sinceMs: NOW - 5_000, heardAt });
  await turn({ sinceMs: undefined, heardAt });
  expect(heard).toEqual([NOW - 5_000, NOW]);
});

test('without classes in the YAML, only appointments that were in one are looked at', () => {
  const wakerOf = (rules: readonly ClassRule[]) =>
    createClassWaker({
      ...{ rules, directory: { current: () => NO_DIRECTORY }, links: { async write() {} } },
      ...{ intake: { observe: async () => 'fresh' }, clock: { now: () => NOW } },
    });
  expect(wakerOf([]).onlyLinkedAs).toBe(CLASSES);
  expect(wakerOf([RULE])).not.toHaveProperty('onlyLinkedAs');
});
