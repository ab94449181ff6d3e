import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { syncCalendar } from '../../../src/calendar/calendar-sync.ts';
import { eventIdOf } from '../../../src/engine/ids.ts';
import { double } from '../../stand/double.ts';
import { startTestRedis, type TestRedis } from '../../stand/redis.ts';
import { ANNA, BORIS, openStand, type WatchStand } from './stand.ts';

let redis: TestRedis;
let stand: WatchStand;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  stand = await openStand(redis.url);
});
afterEach(() => stand.close());

const lists = () => stand.calls()['events.list'] ?? 0;

describe('a sync', () => {
  test('notices what somebody has moved, and nothing else', async () => {
    const [moved, untouched] = [await stand.mirrored(), await stand.mirrored()];
    expect(await stand.sync()).toBe('listed');
    expect(await stand.due()).toEqual([]);
    stand.staff.move({ calendarId: ANNA, eventId: moved.eventId, start: '2026-12-04T09:00:00Z' });
    expect(await stand.sync()).toBe('proved');
    expect(await stand.due()).toEqual([moved.key]);
    expect(stand.queued).toEqual([moved.key]);
    expect(await stand.sightings(moved.id)).toMatchObject([{ calendarId: ANNA, eventId: moved.eventId }]);
    expect(await stand.sightings(untouched.id)).toEqual([]);
  });

  test('lets our own writes pass without a trace (case 39)', async () => {
    await stand.sync();
    const own = await stand.mirrored();
    expect(await stand.sync()).toBe('proved');
    expect(stand.shown.map((each) => each.id)).toEqual([own.eventId]);
    expect(await stand.due()).toEqual([]);
    expect(stand.queued).toEqual([]);
  });

  test('shows every event to those who listen, also those that are none of ours', async () => {
    await stand.sync();
    const lunch = stand.foreign();
    await stand.sync();
    expect(stand.shown).toEqual([{ calendarId: ANNA, id: lunch['id'] }]);
    expect(await stand.due()).toEqual([]);
  });

  test('knows an event by a tombstone that holds no more than its id (case 29)', async () => {
    const appointment = await stand.mirrored();
    await stand.sync();
    stand.google.switches.tombstonesMinimal = true;
    stand.staff.remove({ calendarId: ANNA, eventId: appointment.eventId });
    await stand.sync();
    expect(await stand.due()).toEqual([appointment.key]);
  });

  test('notices an event that was dragged here from another calendar, on both sides (case 47)', async () => {
    const appointment = await stand.mirrored();
    await stand.sync(ANNA);
    await stand.sync(BORIS);
    stand.staff.moveToCalendar({ calendarId: ANNA, eventId: appointment.eventId, to: BORIS });
    await stand.sync(BORIS);
    await stand.sync(ANNA);
    const seen = (await stand.sightings(appointment.id)).map((each) => each.calendarId).sort();
    expect(seen).toEqual([ANNA, BORIS]);
  });

  test('asks the platform about an event of ours that nothing is known of, as after Redis was lost', async () => {
    const id = randomUUID();
    stand.staff.add({
      calendarId: ANNA,
      id: eventIdOf(id),
      event: { start: { date: '2026-12-03' }, end: { date: '2026-12-04' } },
    });
    await stand.sync();
    const claim = await stand.store.work.claim({ kind: 'appointment', id });
    expect(claim).toMatchObject({ verify: true, sightings: [{ eventId: eventIdOf(id) }] });
  });

  test('notes a copy by its mark only: the way back tells it by its id (case 41)', async () => {
    const appointment = await stand.mirrored();
    await stand.sync();
    stand.staff.duplicate({ calendarId: ANNA, eventId: appointment.eventId });
    await stand.sync();
    expect(await stand.due()).toEqual([appointment.key]);
  });

  test('reads past pages that are empty although others follow', async () => {
    await stand.sync();
    stand.google.switches.emptyPages = true;
    const appointment = await stand.mirrored();
    stand.staff.retitle({ calendarId: ANNA, eventId: appointment.eventId, summary: 'Other' });
    expect(await stand.sync()).toBe('proved');
    expect(await stand.due()).toEqual([appointment.key]);
  });

  test('pays for each page from the budget of the calendars, and for nothing else', async () => {
    for (let n = 0; n < 300; n += 1) stand.foreign();
    await stand.sync();
    expect(Object.values(stand.budget.spent)).toEqual([lists()]);
    expect(lists()).toBe(2);
  });

  test('asks Google with one and the same query, and no filter beside a token (case 30)', async () => {
    await stand.sync();
    await stand.sync();
    stand.foreign();
    expect(await stand.sync()).toBe('proved');
  });
});

