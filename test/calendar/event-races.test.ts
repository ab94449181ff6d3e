/** What happens to an event while the writer works on it: answers that are lost, people and other handlers that are faster, ids that are taken. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LeavingEvent } from '../../src/calendar/move-event.ts';
import { eventIdOf, inGeneration } from '../../src/engine/ids.ts';
import { toLink } from '../../src/engine/link.ts';
import { ANNA, BORIS, NOW_MS, openStand, type Stand, startMsOf } from './stand.ts';
import { FIVE, NO_QUOTAS, REVERTS, type Situation, TEN, TWELVE, write } from './writer-stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ quotas: NO_QUOTAS });
});
afterAll(() => stand.close());
beforeEach(() => {
  stand.google.faults.clear();
  stand.google.switches.reviveAnswers403 = false;
});

type Written = Awaited<ReturnType<typeof write>>;
const startsAt = ({ event }: Written, id?: string) => startMsOf(event(id));
const RIGHT = Date.parse(TWELVE);
const status = (code: number, reason = 'invalid') => ({
  ...({ kind: 'status', status: code } as const),
  body: JSON.stringify({ error: { code, message: reason, errors: [{ reason }] } }),
});
const once = (
  method: 'POST' | 'PATCH' | 'GET',
  fault: ReturnType<typeof status> | { kind: 'commit-then-reset' | 'reset' },
) => stand.google.faults.add({ method, path: /events/, times: 1, fault });

/** The link remembers what was written, so the event is written without a look. */
const unread = { isDecided: true, shows: TEN, link: { isOwn: true, shown: {}, startsAt: TEN } } as const;
/** The worker has adopted it, and looks at it first. */
const read = { isDecided: true, shows: TEN } as const;

describe('a write whose answer is lost', () => {
  test('of a new event makes one event, and the link knows where it may be (P2)', async () => {
    once('POST', { kind: 'commit-then-reset' });
    const lost = await write(stand, 'create', { shows: 'gone' });
    expect(lost.error).toMatchObject({ family: 'retryable' });
    expect(lost.intended.at(-1)?.event).toMatchObject({
      is: 'intended',
      sinceMs: NOW_MS,
      hour: { tried: [TWELVE] },
    });
    // Whether it was made is unknown.
    expect(lost.forgone).toEqual([]);
    expect(startsAt(lost)).toBe(RIGHT);
    expect(lost.hasWritten).toBe(true);
  });

  test('of a known event leaves its content in doubt, with all hours at which it may be', async () => {
    once('PATCH', { kind: 'commit-then-reset' });
    const lost = await write(stand, 'update', { ...unread, link: { ...unread.link, tried: [FIVE] } });
    expect(lost.error).toMatchObject({ family: 'retryable' });
    expect(lost.hasWritten).toBe(true);
    expect(lost.intended.at(-1)?.event).toMatchObject({
      is: 'doubtful',
      hour: { startsAt: TEN, tried: [FIVE, TWELVE] },
    });
  });

  test('again and again is remembered with its last twenty hours', async () => {
    once('PATCH', { kind: 'reset' });
    const tried = Array.from({ length: 20 }, (_, n) => `2026-11-04T${String(n).padStart(2, '0')}:00:00Z`);
    const lost = await write(stand, 'update', {
      ...unread,
      link: { ...unread.link, tried: [...tried, TWELVE] },
    });
    expect(lost.intended.at(-1)?.event.hour.tried).toEqual([...tried.slice(1), TWELVE]);
  });
});

