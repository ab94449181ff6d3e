import { expect, test, vi } from 'vitest';
import { createClassReader } from '../../../src/calendar/class-target.ts';
import { type ClassSlot, classIdOf, storedClass } from '../../../src/engine/class-slot.ts';
import { linkTo } from '../../../src/engine/link.ts';
import { NO_DIRECTORY } from '../../../src/engine/mirror.ts';
import type { Snapshot } from '../../../src/engine/object.ts';
import type { PageRequest } from '../../../src/engine/platform.ts';
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
  await reader.read(claimOf({ pendingSinceMs: NOW - 3_600_000 }));
  expect(page.mock.calls[0]?.[1]).toMatchObject({ isLive: false });
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
  expect(unneeded.isProjectVisible).not.toHaveBeenCalled();
  for (const about of [{ isVisible: false }, { isListed: false }])
    await expect(readerOf([], about).reader.read(claimOf(LINKED))).rejects.toMatchObject({
      code: 'class-not-visible',
      family: 'terminal',
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
