import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createClassTarget, whereHash } from '../../../src/calendar/class-target.ts';
import { CLASSES, type ClassSlot, classIdOf, classNow } from '../../../src/engine/class-slot.ts';
import type { MirrorTarget } from '../../../src/engine/handler.ts';
import { eventIdOf } from '../../../src/engine/ids.ts';
import { type CalendarLink, linkTo } from '../../../src/engine/link.ts';
import type { CalendarMirror, Directory } from '../../../src/engine/mirror.ts';
import type { EntityKey, Snapshot } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const NOW = Date.parse('2026-03-02T09:00:00.000Z');
const HOUR = 3_600_000;
const HALL = 'hall@x.example';
const SLOT: ClassSlot = { serviceId: 'yoga', resourceId: 'hall', startMs: NOW + 24 * HOUR };
const PAST: ClassSlot = { ...SLOT, startMs: NOW - 24 * HOUR };

const DIRECTORY: Directory = {
  resources: new Map([['hall', { id: 'hall', branchId: 'b', projectId: 'p', name: 'Hall', capacity: 6 }]]),
  branches: new Map(),
  services: new Map([['yoga', { id: 'yoga', projectId: 'p', name: 'Yoga' }]]),
};
const MIRROR: CalendarMirror = {
  ...{ kind: 'calendar', name: 'staff', from: 'appointment', where: { sinceMs: 30 * 24 * HOUR } },
  calendars: [{ resource: 'Hall', calendarId: HALL }],
  event: { title: '', description: undefined, location: undefined, colorIds: {}, cancelled: 'remove' },
  staffEdits: { moved: 'ignore', deleted: 'ignore', conflict: 'staff', graceMs: 0, notifyCustomer: true },
  classes: { services: ['Yoga'], places: [], title: '', description: undefined, moved: 'refuse' as const },
};
const { classes: _, ...WITHOUT } = MIRROR;

function member(id: string, slot: ClassSlot, fields: Partial<Snapshot> = {}): Snapshot {
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    ...{ id, status: 'confirmed', service_id: 'yoga', service_name: 'Yoga', resource_id: 'hall' },
    ...{ resource_ids: ['hall'], starts_at: at(slot.startMs), ends_at: at(slot.startMs + HOUR) },
    ...fields,
  };
}

const written = (eventId: string, more: Partial<CalendarLink> = {}): CalendarLink => {
  const link = linkTo({ calendarId: HALL, eventId });
  return { ...link, event: { is: 'written', etag: '"1"', hour: {}, hash: 'h' }, ...more };
};
const classLink = (slot: ClassSlot, more: Partial<CalendarLink> = {}) =>
  written(eventIdOf(classIdOf(slot)), { takenBy: whereHash(MIRROR.where), ...more });

interface World {
  readonly mirror?: CalendarMirror;
  readonly slot?: ClassSlot;
  readonly members?: readonly Snapshot[];
  readonly link?: CalendarLink;
  /** Ids of appointments that have an event of their own. */
  readonly own?: readonly string[];
  readonly told?: readonly string[];
  readonly directory?: Directory;
}

/** One turn: what the target of the calendars was given, and what was told. */
async function turn(world: World) {
  const { mirror = MIRROR, slot = SLOT, members = [], link, own = [], told = [] } = world;
  const key: EntityKey = { kind: 'class', id: classIdOf(slot) };
  const given: (Snapshot | undefined)[] = [];
  const inner: MirrorTarget = {
    ...{ name: 'staff', from: 'appointment', preview: async () => 'nothing', planned: async () => [] },
    expected: async () => [],
    async reconcile({ snapshot }) {
      given.push(snapshot);
      return 'updated';
    },
  };
  const links = {
    ...(link && { staff: { calendars: [link] } }),
    ...(told.length > 0 && { [CLASSES]: { told } }),
  };
  const claim: Claim = {
    ...{ key, fence: '', desiredRev: 2, syncedRev: 1, deleted: false, verify: false, projectId: undefined },
    ...{ links, sightings: [], pendingSinceMs: NOW, snapshot: classNow(slot, members) },
  };
  const markDirty = vi.fn(async () => []);
  const write = vi.fn(async () => {});
  const board = { raise: vi.fn(async () => undefined), clear: vi.fn(async () => undefined) };
  const target = createClassTarget(inner, {
    mirror,
    directory: { current: () => world.directory ?? DIRECTORY },
    resolved: () => new Map([['hall', HALL]]),
    view: {
      peek: async ({ kind, id }) => {
        if (kind === 'class') return claim;
        const calendars = own.includes(id) ? [written(eventIdOf(id))] : [];
        return { ...claim, key: { kind, id }, links: { staff: { calendars } } };
      },
    },
    links: { write },
    dirtyMarks: { markDirty },
    queue: { add() {} },
    problems: board,
    clock: { now: () => NOW },
  });
  const ended = await target.reconcile(claim).catch((error: Error & { code?: string }) => error.code);
  return { ended, given, markDirty, write, board, target, claim };
}

