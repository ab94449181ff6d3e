import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createClassTarget, whereHash } from '../../../src/calendar/class-target.ts';
import {
  CLASSES,
  type ClassRule,
  type ClassSlot,
  type ClassSplit,
  classIdOf,
  classNow,
  type GuestList,
  storedClass,
} from '../../../src/engine/class-slot.ts';
import type { MirrorTarget } from '../../../src/engine/handler.ts';
import { calendarPlace, eventIdOf } from '../../../src/engine/ids.ts';
import { type CalendarLink, linkTo, type MirrorLinks } from '../../../src/engine/link.ts';
import {
  type CalendarMirror,
  type Condition,
  type Directory,
  type Expectation,
  NO_DIRECTORY,
} from '../../../src/engine/mirror.ts';
import type { EntityKey, Snapshot } from '../../../src/engine/object.ts';
import type { KnownCustomer } from '../../../src/engine/person.ts';
import type { PlannedStep } from '../../../src/engine/planned.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { openTestStore, type TestStore } from '../../stand/store.ts';

const NOW = Date.parse('2026-03-02T09:00:00.000Z');
const HOUR = 3_600_000;
const HALL = 'hall@x.example';
const ROOM = 'room@x.example';
const SLOT: ClassSlot = { serviceId: 'yoga', resourceId: 'hall', startMs: NOW + 24 * HOUR };
/** Some of the class could not be moved back. */
const SPLIT: ClassSplit = {
  ...{ from: new Date(SLOT.startMs).toISOString(), to: '2026-03-04T09:00:00.000Z', ids: ['9'] },
};
const PAST: ClassSlot = { ...SLOT, startMs: NOW - 24 * HOUR };