describe('the sync token', () => {
  test('is kept only when all effects are durable: a page that fails comes again (case 28)', async () => {
    const appointment = await stand.mirrored();
    await stand.sync();
    stand.staff.retitle({ calendarId: ANNA, eventId: appointment.eventId, summary: 'Other' });
    const failing = {
      ...stand.store.sightings,
      linked: (calendarId: string, ids: readonly string[]) => stand.store.sightings.linked(calendarId, ids),
      allLinked: (calendarId: string) => stand.store.sightings.allLinked(calendarId),
      sight: () => Promise.reject(new Error('killed')),
    };
    await expect(stand.sync(ANNA, { sightings: double(failing) })).rejects.toThrow('killed');
    expect(await stand.due()).toEqual([]);
    await stand.sync();
    expect(await stand.due()).toEqual([appointment.key]);
  });

  test('is kept only when every listener has taken the page', async () => {
    await stand.sync();
    const lunch = stand.foreign();
    const deaf = { listeners: [() => Promise.reject(new Error('not stored'))] };
    await expect(stand.sync(ANNA, deaf)).rejects.toThrow('not stored');
    await stand.sync();
    expect(stand.shown.map((each) => each.id)).toEqual([lunch['id']]);
  });

  test('is taken up by the next process: no full list after a restart', async () => {
    await stand.sync();
    const before = lists();
    for (let n = 0; n < 3; n += 1) stand.foreign();
    expect(await stand.sync()).toBe('proved');
    expect(lists() - before).toBe(1);
    expect(stand.shown).toHaveLength(3);
  });

  test('of a holder that was overtaken is not kept (case 71)', async () => {
    await stand.sync();
    const { syncToken } = await stand.store.calendars.read(ANNA);
    const overtaking = {
      listeners: [
        async () => {
          // Another process has had its turn meanwhile.
          const proof = { syncToken: 'theirs', coveredUntilMs: 1, provedAtMs: 1 };
          const { calendars, redis, keys } = stand.store;
          await redis.del(keys.lease(`calendar:${ANNA}`));
          await stand.store.under(`calendar:${ANNA}`, (lease) => calendars.close(ANNA, proof, lease));
        },
      ],
    };
    stand.foreign();
    await expect(stand.sync(ANNA, overtaking)).rejects.toMatchObject({ code: 'lease-lost' });
    expect(syncToken).not.toBe('theirs');
    expect((await stand.store.calendars.read(ANNA)).syncToken).toBe('theirs');
  });
});

describe('a token that is no longer valid', () => {
  test('ends in a full list, and what that does not show is looked at (case 27)', async () => {
    const [gone, moved, same] = [await stand.mirrored(), await stand.mirrored(), await stand.mirrored()];
    await stand.sync();
    stand.staff.remove({ calendarId: ANNA, eventId: gone.eventId });
    stand.staff.purgeTombstones({ calendarId: ANNA });
    stand.staff.move({ calendarId: ANNA, eventId: moved.eventId, start: '2026-12-05T09:00:00Z' });
    stand.staff.expireSyncTokens({ calendarId: ANNA });
    expect(await stand.sync()).toBe('listed');
    expect((await stand.due()).toSorted()).toEqual([gone.key, moved.key].toSorted());
    expect(await stand.sightings(gone.id)).toMatchObject([{ etag: '' }]);
    expect(await stand.sightings(same.id)).toEqual([]);
  });

  test('is not what a deleted event is: its 410 has another reason', async () => {
    const appointment = await stand.mirrored();
    await stand.sync();
    stand.staff.remove({ calendarId: ANNA, eventId: appointment.eventId });
    expect(await stand.sync()).toBe('proved');
  });

  test('says nothing while the list cannot be read: no event counts as missing (case 35)', async () => {
    await stand.mirrored();
    await stand.sync();
    stand.staff.expireSyncTokens({ calendarId: ANNA });
    stand.google.faults.add({
      method: 'GET',
      path: /events\?/,
      skip: 1,
      fault: { kind: 'status', status: 503 },
    });
    await expect(stand.sync()).rejects.toMatchObject({ family: 'retryable' });
    expect(await stand.due()).toEqual([]);
  });
});