describe('a class', () => {
  test('is shown as one appointment, with the places of its resource, or of the mapping', async () => {
    const members = [member('1', SLOT), member('2', SLOT, { guests_count: 2 })];
    expect((await turn({ members })).given).toMatchObject([{ taken: 3, places: 6, free: 3 }]);
    const classes = {
      ...MIRROR.classes,
      services: ['yoga'],
      title: '',
      description: undefined,
      moved: 'refuse' as const,
    };
    const mirror = { ...MIRROR, classes: { ...classes, places: [{ service: 'yoga', places: 2 }] } };
    const { given, board } = await turn({ members, mirror });
    expect(given).toMatchObject([{ places: 2, over: 1 }]);
    expect(board.raise).toHaveBeenCalledOnce();
  });

  test('that nobody comes to goes', async () => {
    expect((await turn({ link: classLink(SLOT) })).given).toMatchObject([{ status: 'cancelled' }]);
  });

  test('stays while a name of the mapping has no meaning: a colleague may have renamed the service', async () => {
    const services = new Map([['yoga', { id: 'yoga', projectId: 'p', name: 'Yoga for all' }]]);
    const directory = { ...DIRECTORY, services };
    const renamed = { service_name: 'Yoga for all' };
    const members = [member('1', SLOT, renamed)];
    expect((await turn({ members, directory, link: classLink(SLOT) })).given).toMatchObject([{ taken: 1 }]);
    expect((await turn({ members, directory })).ended).toBe('nothing');
  });
});