describe('a write that Google refuses', () => {
  test('of a new event makes none, so nothing is looked for later', async () => {
    once('POST', status(400));
    const refused = await write(stand, 'create', { shows: 'gone' });
    expect(refused.error).toMatchObject({ family: 'terminal' });
    expect(refused.forgone).toEqual([refused.eventId]);
  });

  test('of a known event leaves it as it was, and the link says so', async () => {
    once('PATCH', status(400));
    const refused = await write(stand, 'update', unread);
    expect(refused.error).toMatchObject({ family: 'terminal' });
    expect(refused.intended.map(({ event }) => event.is)).toEqual(['doubtful', 'written']);
    expect(startsAt(refused)).toBe(Date.parse(TEN));
  });

  test('because the event may not be revived makes the next id, and every loss counts as a change (P2)', async () => {
    stand.google.switches.reviveAnswers403 = true;
    for (const situation of [read, unread]) {
      const lost = await write(stand, 'update', { ...situation, shows: 'deleted', edits: REVERTS });
      expect(lost.error).toBeUndefined();
      expect(lost.link?.eventId).toBe(inGeneration(lost.eventId, 1));
      expect(startsAt(lost, inGeneration(lost.eventId, 1))).toBe(RIGHT);
      expect(lost.putBack).toContain(`gone after ${lost.etag}`);
    }
  });

  test('because the worker may not write a live event ends the turn, and makes no second one (P2)', async () => {
    stand.google.faults.add({ method: 'PATCH', path: /events/, times: 2, fault: status(403, 'forbidden') });
    const refused = await write(stand, 'update', unread);
    expect(refused.error).toMatchObject({ code: 'event-forbidden' });
    expect(refused.event(inGeneration(refused.eventId, 1))).toBeUndefined();
  });
});

describe('an event that is gone', () => {
  test.each([read, unread])(
    'for good is made again under its id, and that counts as a change',
    async (situation) => {
      const gone = await write(stand, 'update', {
        ...situation,
        shows: 'gone',
        edits: REVERTS,
        link: { ...unread.link, etag: '"7"' },
      });
      expect(startsAt(gone)).toBe(RIGHT);
      expect(gone.putBack).toEqual(['gone after "7"']);
    },
  );

  test('while a changed one is looked for is made again', async () => {
    const gone = await write(stand, 'update', {
      ...{ ...read, edits: REVERTS },
      before: (call, at) => {
        if (call === 'patch') stand.staff.addReminder({ ...at, minutes: 5 });
        if (call !== 'getIn' || stand.google.truth.event(ANNA, at.eventId)?.['reminders'] === undefined)
          return;
        const { reminders } = stand.google.truth.event(ANNA, at.eventId) as {
          reminders: { overrides?: unknown };
        };
        if (reminders.overrides === undefined) return;
        stand.staff.remove(at);
        stand.staff.purgeTombstones({ calendarId: ANNA });
      },
    });
    expect(startsAt(gone)).toBe(RIGHT);
  });

  test('and that Google refuses to bring back for another reason is no reason for a second one (P2)', async () => {
    once('PATCH', status(400));
    const refused = await write(stand, 'update', { ...read, shows: 'deleted', edits: REVERTS });
    expect(refused.error).toMatchObject({ family: 'terminal' });
    expect(refused.event(inGeneration(refused.eventId, 1))).toBeUndefined();
  });

  test('before any answer confirmed it is made without a count: it may never have been', async () => {
    const gone = await write(stand, 'update', {
      shows: 'gone',
      edits: REVERTS,
      link: { etag: '', hash: '', intendedAtMs: 1 },
    });
    expect(startsAt(gone)).toBe(RIGHT);
    expect(gone.putBack).toEqual([]);
  });

  test.each([read, unread])(
    'waits for its decision, whatever is remembered of it (P7)',
    async (situation) => {
      const link = { ...unread.link, etag: '"7"' };
      const gone = await write(stand, 'update', { ...situation, shows: 'gone', link });
      expect(gone.error).toMatchObject({ code: 'edit-unseen' });
      expect([gone.event(), gone.putBack]).toEqual([undefined, []]);
    },
  );

  test('between the look and the write is made again', async () => {
    const gone = await write(stand, 'update', {
      ...{ ...read, edits: REVERTS },
      before: (call, at) => {
        if (call !== 'patch') return;
        stand.staff.remove(at);
        stand.staff.purgeTombstones({ calendarId: ANNA });
      },
    });
    expect(startsAt(gone)).toBe(RIGHT);
  });

  test('is not revived while another calendar has an event with its id: nobody could tell them apart (case 51)', async () => {
    for (const how of ['update', 'create'] as const) {
      const parts = { hasTwin: (id: string) => !id.includes('g') };
      const twin = await write(stand, how, { ...read, shows: 'deleted', edits: REVERTS, parts });
      expect(twin.link?.eventId).toBe(inGeneration(twin.eventId, 1));
      expect(twin.event()?.['status']).toBe('cancelled');
    }
  });
});