const DIRECTORY: Directory = {
  resources: new Map([['hall', { id: 'hall', branchId: 'b', projectId: 'p', name: 'Hall', capacity: 6 }]]),
  branches: new Map(),
  services: new Map([['yoga', { id: 'yoga', projectId: 'p', name: 'Yoga' }]]),
};
const YOGA: ClassRule = {
  ...{ services: ['Yoga'], places: [], title: '', description: undefined, moved: 'refuse' },
};
const MIRROR: CalendarMirror = {
  ...{ kind: 'calendar', name: 'staff', from: 'appointment', where: { sinceMs: 30 * 24 * HOUR } },
  calendars: [{ resource: 'Hall', calendarId: HALL }],
  event: { title: '', description: undefined, location: undefined, colorIds: {}, cancelled: 'remove' },
  staffEdits: { moved: 'ignore', deleted: 'ignore', conflict: 'staff', graceMs: 0, notifyCustomer: true },
  classes: YOGA,
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

const STEP: PlannedStep = { place: 'calendar:hall', action: 'created' };
const EXPECTED: Expectation = {
  place: 'calendar:hall',
  rule: 'must',
  isRight: () => true,
  isConfirmed: true,
};
const guestsOf = async (members: readonly Snapshot[]): Promise<GuestList> => ({
  ...{ lines: members.map(({ id }) => ({ id, text: `guest ${id}`, people: 1 })), people: members.length },
});

interface World {
  readonly mirror?: CalendarMirror;
  readonly slot?: ClassSlot;
  readonly members?: readonly Snapshot[];
  readonly link?: CalendarLink;
  /** In a second calendar. */
  readonly otherLink?: CalendarLink;
  /** Ids of appointments that have an event of their own. */
  readonly own?: readonly string[];
  readonly told?: readonly string[];
  readonly directory?: Directory;
  readonly split?: ClassSplit;
  /** Ids of appointments that the worker has no record of. */
  readonly unknown?: readonly string[];
  /** Facts about the customer of an appointment, by its id. */
  readonly customers?: Readonly<Record<string, KnownCustomer>>;
  readonly isNamed?: boolean;
  readonly nowMs?: number;
  /** What the target of the calendars wants to be woken for. */
  readonly innerNextMs?: number;
  /** The snapshot where the class was not read. */
  readonly unread?: Snapshot;
}

/** One turn: what the target of the calendars was given, and what was told. */
async function turn(world: World) {
  const { mirror = MIRROR, slot = SLOT, members = [], link, otherLink, own = [], told = [], split } = world;
  const { nowMs = NOW, innerNextMs, customers, unknown = [], unread } = world;
  const key: EntityKey = { kind: 'class', id: classIdOf(slot) };
  const given: (Snapshot | undefined)[] = [];
  const inner: MirrorTarget = {
    ...{ name: 'staff', from: 'appointment', preview: async () => 'created', planned: async () => [STEP] },
    expected: async () => [EXPECTED],
    ...(innerNextMs !== undefined && { nextTurnAtMs: () => innerNextMs }),
    async reconcile({ snapshot }) {
      given.push(snapshot);
      return 'updated';
    },
  };
  const links = {
    ...(link && { staff: { calendars: [link, ...(otherLink ? [otherLink] : [])] } }),
    ...((told.length > 0 || split !== undefined) && { [CLASSES]: { told, ...(split && { split }) } }),
  };
  const claim: Claim = {
    ...{ key, fence: '', desiredRev: 2, syncedRev: 1, deleted: false, verify: false, projectId: undefined },
    ...{ links, sightings: [], pendingSinceMs: NOW },
    snapshot: unread ?? { ...classNow(slot, members), ...(split && { split }) },
  };
  const markDirty = vi.fn(async () => []);
  const write = vi.fn(async (_claim: Claim, _mirror: string, _links: MirrorLinks) => {});
  const rewritten = () => write.mock.calls.map(([, , links]) => links);
  const board = { raise: vi.fn(async () => undefined), clear: vi.fn(async () => undefined) };
  const target = createClassTarget(inner, {
    mirror,
    directory: { current: () => world.directory ?? DIRECTORY },
    resolved: () =>
      new Map([
        ['hall', HALL],
        ['room', ROOM],
      ]),
    view: {
      peek: async ({ kind, id }) => {
        if (kind === 'class') return claim;
        if (unknown.includes(id)) return undefined;
        const calendars = own.includes(id) ? [written(eventIdOf(id))] : [];
        return { ...claim, key: { kind, id }, links: { staff: { calendars } } };
      },
    },
    links: { write },
    dirtyMarks: { markDirty },
    queue: { add() {} },
    problems: board,
    clock: { now: () => nowMs },
    ...(customers && { customerOf: async ({ id }: Snapshot) => customers[id] }),
    ...(world.isNamed && { guestsOf }),
  });
  const ended = await target.reconcile(claim).catch((error: Error & { code?: string }) => error.code);
  return { ended, given, markDirty, write, rewritten, board, target, claim };
}

describe('a class', () => {
  test('is shown as one appointment, with the places of its resource, or of the mapping', async () => {
    const members = [member('1', SLOT), member('2', SLOT, { guests_count: 2 })];
    expect((await turn({ members })).given).toMatchObject([{ taken: 3, places: 6, free: 3 }]);
    const classes = { ...YOGA, services: ['yoga'] };
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

  test('of which nothing was read is left for another turn', async () => {
    const about = { link: classLink(SLOT), unread: storedClass(SLOT, NOW) };
    expect(await turn(about)).toMatchObject({ ended: 'snapshot-missing', given: [] });
  });

  test('names its guests where the mapping asks for them, and nobody where nobody comes', async () => {
    const members = [member('1', SLOT)];
    const { given } = await turn({ members, isNamed: true });
    expect(given).toMatchObject([{ taken: 1, guests: { people: 1, lines: [{ id: '1' }] } }]);
    expect((await turn({ members })).given[0]).not.toHaveProperty('guests');
    const nobody = await turn({ link: classLink(SLOT), isNamed: true });
    expect(nobody.given[0]).not.toHaveProperty('guests');
  });

  test('of a service and a resource that no list has is shown without places', async () => {
    const mirror = { ...MIRROR, classes: { ...YOGA, services: ['yoga'] } };
    const { given } = await turn({ members: [member('1', SLOT)], mirror, directory: NO_DIRECTORY });
    expect(given).toMatchObject([{ taken: 1, places: null }]);
  });

  test('of two calendars stays as it is where the YAML has changed for one of them', async () => {
    const mirror = { ...MIRROR, where: { ...MIRROR.where, statuses: ['confirmed'] } };
    const members = [member('1', SLOT, { status: 'no_show' })];
    const link = classLink(SLOT, { takenBy: whereHash(mirror.where) });
    const otherLink = { ...classLink(SLOT), calendarId: ROOM };
    expect((await turn({ members, mirror, link, otherLink })).ended).toBe('nothing');
  });

  test('is looked at, planned and expected as the calendars are to show it', async () => {
    const { target, claim } = await turn({ members: [member('1', SLOT)] });
    expect(await target.preview(claim)).toBe('created');
    expect(await target.planned(claim)).toEqual([STEP]);
    expect(await target.expected(claim)).toEqual([EXPECTED]);
  });

  test('that stays as it was plans nothing, and whatever is in its event is right', async () => {
    const about = { mirror: WITHOUT, slot: PAST, members: [member('1', PAST)], link: classLink(PAST) };
    const { target, claim } = await turn(about);
    expect(await target.preview(claim)).toBe('nothing');
    expect(await target.planned(claim)).toEqual([]);
    const [only, ...more] = await target.expected(claim);
    const linked = eventIdOf(classIdOf(PAST));
    const place = calendarPlace(HALL);
    expect(only).toMatchObject({ place, rule: 'may', because: 'history', linked, isConfirmed: false });
    expect(only?.isRight({})).toBe(true);
    expect(more).toEqual([]);
    const never = await turn({ mirror: WITHOUT, members: [member('1', SLOT)] });
    expect(await never.target.expected(never.claim)).toEqual([]);
  });
});

describe('the next turn of a class', () => {
  const two = [member('1', SLOT), member('2', SLOT, { guests_count: 7 })];
  const next = async (world: World) => {
    const { target, claim } = await turn(world);
    return target.nextTurnAtMs?.(claim, world.nowMs ?? NOW);
  };
  const ENDS = SLOT.startMs + HOUR;

  test('is the one that the calendars want', async () => {
    const members = [member('1', SLOT)];
    expect(await next({ members })).toBeUndefined();
    expect(await next({ members, innerNextMs: 5 })).toBe(5);
    expect(await next({ members: two, innerNextMs: 5 })).toBe(5);
    expect(await next({ innerNextMs: 5 })).toBeUndefined();
    expect(await next({ members, innerNextMs: 5, mirror: WITHOUT })).toBeUndefined();
    expect(await next({ innerNextMs: 5, unread: storedClass(SLOT, NOW) })).toBeUndefined();
  });

  test('repeats every hour until its end that it has more people than places', async () => {
    expect(await next({ members: two })).toBe(NOW + HOUR);
    expect(await next({ members: two, nowMs: ENDS - 1 })).toBe(ENDS);
    expect(await next({ members: two, nowMs: ENDS })).toBeUndefined();
    expect(await next({ members: [member('1', SLOT, { guests_count: 6 })] })).toBeUndefined();
  });

  test('repeats every hour that some of its people are elsewhere', async () => {
    expect(await next({ members: [member('1', SLOT)], split: SPLIT })).toBe(NOW + HOUR);
  });
});

describe('the board of problems', () => {
  const seven = [member('1', SLOT, { guests_count: 7 })];
  const ENDS = SLOT.startMs + HOUR;
  const target = `class:staff/${classIdOf(SLOT)}`;

  test('has a class with more people than places until its end', async () => {
    const { board } = await turn({ members: seven });
    expect(board.raise).toHaveBeenCalledWith({
      ...{ target, code: 'class-overbooked', keptForMs: ENDS - NOW },
      message: `the class of ${new Date(SLOT.startMs).toISOString()} has 6 places, and 7 are taken`,
      advice: expect.stringContaining('mirrors.staff.classes.places'),
    });
    expect(board.clear).not.toHaveBeenCalled();
    const over = await turn({ members: seven, nowMs: ENDS, link: classLink(SLOT) });
    expect(over.board.clear.mock.calls).toEqual([[target]]);
    expect(over.board.raise).not.toHaveBeenCalled();
  });

  test('has no class with as many people as places', async () => {
    const { board } = await turn({ members: [member('1', SLOT, { guests_count: 6 })] });
    expect(board.clear.mock.calls).toEqual([[target]]);
    expect(board.raise).not.toHaveBeenCalled();
  });

  describe('a class whose people could not be moved back', () => {
    const moved = `class-move:${classIdOf(SLOT)}`;
    const one = [member('1', SLOT)];
    const AT = SLOT.startMs;

    test('stands there until its hour', async () => {
      const { board, rewritten } = await turn({ members: one, split: SPLIT });
      expect(board.raise).toHaveBeenCalledWith(
        expect.objectContaining({ target: moved, code: 'class-split', keptForMs: AT - NOW }),
      );
      expect(board.clear).not.toHaveBeenCalledWith(moved);
      expect(rewritten()).toEqual([]);
      const over = await turn({ members: one, split: SPLIT, nowMs: AT });
      expect(over.board.clear).toHaveBeenCalledWith(moved);
      expect(over.rewritten()).toEqual([{ told: [] }]);
    });

    test('no longer does so when nobody is left at its hour', async () => {
      const { board, rewritten } = await turn({ split: SPLIT });
      expect(board.clear).toHaveBeenCalledWith(moved);
      expect(board.raise).not.toHaveBeenCalled();
      expect(rewritten()).toEqual([{ told: [] }]);
    });

    test('stands there although nobody is left at its first hour, when they were dragged on from another', async () => {
      const from = new Date(AT + HOUR).toISOString();
      const { board, rewritten } = await turn({ split: { ...SPLIT, from } });
      expect(board.raise).toHaveBeenCalledWith(
        expect.objectContaining({ code: 'class-split', keptForMs: AT + HOUR - NOW }),
      );
      expect(rewritten()).toEqual([]);
    });

    test('is not told of where it was no such class', async () => {
      const { board } = await turn({ members: one });
      expect(board.clear).not.toHaveBeenCalledWith(moved);
    });
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

  test('does not keep an event to which nobody comes, nor one as it was, when the YAML has changed', async () => {
    const mirror = only(['confirmed']);
    const link = classLink(SLOT);
    expect((await turn({ mirror, link })).given).toMatchObject([{ status: 'cancelled' }]);
    expect((await turn({ mirror, link, members: [member('1', SLOT)] })).given).toMatchObject([{ taken: 1 }]);
  });

  test('asks about customers: who is unknown is not added to a class, and stays in one', async () => {
    const mirror = { ...MIRROR, where: { ...MIRROR.where, customerLifecycles: ['customer'] } };
    const members = [member('1', SLOT), member('2', SLOT), member('3', SLOT)];
    const customers = { 1: { lifecycle: 'customer' }, 2: { lifecycle: 'lead' } };
    expect((await turn({ mirror, members, customers })).given).toMatchObject([{ taken: 1 }]);
    const link = classLink(SLOT);
    expect((await turn({ mirror, members, customers, link })).given).toMatchObject([{ taken: 2 }]);
  });

  test('leaves nobody out whom its condition cannot judge', async () => {
    const condition: Condition = {
      source: 'x',
      judge: ({ snapshot }) => (snapshot.id === '2' ? 'failed' : 'yes'),
    };
    const mirror = { ...MIRROR, where: { ...MIRROR.where, condition } };
    const members = [member('1', SLOT), member('2', SLOT)];
    expect((await turn({ mirror, members })).ended).toBe('condition-failed');
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

  test('nothing is told or written where all of them know it, or none has an event of its own', async () => {
    const about = { members: [member('1', SLOT), member('2', SLOT)], link: classLink(SLOT) };
    expect((await turn({ ...about, own: ['2'], told: ['staff 2'] })).rewritten()).toEqual([]);
    const none = await turn({ ...about, told: ['others 2'], unknown: ['1'] });
    expect(none.rewritten()).toEqual([]);
    expect(none.markDirty).not.toHaveBeenCalled();
  });

  test('nobody is told before it stands in each of its calendars', async () => {
    const members = [member('1', SLOT, { resource_ids: ['hall', 'room'] })];
    const about = { members, own: ['1'], link: classLink(SLOT) };
    expect((await turn(about)).markDirty).not.toHaveBeenCalled();
    const otherLink = { ...classLink(SLOT), calendarId: ROOM };
    expect((await turn({ ...about, otherLink })).markDirty).toHaveBeenCalledOnce();
  });

  test('a class to come is shown although its people have events of their own', async () => {
    expect((await turn({ members: [member('1', SLOT)], own: ['1'] })).given).toMatchObject([{ taken: 1 }]);
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
    const ending = { ...SLOT, startMs: NOW - HOUR };
    const ended = { slot: ending, members: [member('1', ending)], own: ['1'] };
    expect((await turn(ended)).ended).toBe('nothing');
  });
});

describe('when the YAML turns classes off', () => {
  const members = [member('1', SLOT), member('2', SLOT)];

  test('the class stays until every appointment has an event of its own', async () => {
    const about = { mirror: WITHOUT, members, link: classLink(SLOT) };
    expect(await turn({ ...about, own: ['1'] })).toMatchObject({ ended: 'class-not-handed-back', given: [] });
    expect((await turn({ ...about, unknown: ['2'] })).ended).toBe('class-not-handed-back');
    const { target, claim } = await turn({ ...about, own: ['1'] });
    await expect(target.reconcile(claim)).rejects.toMatchObject({ retryAfterMs: 60_000 });
    const { given } = await turn({ ...about, own: ['1', '2'] });
    expect(given).toMatchObject([{ status: 'cancelled' }]);
  });

  test('what is over stays, and nothing begins', async () => {
    const link = classLink(PAST);
    const past = { mirror: WITHOUT, slot: PAST, members: [member('1', PAST)], link };
    expect(await turn(past)).toMatchObject({ ended: 'nothing', given: [] });
    expect(await turn({ mirror: WITHOUT, members })).toMatchObject({ ended: 'nothing', given: [] });
  });

  test('one that is over, and to which nobody came, goes', async () => {
    const { given } = await turn({ mirror: WITHOUT, slot: PAST, link: classLink(PAST) });
    expect(given).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('of two mirrors of one class in one turn', () => {
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
    await store.links.write(first, CLASSES, { split: SPLIT });
    await store.work.settle(first);
    const claim = { ...(await claimed(key)), snapshot: classNow(SLOT, [member('1', SLOT)]) };
    for (const name of ['staff', 'hall']) await targetOf(name).reconcile(claim);
    expect((await store.ledger.peek(key))?.links[CLASSES]).toEqual({ told: ['staff 1', 'hall 1'] });
  });

  test('a turn that was overtaken does not count a split as told', async () => {
    const late = { ...(await claimed(key)), snapshot: classNow(SLOT, []) };
    await store.links.write(late, CLASSES, { split: SPLIT });
    await claimed(key);
    const told = { ...late, links: { [CLASSES]: { split: SPLIT } } };
    await expect(targetOf('staff').reconcile(told)).rejects.toMatchObject({ code: 'fenced' });
  });
});