describe('where', () => {
  const only = (statuses: string[]) => ({ ...MIRROR, where: { ...MIRROR.where, statuses } });

  test('leaves out whom it does not take', async () => {
    const members = [member('1', SLOT), member('2', SLOT, { status: 'no_show' })];
    expect((await turn({ members, mirror: only(['confirmed']) })).given).toMatchObject([{ taken: 1 }]);
  });

  test('takes an event away when the people of the class have changed, and not when the YAML has', async () => {
    const mirror = only(['confirmed']);
    const members = [member('1', SLOT, { status: 'no_show' })];
    const same = classLink(SLOT, { takenBy: whereHash(mirror.where) });
    expect((await turn({ members, mirror, link: same })).given).toMatchObject([{ status: 'cancelled' }]);
    expect(await turn({ members, mirror, link: classLink(SLOT) })).toMatchObject({
      ended: 'nothing',
      given: [],
    });
    const released = classLink(SLOT, { released: true });
    expect((await turn({ members, mirror, link: released })).given).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('when the YAML turns classes on', () => {
  test('the appointments are told once that the class stands', async () => {
    const about = { members: [member('1', SLOT), member('2', SLOT)], own: ['2'], link: classLink(SLOT) };
    const first = await turn(about);
    expect(first.markDirty).toHaveBeenCalledWith([{ kind: 'appointment', id: '2' }], { read: false });
    expect(first.write).toHaveBeenCalledWith(first.claim, CLASSES, { told: ['staff 2'] });
    expect((await turn({ ...about, told: ['staff 2'] })).markDirty).toHaveBeenCalledWith([], { read: false });
    const gone = await turn({ ...about, own: [], told: ['staff 2', 'others 2'] });
    expect(gone.write).toHaveBeenCalledWith(gone.claim, CLASSES, { told: ['others 2'] });
  });

  test('nobody is told before it stands', async () => {
    const unseen: CalendarLink = { ...classLink(SLOT), event: { is: 'found', etag: '', hour: {} } };
    const { markDirty } = await turn({ members: [member('1', SLOT)], own: ['1'], link: unseen });
    expect(markDirty).not.toHaveBeenCalled();
  });

  test('what is over stays in single events', async () => {
    const members = [member('1', PAST)];
    expect((await turn({ slot: PAST, members, own: ['1'] })).ended).toBe('nothing');
    expect((await turn({ slot: PAST, members })).given).toMatchObject([{ taken: 1 }]);
  });
});

describe('when the YAML turns classes off', () => {
  const members = [member('1', SLOT), member('2', SLOT)];

  test('the class stays until every appointment has an event of its own', async () => {
    const about = { mirror: WITHOUT, members, link: classLink(SLOT) };
    expect(await turn({ ...about, own: ['1'] })).toMatchObject({ ended: 'class-not-handed-back', given: [] });
    expect((await turn({ ...about, own: ['1', '2'] })).given).toMatchObject([{ status: 'cancelled' }]);
  });

  test('what is over stays, and nothing begins', async () => {
    const link = classLink(PAST);
    const past = { mirror: WITHOUT, slot: PAST, members: [member('1', PAST)], link };
    expect(await turn(past)).toMatchObject({ ended: 'nothing', given: [] });
    expect(await turn({ mirror: WITHOUT, members })).toMatchObject({ ended: 'nothing', given: [] });
  });
});

describe('of two mirrors of one class in one turn', () => {
  const split = { from: new Date(SLOT.startMs).toISOString(), to: '2026-03-04T09:00:00.000Z', ids: ['9'] };
  const key: EntityKey = { kind: 'class', id: classIdOf(SLOT) };
  let redis: TestRedis;
  let store: TestStore;
  beforeAll(async () => {
    redis = await startTestRedis();
    store = openTestStore(redis.url);
    await store.ready();
  });
  afterAll(async () => {
    store.close();
    await redis.stop();
  });

  async function claimed({ kind, id }: EntityKey): Promise<Claim> {
    const snapshot = { id, seen_at: new Date().toISOString() };
    const seen = { as: 'snapshot', snapshot } as const;
    await store.intake.observe({ key: { kind, id }, source: 'list', occurredAtMs: NOW, seen });
    const claim = await store.work.claim({ kind, id });
    if (claim === undefined) throw new Error('nothing to claim');
    return claim;
  }

  const targetOf = (name: string) =>
    createClassTarget(
      {
        ...{ name, from: 'appointment', reconcile: async () => 'nothing', preview: async () => 'nothing' },
        ...{ planned: async () => [], expected: async () => [] },
      },
      {
        ...{ mirror: { ...MIRROR, name }, directory: { current: () => DIRECTORY } },
        ...{ resolved: () => new Map([['hall', HALL]]), clock: { now: () => NOW } },
        ...{ view: store.ledger, links: store.links, dirtyMarks: store.dirtyMarks, queue: { add() {} } },
        problems: store.problems,
      },
    );

  test('the second leaves what the first has written of members told and of a split that is over', async () => {
    const own = await claimed({ kind: 'appointment', id: '1' });
    const first = await claimed(key);
    for (const name of ['staff', 'hall']) {
      await store.links.write(own, name, { calendars: [written(eventIdOf('1'))] });
      await store.links.write(first, name, { calendars: [classLink(SLOT)] });
    }
    await store.links.write(first, CLASSES, { split });
    await store.work.settle(first);
    const claim = { ...(await claimed(key)), snapshot: classNow(SLOT, [member('1', SLOT)]) };
    for (const name of ['staff', 'hall']) await targetOf(name).reconcile(claim);
    expect((await store.ledger.peek(key))?.links[CLASSES]).toEqual({ told: ['staff 1', 'hall 1'] });
  });

  test('a turn that was overtaken does not count a split as told', async () => {
    const late = { ...(await claimed(key)), snapshot: classNow(SLOT, []) };
    await store.links.write(late, CLASSES, { split });
    await claimed(key);
    const told = { ...late, links: { [CLASSES]: { split } } };
    await expect(targetOf('staff').reconcile(told)).rejects.toMatchObject({ code: 'fenced' });
  });
});