describe('an event that changes while it is written', () => {
  const changing = (times: number): NonNullable<Situation['before']> => {
    let left = times;
    return (call, at) => {
      if (call === 'patch' && left-- > 0) stand.staff.addReminder({ ...at, minutes: left + 1 });
    };
  };

  test.each([read, unread])('is read and judged again', async (situation) => {
    const changed = await write(stand, 'update', { ...situation, before: changing(1) });
    expect(startsAt(changed)).toBe(RIGHT);
    expect(changed.event()).toMatchObject({ reminders: { overrides: [{ minutes: 1 }] } });
  });

  test('each time is left to a later turn after three looks', async () => {
    let looks = 0;
    const change = changing(9);
    const changed = await write(stand, 'update', {
      ...read,
      before: (call, at) => {
        if (call === 'patch') looks += 1;
        return change(call, at);
      },
    });
    expect(changed.error).toMatchObject({ family: 'retryable', target: `calendar:${ANNA}` });
    expect(looks).toBe(3);
    expect(startsAt(changed)).toBe(Date.parse(TEN));
  });

  test('to another hour is kept for staff edits (P1)', async () => {
    let isMoved = false;
    const changed = await write(stand, 'update', {
      ...unread,
      before: (call, at) => {
        if (call === 'patch' && !isMoved) stand.staff.move({ ...at, start: FIVE });
        isMoved = true;
      },
    });
    expect(changed.error).toMatchObject({ code: 'edit-unseen' });
    expect(startsAt(changed)).toBe(Date.parse(FIVE));
  });

  test('by people is put back only as often as the guard allows, each state with a name of its own', async () => {
    const stopped = new Error('the guard stops it');
    const parts = { beforePutBack: () => Promise.reject(stopped) };
    const guarded = await write(stand, 'update', { ...read, parts });
    expect(guarded.error).toBe(stopped);
    expect(startsAt(guarded)).toBe(Date.parse(TEN));
    const put = await write(stand, 'update', { ...read, before: changing(1) });
    expect(new Set(put.putBack).size).toBe(2);
    expect(put.putBack[0]).toMatch(/^"\d+" \d{4}-/);
  });
});

test('a late handler writes nothing over what a newer one left under the id (P2)', async () => {
  const late = new Error('another handler has it');
  const held = await write(stand, 'create', {
    shows: TEN,
    parts: { assertHeld: () => Promise.reject(late) },
  });
  expect(held.error).toBe(late);
  // Nobody's change is undone, so it counts for no loop of programs.
  expect(held.putBack).toEqual([]);
  expect(startsAt(held)).toBe(Date.parse(TEN));
});

