import { describe, expect, test } from 'vitest';
import {
  classEdits,
  classOf,
  mirrorOfClasses,
  overbookedNote,
  showsClass,
  withoutMembers,
} from '../../../src/calendar/class-target.ts';
import { CLASSES, type ClassRule, classIdOf, slotOf } from '../../../src/engine/class-slot.ts';
import type { MirrorTarget } from '../../../src/engine/handler.ts';
import { eventIdOf } from '../../../src/engine/ids.ts';
import { type CalendarLink, linkTo } from '../../../src/engine/link.ts';
import { type CalendarMirror, type Directory, NO_DIRECTORY } from '../../../src/engine/mirror.ts';
import type { EntityKey, Snapshot } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';

const NOW = Date.parse('2026-03-02T09:00:00.000Z');
const [HALL, ROOM] = ['hall@x.example', 'room@x.example'];
const RULE: ClassRule = {
  ...{ services: ['Yoga'], places: [], title: 'Class', description: 'For all', moved: 'refuse' },
};
const MIRROR: CalendarMirror = {
  ...{ kind: 'calendar', name: 'staff', from: 'appointment', classes: RULE },
  where: { sinceMs: 5, untilMs: 7, statuses: ['confirmed'] },
  calendars: [{ resource: 'Hall', calendarId: HALL }],
  event: {
    ...{ title: 'One', description: 'Of one', location: 'Here', colorIds: {}, cancelled: 'keep' },
    link: 'https://x.example',
  },
  staffEdits: {
    ...{ moved: 'ignore', deleted: 'ignore', conflict: 'staff', graceMs: 9, notifyCustomer: true },
  },
};
const { classes: _, ...SINGLE } = MIRROR;
const APPOINTMENT: Snapshot = {
  ...{ id: 'a', status: 'confirmed', service_id: 'yoga', service_name: 'Yoga' },
  ...{ resource_id: 'hall', resource_ids: ['hall', 'room'], starts_at: '2026-03-02T09:00:00.000Z' },
};
const CLASS_KEY: EntityKey = { kind: 'class', id: classIdOf(slotOf(APPOINTMENT) ?? expect.fail()) };

const linkIn = (calendarId: string, is: 'written' | 'found' = 'written'): CalendarLink => {
  const link = linkTo({ calendarId, eventId: eventIdOf(CLASS_KEY.id) });
  const known = { etag: '', hour: {} };
  return { ...link, event: is === 'written' ? { is, ...known, hash: 'h' } : { is, ...known } };
};

function claimOf(fields: Partial<Claim> = {}): Claim {
  return {
    ...{ key: { kind: 'appointment', id: 'a' }, fence: '', desiredRev: 1, syncedRev: 0, deleted: false },
    ...{ verify: false, projectId: undefined, links: {}, sightings: [], pendingSinceMs: NOW },
    snapshot: APPOINTMENT,
    ...fields,
  };
}

/** What the calendars are given, by what is asked of them. */
function calendars() {
  const given: Record<string, Claim> = {};
  const inner: MirrorTarget = {
    ...{ name: 'staff', from: 'appointment' },
    async reconcile(claim, failed) {
      failed?.('place', 'error');
      given['reconcile'] = claim;
      return 'updated';
    },
    async preview(claim) {
      given['preview'] = claim;
      return 'created';
    },
    async planned(claim) {
      given['planned'] = claim;
      return [];
    },
    async expected(claim) {
      given['expected'] = claim;
      return [];
    },
    nextTurnAtMs: ({ key }, nowMs) => nowMs + key.id.length,
  };
  return { given, inner };
}

/** `links`: those of the class; undefined where the worker does not know it. */
function membersOf(links: readonly CalendarLink[] | undefined, mirror: CalendarMirror = MIRROR) {
  const { given, inner } = calendars();
  const asked: EntityKey[] = [];
  const target = withoutMembers(inner, {
    ...{ mirror, directory: { current: () => NO_DIRECTORY } },
    view: {
      async peek(key) {
        asked.push(key);
        return links && claimOf({ key, links: { staff: { calendars: links } } });
      },
    },
    resolved: () =>
      new Map([
        ['hall', HALL],
        ['room', ROOM],
      ]),
  });
  return { ...{ target, inner, given, asked } };
}

