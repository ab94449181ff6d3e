import { expect, test, vi } from 'vitest';
import { createClassReader } from '../../../src/calendar/class-target.ts';
import { CLASSES, type ClassSlot, classIdOf, storedClass } from '../../../src/engine/class-slot.ts';
import { linkTo } from '../../../src/engine/link.ts';
import { NO_DIRECTORY } from '../../../src/engine/mirror.ts';
import type { Snapshot } from '../../../src/engine/object.ts';
import type { PageRequest } from '../../../src/engine/platform.ts';
import { LIVE_FOR_MS } from '../../../src/engine/reconcile.ts';
import type { Claim } from '../../../src/engine/work.ts';

const NOW = Date.parse('2026-03-02T09:00:00.000Z');
const SLOT: ClassSlot = { serviceId: 'yoga', resourceId: 'hall', startMs: NOW + 3_600_000 };
const services = new Map([['yoga', { id: 'yoga', projectId: 'clinic', name: 'Yoga' }]]);

function member(n: number): Snapshot {
  const starts_at = new Date(SLOT.startMs).toISOString();
  return {
    id: `a${n}`,
    status: 'confirmed',
    service_id: 'yoga',
    resource_id: 'hall',
    starts_at,
    ends_at: starts_at,
  };
}

function claimOf(fields: Partial<Claim> = {}): Claim {
  return {
    ...{ key: { kind: 'class', id: classIdOf(SLOT) }, fence: '', desiredRev: 1, syncedRev: 0 },
    ...{ deleted: false, verify: false, projectId: undefined, links: {}, sightings: [] },
    ...{ pendingSinceMs: NOW, snapshot: storedClass(SLOT, NOW) },
    ...fields,
  };
}

const LINKED = {
  links: { staff: { calendars: [linkTo({ calendarId: 'hall@x.example', eventId: 'e' })] } },
};

function readerOf(all: readonly Snapshot[], about: { isVisible?: boolean; isListed?: boolean } = {}) {
  const page = vi.fn(async (_: string, { limit, startingAfter }: PageRequest) => {
    const from = startingAfter === undefined ? 0 : all.findIndex(({ id }) => id === startingAfter) + 1;
    return { data: all.slice(from, from + limit), hasMore: from + limit < all.length };
  });
  const isProjectVisible = vi.fn(async () => about.isVisible ?? true);
  const directory = {
    current: () => (about.isListed === false ? NO_DIRECTORY : { ...NO_DIRECTORY, services }),
  };
  const reader = createClassReader({
    reader: { page, isProjectVisible, get: async ({ id }) => all.find((each) => each.id === id) },
    directory,
    clock: { now: () => NOW },
  });
  return { page, isProjectVisible, reader };
}

test('a class is read from all pages of the list of its very hour', async () => {
  const all = Array.from({ length: 230 }, (_, n) => member(n));
  const { reader, page } = readerOf(all);
  const { snapshot } = await reader.read(claimOf());
  expect(snapshot?.['members']).toHaveLength(230);
  expect(page).toHaveBeenCalledTimes(3);
  expect(page.mock.calls[0]?.[1]).toMatchObject({
    isLive: true,
    filters: {
      ...{ service_id: 'yoga', resource_id: 'hall', 'starts_at[gte]': '2026-03-02T10:00:00.000Z' },
      'starts_at[lt]': '2026-03-02T10:00:00.001Z',
    },
  });
});

test('one that has waited for long leaves room for what happens now', async () => {
  const { reader, page } = readerOf([member(1)]);
  await reader.read(claimOf({ pendingSinceMs: NOW - LIVE_FOR_MS }));
  await reader.read(claimOf({ pendingSinceMs: NOW - LIVE_FOR_MS + 1 }));
  expect(page.mock.calls.map(([, { isLive }]) => isLive)).toEqual([false, true]);
});

test('P7: an empty list is believed only when the project is in the key, and only asked about where something stands', async () => {
  const proved = readerOf([]);
  expect((await proved.reader.read(claimOf(LINKED))).snapshot).toMatchObject({
    status: 'cancelled',
    members: [],
  });
  expect(proved.isProjectVisible).toHaveBeenCalledWith('clinic');
  const unneeded = readerOf([]);
  await unneeded.reader.read(claimOf());
  await unneeded.reader.read(claimOf({ links: { staff: { calendars: [] }, [CLASSES]: { told: ['a'] } } }));
  expect(unneeded.isProjectVisible).not.toHaveBeenCalled();
  for (const about of [{ isVisible: false }, { isListed: false }])
    await expect(readerOf([], about).reader.read(claimOf(LINKED))).rejects.toMatchObject({
      ...{ code: 'class-not-visible', family: 'terminal', target: 'platform' },
      advice: expect.stringContaining('Nothing was deleted.'),
    });
});

test('P7: a class whose project comes back into the key during the look is not empty', async () => {
  const { page, reader } = readerOf([member(1)]);
  page.mockResolvedValueOnce({ data: [], hasMore: false });
  expect((await reader.read(claimOf(LINKED))).snapshot?.['members']).toHaveLength(1);
});

test('of a class that is known by its id alone nothing is concluded', async () => {
  const { reader, page } = readerOf([]);
  await expect(reader.read(claimOf({ snapshot: undefined }))).rejects.toMatchObject({ family: 'retryable' });
  expect(page).not.toHaveBeenCalled();
});

test('P7: a list without an end is no class, and one whose page is empty has ended', async () => {
  const { page, reader } = readerOf([]);
  page.mockImplementation(async (_, { limit }) => {
    const from = page.mock.calls.length * limit;
    return { data: Array.from({ length: limit }, (_, n) => member(from + n)), hasMore: true };
  });
  await expect(reader.read(claimOf())).rejects.toMatchObject({
    ...{ code: 'class-too-large', family: 'terminal', target: 'platform' },
    advice: 'Take its service out of classes.',
  });
  expect(page).toHaveBeenCalledTimes(50);
  const ended = readerOf([]);
  ended.page.mockResolvedValueOnce({ data: [member(1)], hasMore: true });
  ended.page.mockResolvedValueOnce({ data: [], hasMore: true });
  expect((await ended.reader.read(claimOf())).snapshot?.['members']).toHaveLength(1);
  expect(ended.page).toHaveBeenCalledTimes(2);
});

test('whoever could not be moved back is told of while they are at the other hour', async () => {
  const there = '2026-03-02T12:00:00.000Z';
  const split = { from: new Date(SLOT.startMs).toISOString(), to: there, ids: ['a1', 'a2', 'a3', 'a4'] };
  const { reader } = readerOf([
    { ...member(1), starts_at: '2026-03-02T13:00:00+01:00' },
    { ...member(2), starts_at: there, status: 'cancelled' },
    member(3),
  ]);
  const links = { [CLASSES]: { split } };
  expect((await reader.read(claimOf({ links }))).snapshot?.['split']).toEqual({ ...split, ids: ['a1'] });
  const mended = await readerOf([member(1)]).reader.read(claimOf({ links }));
  expect(mended.snapshot).not.toHaveProperty('split');
  expect((await reader.read(claimOf())).snapshot).not.toHaveProperty('split');
});
