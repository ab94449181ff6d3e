import { beforeEach, describe, expect, test } from 'vitest';
import { createFeedHandler } from '../../../src/calendar/feed-handler.ts';
import { fenced } from '../../../src/engine/errors.ts';
import type { Feed, FeedEvent } from '../../../src/engine/feed.ts';
import type { Snapshot } from '../../../src/engine/object.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { MemoryLinkStore } from '../../doubles/link-store.ts';
import { MapMemory } from '../../doubles/map-memory.ts';
import { APPOINTMENT_ID, appointment, directory, NOW_MS } from '../stand.ts';

const DAY_MS = 86_400_000;
const FEED: Feed = {
  name: 'anna',
  from: 'appointment',
  resource: 'Anna Petrova',
  where: { statuses: ['pending', 'confirmed'], sinceMs: 7 * DAY_MS },
  event: { title: '{{ service_name }}', description: '{{ comment }}', location: undefined },
};

let events: Map<string, FeedEvent>;
let isFenced: boolean;
let clock: HandClock;
beforeEach(() => {
  [events, isFenced, clock] = [new Map(), false, new HandClock(NOW_MS)];
});

const handlerOf = (feed: Feed) =>
  createFeedHandler({
    feed,
    classes: [],
    store: {
      async put({ key }, _, { event }) {
        if (isFenced) throw fenced();
        const isSame = JSON.stringify(events.get(key.id)) === JSON.stringify(event);
        events.set(key.id, event);
        return isSame ? 'same' : 'written';
      },
      async remove({ key }) {
        if (isFenced) throw fenced();
        return events.delete(key.id) ? 'written' : 'same';
      },
    },
    directory: { current: () => directory },
    memory: new MapMemory(),
    clock,
  });
const claimOf = (snapshot: Snapshot | undefined, about: Partial<Claim> = {}) =>
  new MemoryLinkStore().claim({ key: { kind: 'appointment', id: APPOINTMENT_ID }, snapshot, ...about });
const turn = (snapshot: Snapshot, feed = FEED) => handlerOf(feed).reconcile(claimOf(snapshot));

test('an appointment of the resource stands in its feed with the texts of the mapping, and nothing else', async () => {
  expect(await turn(appointment({ comment: 'a <b>\r\nnote' }))).toBe('updated');
  expect(events.get(APPOINTMENT_ID)).toEqual({
    startsAt: '2026-11-03T09:00:00Z',
    endsAt: '2026-11-03T10:00:00Z',
    isTentative: false,
    title: 'Haircut',
    description: 'a <b>\nnote',
  });
  expect(await turn(appointment({ comment: 'a <b>\r\nnote' }))).toBe('nothing');
});

test('P9: every line break of a stranger is a space in a title and a line feed in a description', async () => {
  const comment = 'a\u2028b\u0085c\u000bd\re\u0001f';
  await turn(appointment({ comment, service_name: comment }), {
    ...FEED,
    event: { title: '{{ comment }}', description: '{{ comment }}', location: '{{ comment }}' },
  });
  expect(events.get(APPOINTMENT_ID)).toMatchObject({
    title: 'a b c d e f',
    description: 'a\nb\nc\nd\ne f',
    location: 'a b c d e f',
  });
});

describe('it leaves the feed when', () => {
  test.each<[string, Record<string, unknown>]>([
    ['somebody else holds it', { resource_id: 'r-boris', resource_ids: ['r-boris'] }],
    ['it is cancelled', { status: 'cancelled', resource_id: null, resource_ids: [] }],
    ['its status is not shown', { status: 'completed' }],
    ['it started longer ago than since', { starts_at: '2026-10-20T09:00:00Z' }],
  ])('%s', async (_, change) => {
    await turn(appointment());
    expect(await turn(appointment(change))).toBe('removed');
    expect(events.size).toBe(0);
  });

  test('the platform has deleted it', async () => {
    await turn(appointment());
    await handlerOf(FEED).reconcile(claimOf(undefined, { deleted: true }));
    expect(events.size).toBe(0);
  });

  test('an edit of the YAML no longer takes it: a feed never shows more than the mapping does', async () => {
    await turn(appointment());
    await turn(appointment(), { ...FEED, where: { ...FEED.where, services: ['s-9'], sources: ['api'] } });
    expect(events.size).toBe(1);
    await turn(appointment({ source: 'widget' }), { ...FEED, where: { ...FEED.where, sources: ['api'] } });
    expect(events.size).toBe(0);
  });
});

test('a resource that the platform no longer lists empties no feed', async () => {
  await turn(appointment());
  expect(await turn(appointment({ resource_ids: ['r-gone'], resource_id: 'r-gone' }))).toBe('nothing');
  expect(events.size).toBe(1);
});

test('a handler that another one has overtaken writes nothing', async () => {
  isFenced = true;
  await expect(turn(appointment())).rejects.toMatchObject({ code: 'fenced' });
  await expect(turn(appointment({ status: 'cancelled' }))).rejects.toMatchObject({ code: 'fenced' });
});

test('it has a turn when it enters and when it leaves, and none on behalf of others', () => {
  const startMs = Date.parse('2026-11-03T09:00:00Z');
  const next = (feed: Feed, snapshot = appointment()) =>
    handlerOf(feed).nextTurnAtMs?.(claimOf(snapshot), NOW_MS);
  expect(next(FEED)).toBe(startMs + 7 * DAY_MS + 1);
  expect(next({ ...FEED, where: { ...FEED.where, untilMs: 3_600_000 } })).toBe(startMs - 3_600_000);
  expect(next(FEED, appointment({ resource_ids: ['r-boris'] }))).toBeUndefined();
});