describe('an id that is taken', () => {
  const foreign = { mark: { slotbridge_appointment: '00000000-0000-4000-8000-000000000000' } };

  test('by an event of somebody else is left to it, and the next one is taken', async () => {
    const taken = await write(stand, 'create', { ...foreign, shows: TEN });
    expect(startsAt(taken)).toBe(Date.parse(TEN));
    expect(startsAt(taken, inGeneration(taken.eventId, 1))).toBe(RIGHT);
    expect(taken.forgone).toEqual([taken.eventId]);
    // What was intended under the first id has no hour: the event there is not one that people moved.
    expect(taken.intended.map(({ event }) => event.hour)).toEqual([
      { tried: [TWELVE] },
      {},
      { tried: [TWELVE] },
    ]);
  });

  test('by our own event that an outsider organises is left: he would read who the customer is (P9)', async () => {
    const parts = { isNamed: () => false };
    const mine = await write(stand, 'create', { shows: TEN, parts });
    expect(startsAt(mine)).toBe(RIGHT);
    const others = await write(stand, 'create', {
      ...{ shows: TEN, parts },
      before: (call, at) => {
        if (call === 'get') stand.staff.giveAway({ ...at, to: 'outsider@example.com' });
      },
    });
    expect([startsAt(others), startsAt(others, inGeneration(others.eventId, 1))]).toEqual([
      Date.parse(TEN),
      RIGHT,
    ]);
  });

  test('by our own event that was given to an outsider is left, also when it was known (P9)', async () => {
    const given = await write(stand, 'update', {
      ...{ ...read, parts: { isNamed: () => false } },
      before: (call, at) => {
        if (call === 'getIn') stand.staff.giveAway({ ...at, to: 'outsider@example.com' });
      },
    });
    expect(startsAt(given)).toBe(Date.parse(TEN));
    expect(startsAt(given, inGeneration(given.eventId, 1))).toBe(RIGHT);
  });

  test('eight times over ends with advice instead of a ninth event', async () => {
    const taken = await write(stand, 'create', {
      shows: 'gone',
      before: (call, at) => {
        if (call === 'insert')
          stand.staff.add({
            ...{ calendarId: ANNA, id: at.eventId },
            event: { summary: 'Mine', start: { dateTime: TEN }, end: { dateTime: TWELVE } } as never,
          });
      },
    });
    expect(taken.error).toMatchObject({ family: 'terminal', code: 'event-ids-spent' });
    expect(taken.error).toMatchObject({ target: `calendar:${ANNA}`, advice: expect.stringMatching(/bin/) });
    expect(taken.forgone).toEqual(Array.from({ length: 8 }, (_, n) => inGeneration(taken.eventId, n)));
  });

  test('by an event that appears only later keeps its intention, so that the event is found then (P2)', async () => {
    const hidden = await write(stand, 'create', {
      shows: TEN,
      before: (call) => {
        // Before and after the calendar itself answers.
        if (call !== 'get') return;
        const fault = status(404, 'notFound');
        stand.google.faults.add({ method: 'GET', path: /events\/sb/, times: 2, fault });
      },
    });
    expect(hidden.link?.eventId).toBe(inGeneration(hidden.eventId, 1));
    expect(hidden.forgone).toEqual([]);
  });
});

describe('the event that takes the place of a former one', () => {
  test('tries the former id first, because its insert may still be on its way (P2)', async () => {
    const again = await write(stand, 'create-anew', { shows: 'gone', link: { tried: [FIVE] } });
    expect(again.link?.eventId).toBe(again.eventId);
    // At the hours of the former one as well, if that insert comes after all.
    expect(again.intended[0]?.event.hour.tried).toEqual([TEN, FIVE, TWELVE]);
  });

  test('goes on with the ids after that of the former one, however many there were (P2)', async () => {
    const of = randomUUID();
    const [first, second, third, fourth] = [0, 1, 2, 3].map((n) => inGeneration(eventIdOf(of), n));
    const event = { summary: 'Mine', start: { dateTime: TEN }, end: { dateTime: TWELVE } } as never;
    stand.staff.add({ calendarId: ANNA, id: third ?? '', event });
    const again = await write(stand, 'create-anew', {
      ...{ shows: 'gone', parts: { appointmentId: of }, link: { eventId: third ?? '' } },
    });
    expect(startsAt(again, fourth)).toBe(RIGHT);
    expect([first, second].map((id) => again.event(id))).toEqual([undefined, undefined]);
  });

  test('of people has an id of the worker', async () => {
    const peoples = 'people0made0this';
    const again = await write(stand, 'create-anew', { shows: 'gone', link: { eventId: peoples } });
    expect(again.link?.eventId).toBe(again.eventId);
  });

  test('leaves no link beside it to an id that another calendar has', async () => {
    const parts = { hasTwin: (id: string) => !id.includes('g') };
    const again = await write(stand, 'create-anew', { shows: 'gone', parts });
    expect(again.forgone).toEqual([again.eventId]);
    expect(again.link?.eventId).toBe(inGeneration(again.eventId, 1));
  });
});