describe('a long list', () => {
  test('goes on at the page where it was interrupted, in another process', async () => {
    for (let n = 0; n < 600; n += 1) stand.foreign();
    const dying = { listeners: [failsAt(2)] };
    await expect(stand.sync(ANNA, dying)).rejects.toThrow('killed');
    const { open } = await stand.store.calendars.read(ANNA);
    expect(open).toMatchObject({ isFull: true, pages: 1 });
    // What tells a list that gets on from one that does not.
    expect(open?.pageAtMs).toBeGreaterThanOrEqual(open?.startedAtMs ?? Number.NaN);
    const before = lists();
    expect(await stand.sync()).toBe('listed');
    expect(lists() - before).toBe(2);
    expect(stand.shown).toHaveLength(350);
  });

  test('begins again when Google does not know the page any more', async () => {
    for (let n = 0; n < 300; n += 1) stand.foreign();
    const open = { startedAtMs: 1, pageToken: 'of another time', isFull: true, pages: 1 };
    await stand.store.under(`calendar:${ANNA}`, (lease) => stand.store.calendars.saveSync(ANNA, open, lease));
    expect(await stand.sync()).toBe('listed');
    expect(stand.shown).toHaveLength(300);
  });

  test('that was interrupted compares with the links what all its pages have shown', async () => {
    const early = await stand.mirrored();
    for (let n = 0; n < 300; n += 1) stand.foreign();
    const late = await stand.mirrored();
    await expect(stand.sync(ANNA, { listeners: [failsAt(2)] })).rejects.toThrow('killed');
    await stand.sync();
    expect(await stand.sightings(early.id)).toEqual([]);
    expect(await stand.sightings(late.id)).toEqual([]);
  });

  test('that is interrupted while it looks for what was not shown proves nothing, and looks again', async () => {
    const appointment = await stand.mirrored();
    stand.staff.remove({ calendarId: ANNA, eventId: appointment.eventId });
    stand.staff.purgeTombstones({ calendarId: ANNA });
    const stopping = new AbortController();
    const sightings = Object.create(stand.parts.sightings) as typeof stand.parts.sightings;
    sightings.linked = (...about) => stand.parts.sightings.linked(...about);
    sightings.allLinked = async function* (calendarId) {
      stopping.abort();
      yield* stand.parts.sightings.allLinked(calendarId);
    };
    const held = await stand.store.leases.hold(`calendar:${ANNA}`, (lease) =>
      syncCalendar({ ...stand.parts, sightings }, ANNA, { lease: { ...lease, signal: stopping.signal } }),
    );
    expect(held?.result).toBe('interrupted');
    expect(await stand.due()).toEqual([]);
    expect(await stand.sync()).toBe('listed');
    expect(await stand.due()).toEqual([appointment.key]);
  });

  test('of 2,000 events is never held whole: a page is forgotten before the next', async () => {
    for (let n = 0; n < 2_000; n += 1) stand.foreign();
    let largest = 0;
    let all = 0;
    const counting = {
      listeners: [
        async (_calendarId: string, events: readonly unknown[]) => {
          largest = Math.max(largest, events.length);
          all += events.length;
        },
      ],
    };
    await stand.sync(ANNA, counting);
    expect({ largest, all }).toEqual({ largest: 250, all: 2_000 });
    expect(await stand.store.redis.keys(`${stand.store.keys.calendar(ANNA)}*`)).toHaveLength(1);
  });
});

function failsAt(page: number) {
  let pages = 0;
  return async (): Promise<void> => {
    pages += 1;
    if (pages === page) throw new Error('killed');
  };
}

describe('how lively a calendar is', () => {
  const read = () => stand.store.calendars.read(ANNA);

  test('one that was never seen to change counts as quiet since it was first read', async () => {
    await stand.sync();
    const { changedAtMs, provedAtMs } = await read();
    expect(changedAtMs).toBe(provedAtMs);
    await stand.sync();
    expect((await read()).changedAtMs).toBe(changedAtMs);
  });

  test('a poll that finds a change for which no ping came says so; a wake, and a look after a loss, do not', async () => {
    await stand.sync();
    stand.foreign();
    await stand.sync();
    expect((await read()).missedAtMs).toBeUndefined();
    stand.foreign();
    await stand.sync(ANNA, { isPoll: true });
    const { missedAtMs, changedAtMs, provedAtMs } = await read();
    expect([missedAtMs, changedAtMs]).toEqual([provedAtMs, provedAtMs]);
  });

  test('a change whose ping came while it was read is not missed, and one that was pinged for before the last reading is', async () => {
    await stand.sync();
    stand.foreign();
    const listeners = [async () => void (await stand.store.calendars.pinged(ANNA, Date.now()))];
    await stand.sync(ANNA, { isPoll: true, listeners });
    expect((await read()).missedAtMs).toBeUndefined();
    await stand.sync();
    stand.foreign();
    await stand.sync(ANNA, { isPoll: true });
    expect((await read()).missedAtMs).toBe((await read()).provedAtMs);
  });
});

test.each([
  ['no reason', '{}'],
  ['an unknown reason', '{ "error": { "code": 410, "errors": [{ "reason": "tokenWornOut" }] } }'],
])('after Google refuses a sync token with a 410 and %s, the calendar is listed in full', async (_, body) => {
  await stand.sync();
  const foreign = stand.foreign();
  const lift = stand.google.faults.add({
    method: 'GET',
    path: /syncToken=/,
    fault: { kind: 'status', status: 410, body },
  });
  expect(await stand.sync()).toBe('listed');
  expect(stand.shown.map(({ id }) => id)).toContain(foreign.id);
  lift();
});