describe('an appointment of a class', () => {
  test.each([
    ['is unknown', undefined, false],
    ['has no event', [], false],
    ['has an event in one of its calendars', [linkIn(HALL)], false],
    ['has another calendar', [linkIn(HALL), linkIn('other@x.example')], false],
    ['was not written in one of them', [linkIn(HALL), linkIn(ROOM, 'found')], false],
    ['is in all of them', [linkIn(HALL), linkIn(ROOM)], true],
  ])('whose class %s', async (_, links, isShownByClass) => {
    const { target, given, asked } = membersOf(links);
    const failed: string[] = [];
    expect(await target.reconcile(claimOf(), (place) => failed.push(place))).toBe('updated');
    expect(given['reconcile']).toEqual({ ...claimOf(), isShownByClass });
    expect(failed).toEqual(['place']);
    expect(asked).toEqual([CLASS_KEY]);
  });

  test('of another mirror alone is not shown by the class', async () => {
    const { inner, given } = calendars();
    const target = withoutMembers(inner, {
      ...{ mirror: MIRROR, directory: { current: () => NO_DIRECTORY } },
      view: { peek: async (key) => claimOf({ key, links: { others: { calendars: [linkIn(HALL)] } } }) },
      resolved: () => new Map([['hall', HALL]]),
    });
    await target.reconcile(claimOf(), () => {});
    expect(given['reconcile']).toEqual({ ...claimOf(), isShownByClass: false });
  });

  test('is looked at, planned and expected as if the class had its event', async () => {
    const { target, given } = membersOf(undefined);
    expect(await target.preview(claimOf())).toBe('created');
    expect(await target.planned(claimOf())).toEqual([]);
    expect(await target.expected(claimOf())).toEqual([]);
    const shown = { ...claimOf(), isShownByClass: true };
    expect(given).toEqual({ preview: shown, planned: shown, expected: shown });
    expect(target).toMatchObject({ name: 'staff', from: 'appointment' });
    expect(target.nextTurnAtMs?.(claimOf(), 5)).toBe(6);
  });

  test.each([
    ['of another service', { snapshot: { ...APPOINTMENT, service_name: 'Cut' } }],
    ['without stored content', { snapshot: undefined }],
    ['that was deleted', { deleted: true }],
  ])('is not one %s', async (_, fields) => {
    const { target, given, asked } = membersOf([linkIn(HALL), linkIn(ROOM)]);
    await target.reconcile(claimOf(fields), () => {});
    await target.preview(claimOf(fields));
    expect(given).toEqual({ reconcile: claimOf(fields), preview: claimOf(fields) });
    expect(asked).toEqual([]);
  });

  test('does not exist in a mirror without classes', () => {
    const { target, inner } = membersOf(undefined, SINGLE);
    expect(target).toBe(inner);
  });

  test('may be woken by calendars that want nothing', () => {
    const { nextTurnAtMs: _, ...inner } = calendars().inner;
    const target = withoutMembers(inner, {
      ...{ mirror: MIRROR, directory: { current: () => NO_DIRECTORY } },
      ...{ view: { peek: async () => undefined }, resolved: () => new Map() },
    });
    expect(target.nextTurnAtMs?.(claimOf(), 5)).toBeUndefined();
  });

  test('stays one while the name of its service has no meaning, and becomes none by it', () => {
    const services = new Map([['yoga', { id: 'yoga', projectId: 'p', name: 'Yoga for all' }]]);
    const directory: Directory = { ...NO_DIRECTORY, services };
    const snapshot = { ...APPOINTMENT, service_name: 'Yoga for all' };
    const known = { [CLASSES]: { slots: ['yoga hall 2026-03-02T09:00:00.000Z'] } };
    expect(classOf([RULE], claimOf({ snapshot, links: known }), directory)).toEqual(slotOf(snapshot));
    expect(classOf([RULE], claimOf({ snapshot }), directory)).toBeUndefined();
  });
});

describe('the mirror of classes', () => {
  test('keeps its times, and shows the texts of the class', () => {
    expect(mirrorOfClasses(MIRROR)).toEqual({
      ...MIRROR,
      where: { sinceMs: 5, untilMs: 7 },
      event: {
        ...{ title: 'Class', description: 'For all', location: 'Here', colorIds: {}, cancelled: 'remove' },
      },
      staffEdits: classEdits(MIRROR),
    });
  });

  test('without a last day has none, and without classes has no text', () => {
    const { where, event } = mirrorOfClasses({ ...SINGLE, where: { sinceMs: 5 } });
    expect(where).toStrictEqual({ sinceMs: 5 });
    expect(event).toMatchObject({ title: '', description: undefined });
  });

  test('puts back what people change, except hours that the mapping lets them move', () => {
    const edits = { deleted: 'restore', conflict: 'platform', graceMs: 9, notifyCustomer: true };
    expect(classEdits(MIRROR)).toEqual({ ...edits, moved: 'revert' });
    expect(classEdits({ ...MIRROR, classes: { ...RULE, moved: 'all' } })).toEqual({
      ...edits,
      moved: 'reschedule',
    });
    expect(classEdits(SINGLE)).toEqual({ ...edits, moved: 'revert' });
  });

  test('shows no class of which nothing is known', () => {
    const directory = { current: () => NO_DIRECTORY };
    expect(showsClass(MIRROR, claimOf(), directory)).toBe(true);
    expect(showsClass(MIRROR, claimOf({ snapshot: undefined }), directory)).toBe(false);
  });

  test('says in the event how many are too many, and nothing otherwise', () => {
    const note = overbookedNote(({ taken, places }) => `${taken} of ${places}`);
    const about = { id: 'c', taken: 7, places: 6, standing: 's' };
    expect(note({ ...about, over: 1 })).toEqual({ code: 'class-overbooked', text: '7 of 6', of: 's' });
    expect(note({ ...about, over: 0 })).toBeUndefined();
    expect(note({ ...about, over: '1' })).toBeUndefined();
    expect(note(about)).toBeUndefined();
  });
});