describe('an event that moves here from another calendar', () => {
  /** As `leavingEvent` finds it; the test says what arrives. */
  const leaving = (
    eventId: string | undefined,
    bring: LeavingEvent['bring'],
    colours: readonly boolean[] = [false],
  ) => {
    const stored = {
      calendarId: BORIS,
      eventId: eventId ?? 'x',
      etag: '"1"',
      hash: 'h',
      startsAt: TEN,
    };
    const links = colours.map((coloured) => toLink({ ...stored, coloured }));
    return { leaving: { eventId, links, bring, copyTo: async () => ({ etag: '', lost: [] }) } };
  };
  const appointmentId = '5f1ce9a0-1111-4222-8333-94d6a0b7c123';
  let n = 0;
  const next = () => appointmentId.replace('1111', String(1_000 + n++));

  /** Somebody's event of that id now stands in this calendar. */
  const arrived = async (id: string, of: string, start: string) => {
    stand.staff.add({
      ...{ calendarId: ANNA, id },
      event: {
        ...{ summary: 'Haircut', start: { dateTime: start, timeZone: 'UTC' } },
        end: { dateTime: new Date(Date.parse(start) + 3_600_000).toISOString(), timeZone: 'UTC' },
        extendedProperties: {
          private: { slotbridge: '1', slotbridge_appointment: of, slotbridge_mirror: 'm' },
        },
      } as never,
    });
    const event = await stand.api.get(ANNA, id);
    if (event === 'absent') throw new Error('not there');
    return event;
  };
  interface Move {
    readonly isPeoples?: boolean;
    readonly edits?: Situation['edits'];
    /** It comes, and the answer does not say so. */
    readonly late?: boolean;
    readonly fails?: boolean;
    /** One for each event that leaves. */
    readonly coloured?: readonly boolean[];
    /** What people do to it as soon as it has come. */
    readonly people?: (at: { calendarId: string; eventId: string }) => unknown;
    /** What is under its id here. */
    readonly is?: 'foreign' | 'deleted';
  }
  async function moved(start: string, about: Move = {}) {
    const of = next();
    const id = about.isPeoples ? of.replaceAll('-', '') : eventIdOf(of);
    const bring = async () => {
      const event = about.fails ? undefined : await arrived(id, about.is === 'foreign' ? next() : of, start);
      if (about.is === 'deleted') stand.staff.remove({ calendarId: ANNA, eventId: id });
      return about.late ? undefined : event;
    };
    const body = {
      ...{ summary: 'Haircut', start: { dateTime: TWELVE, timeZone: 'UTC' }, status: 'confirmed' as const },
      end: { dateTime: '2026-11-03T13:00:00Z', timeZone: 'UTC' },
      extendedProperties: {
        private: { slotbridge: '1', slotbridge_appointment: of, slotbridge_mirror: 'm' },
      },
    } as const;
    const parts = {
      ...{
        appointmentId: of,
        newId: () => eventIdOf(of),
        ...leaving(id, bring, about.coloured),
      },
      wanted: { body, hash: 'new', sourceHash: 's' },
    };
    let isDone = false;
    const end = await write(stand, 'create', {
      shows: 'gone',
      parts,
      ...(about.edits && { edits: about.edits }),
      before: (call, at) => {
        if (call === 'patch' && !isDone) about.people?.(at);
        isDone ||= call === 'patch';
      },
    });
    return { ...end, id, derived: eventIdOf(of) };
  }

  test.each([TEN, TWELVE])('from %s keeps its id, and has the hour of the appointment', async (start) => {
    const end = await moved(start);
    expect(end.link?.eventId).toBe(end.id);
    expect(startsAt(end, end.id)).toBe(RIGHT);
    expect(end.intended).toHaveLength(1);
    expect(end.intended[0]?.event.hour.tried).toEqual([TEN, TWELVE]);
  });

  test('at an hour that people chose at the last moment is kept for staff edits (P1)', async () => {
    const end = await moved(FIVE);
    expect(end.error).toMatchObject({ code: 'edit-unseen' });
    expect(startsAt(end, end.id)).toBe(Date.parse(FIVE));
    expect(end.intended.at(-1)).toMatchObject({ edit: { is: 'open' }, event: { is: 'found' } });
    expect(startsAt(await moved(FIVE, { edits: REVERTS }))).toBeNaN();
  });

  test.each<[string, NonNullable<Move['people']>]>([
    ['changed', (at) => stand.staff.addReminder({ ...at, minutes: 7 })],
    [
      'deleted for good',
      (at) => {
        stand.staff.remove(at);
        stand.staff.purgeTombstones({ calendarId: ANNA });
      },
    ],
  ])('and was %s before it got its content stands there once, at its hour (P2)', async (_, people) => {
    const end = await moved(TEN, { people });
    expect(end.link?.eventId).toBe(end.id);
    expect(startsAt(end, end.id)).toBe(RIGHT);
    expect(end.event(inGeneration(end.id, 1))).toBeUndefined();
  });

  test('that Google does not move is made anew', async () => {
    const end = await moved(TEN, { fails: true });
    expect(end.link?.eventId).toBe(end.derived);
    expect(startsAt(end, end.derived)).toBe(RIGHT);
  });

  test('of people keeps their id; if it does not come, an event of the worker stands in (P2)', async () => {
    const here = await moved(TEN, { isPeoples: true });
    expect(here.link?.eventId).toBe(here.id);
    expect(here.event(here.derived)).toBeUndefined();
    const away = await moved(TEN, { isPeoples: true, fails: true });
    expect(away.link?.eventId).toBe(away.derived);
    expect(away.forgone).toEqual([away.id]);
  });

  test('of people, after a lost answer, is found here, and no second one is made (P2)', async () => {
    const end = await moved(TEN, { isPeoples: true, late: true });
    expect(end.link?.eventId).toBe(end.id);
    expect(startsAt(end, end.id)).toBe(RIGHT);
    expect(end.event(end.derived)).toBeUndefined();
  });

  test.each(['foreign', 'deleted'] as const)(
    'of people is not taken for a %s one under its id',
    async (is) => {
      const end = await moved(TEN, { isPeoples: true, late: true, is });
      expect(end.link?.eventId).toBe(end.derived);
      expect(startsAt(end, end.id)).toBe(Date.parse(TEN));
      expect(end.forgone).toEqual([end.id]);
    },
  );

  test.each<[string, Situation, readonly string[]]>([
    ['is on its way', { shows: 'gone', link: { hash: '', intendedAtMs: 1 } }, []],
    ['was seen', { shows: 'deleted', link: { hash: '' } }, []],
    ['is about to come back', { shows: 'gone', link: { leaving: true } }, []],
    ['is about to come back to its tombstone', { shows: 'deleted', link: { leaving: true } }, []],
    ['had its place here', { shows: 'gone' }, ['gone after "1"']],
  ])('and that %s is brought, and counts for a loop only if it was lost here', async (_, about, putBack) => {
    const of = next();
    const id = eventIdOf(of);
    let asked = 0;
    const bring = async () => {
      asked += 1;
      return undefined;
    };
    const { putBack: counted } = await write(stand, 'update', {
      ...{ ...about, edits: REVERTS, link: { ...about.link, eventId: id } },
      parts: { appointmentId: of, newId: () => id, ...leaving(id, bring) },
    });
    expect([asked, counted]).toEqual([1, putBack]);
  });

  test.each([
    [false, [false]],
    [true, [true]],
    [true, [false, true]],
  ])(
    'is known to have a colour of the mapping: %s, if those that leave have one: %j',
    async (is, coloured) => {
      const end = await moved(TEN, { coloured });
      expect(end.intended.map((link) => link.coloured)).toEqual([is]);
    },
  );
});
