import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decideEdit,
  type EditInput,
  RESTORED_WITHIN_MS,
  SETTLED_MS,
} from '../../../src/engine/decide-edit.ts';
import { type CalendarLink, startsOf, toLink } from '../../../src/engine/link.ts';
import type { SeenEvent } from '../../../src/engine/outside-booking.ts';
import { runsOf } from '../../stand/runs.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-02T09:00:00Z');
const iso = (atMs: number) => new Date(atMs).toISOString();

/** Few values, so that they meet. */
const hour = fc.integer({ min: -2, max: 6 }).map((n) => NOW + n * HOUR);
const etag = fc.constantFrom('"1"', '"2"', '');
const status = fc.constantFrom('pending', 'confirmed', 'arrived', 'completed', 'no_show', 'cancelled', 'new');

const seenEvent: fc.Arbitrary<SeenEvent> = fc
  .record({ etag, isLive: fc.boolean(), startMs: hour, isAllDay: fc.boolean(), isRecurring: fc.boolean() })
  .chain((event) =>
    fc.option(hour, { nil: undefined }).map((updatedMs) => ({
      ...event,
      startMs: event.isAllDay ? undefined : event.startMs,
      endMs: event.isAllDay ? undefined : event.startMs + HOUR,
      updatedMs,
      isColoured: false,
      isGuestCopy: false,
      texts: {},
      marks: {},
    })),
  );

const link: fc.Arbitrary<CalendarLink> = fc
  .record({
    etag,
    startsAt: fc.option(hour, { nil: undefined }),
    tried: fc.array(hour, { maxLength: 2 }),
    editSeenAtMs: fc.option(hour, { nil: undefined }),
    leaving: fc.boolean(),
    doubled: fc.boolean(),
    leftAt: fc.constantFrom(undefined, 'p', 'elsewhere'),
  })
  .map(({ etag: known, startsAt, tried, editSeenAtMs, leaving, doubled, leftAt }) =>
    toLink({
      ...{ calendarId: 'a', eventId: 'sb1', etag: known, hash: 'h', coloured: false, tried: tried.map(iso) },
      ...(startsAt !== undefined && { startsAt: iso(startsAt), endsAt: iso(startsAt + HOUR) }),
      ...(editSeenAtMs !== undefined && { editSeenAtMs }),
      ...(leaving && { leaving }),
      ...(doubled && { doubled }),
      ...(leftAt !== undefined && { leftAt }),
    }),
  );

const look = fc.record({
  atMs: fc.constantFrom(NOW - 3 * HOUR, NOW - 20 * 60_000, NOW - 60_000, NOW),
  shows: fc.constantFrom('nothing' as const, 'nothing' as const, 'live' as const),
});
/** As the rule asks for: fresh, and nothing. */
const proof = fc.constant({ atMs: NOW, shows: 'nothing' as const });

/** Three calendars, and what they showed. */
const search: fc.Arbitrary<EditInput['search']> = fc
  .record({
    seenAtMs: fc.constantFrom(NOW - 3 * HOUR, NOW - 30_000, NOW),
    looks: fc.tuple(
      ...['a', 'b', 'c'].map(() => fc.oneof({ weight: 6, arbitrary: proof }, look, fc.constant(undefined))),
    ),
  })
  .map(({ seenAtMs, looks }) => ({
    calendars: ['a', 'b', 'c'],
    seenAtMs,
    looks: Object.fromEntries(
      looks.flatMap((each, n) => (each === undefined ? [] : [['abc'.charAt(n), each]])),
    ),
  }));

const input: fc.Arbitrary<EditInput> = fc
  .record({
    seen: fc.oneof(seenEvent, fc.constant('absent' as const)),
    arrived: fc.option(
      fc.record({
        event: seenEvent.map((event) => ({ ...event, isLive: true })),
        to: fc.constantFrom({ resourceId: 'r2' }, { hindrance: 'other-branch' as const }),
      }),
      { nil: undefined },
    ),
    link,
    search,
    isOthers: fc.constant(false),
    isFormer: fc.constant(false),
    ...{ isMain: fc.boolean(), isCopy: fc.boolean(), isClass: fc.constant(false) },
    hasLeft: fc.boolean(),
    isUntaken: fc.boolean(),
    startMs: hour,
    updatedMs: fc.option(hour, { nil: undefined }),
    status,
    edits: fc.record({
      moved: fc.constantFrom('reschedule' as const, 'revert' as const, 'ignore' as const),
      deleted: fc.constantFrom('cancel' as const, 'restore' as const, 'ignore' as const),
      conflict: fc.constantFrom('platform' as const, 'staff' as const, 'latest' as const),
      graceMs: fc.constantFrom(0, 2 * HOUR),
      notifyCustomer: fc.boolean(),
    }),
  })
  .map(({ arrived, startMs, updatedMs, status: now, ...rest }) => ({
    ...rest,
    ...(arrived && { arrived }),
    nowMs: NOW,
    appointment: {
      ...{ id: 'v', status: now, startMs, endMs: startMs + HOUR, updatedMs, branchId: 'b' },
      ...{
        resourceId: 'r1',
        resourceIds: ['r1'],
        subjects: ['r1', 'branch:b', 'all'],
        placement: 'p',
        standing: 's',
      },
    },
  }));

const always = (holds: (asked: EditInput, decision: ReturnType<typeof decideEdit>) => void) =>
  fc.assert(
    fc.property(input, (asked) => holds(asked, decideEdit(asked))),
    { numRuns: runsOf(3_000) },
  );

test('what people do to the event of a class cancels nobody and gives it to nobody, and is told where it was a wish', () => {
  fc.assert(
    fc.property(input, (asked) => {
      const alone = decideEdit(asked);
      const { moved } = asked.edits;
      const decision = decideEdit({ ...asked, isClass: true });
      expect(['cancel', 'take-over']).not.toContain(decision.type);
      // Its hour alone, and only where the mapping carries it.
      if (alone.type === 'move' && alone.resourceId === undefined && moved === 'reschedule')
        expect(decision).toEqual({ type: 'move', startMs: alone.startMs });
      else if (alone.type === 'move' || alone.type === 'cancel')
        expect(decision).toMatchObject({ type: 'put-back', note: 'class-shown' });
      else expect(decision.type).not.toBe('move');
    }),
    { numRuns: runsOf(3_000) },
  );
});

describe('a deletion that everything speaks for', () => {
  const looked = { atMs: NOW, shows: 'nothing' } as const;
  const proved: EditInput = {
    seen: 'absent',
    link: toLink({
      ...{ calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: 'h', coloured: false },
      startsAt: iso(NOW + HOUR),
    }),
    ...{
      isOthers: false,
      isFormer: false,
      isMain: true,
      isCopy: false,
      isClass: false,
      hasLeft: false,
      isUntaken: false,
      nowMs: NOW,
    },
    appointment: {
      ...{ id: 'v', status: 'confirmed', startMs: NOW + HOUR, endMs: NOW + 2 * HOUR, updatedMs: NOW - HOUR },
      ...{
        branchId: 'b',
        resourceId: 'r1',
        resourceIds: ['r1'],
        subjects: ['r1', 'branch:b', 'all'],
        placement: 'p',
        standing: 's',
      },
    },
    edits: {
      moved: 'revert',
      deleted: 'cancel',
      conflict: 'platform',
      graceMs: 60_000,
      notifyCustomer: true,
    },
    search: { calendars: ['a', 'b'], looks: { a: looked, b: looked }, seenAtMs: NOW - 60_000 },
  };

  test("is nobody's wish when somebody outside organises the event, and neither is a move", () => {
    const moved = { isLive: true, etag: '"2"', startMs: NOW + 3 * HOUR, endMs: NOW + 4 * HOUR };
    const event = { ...moved, isAllDay: false, isRecurring: false, updatedMs: NOW, isColoured: false };
    const seen = { ...event, isGuestCopy: true, organizer: 'x@elsewhere.example', texts: {}, marks: {} };
    const edits = { ...proved.edits, moved: 'reschedule' as const };
    const putBack = { type: 'put-back', why: 'outsiders', note: 'keep' };
    expect(decideEdit({ ...proved, edits, seen, isOthers: true })).toEqual(putBack);
    expect(decideEdit({ ...proved, edits, seen: { ...seen, isLive: false }, isOthers: true })).toEqual(
      putBack,
    );
    expect(decideEdit({ ...proved, edits, seen: { ...seen, etag: '"1"' }, isOthers: true })).toEqual({
      type: 'nothing',
    });
    expect(decideEdit({ ...proved, edits, seen, isOthers: false })).toMatchObject({ type: 'move' });
  });

  test("is nobody's wish in a calendar that the file names no more", () => {
    expect(decideEdit({ ...proved, isFormer: true })).toEqual({
      type: 'put-back',
      why: 'unproven',
      note: 'keep',
    });
  });

  test('cancels the appointment', () => {
    expect(decideEdit(proved)).toEqual({ type: 'cancel', proof: { is: 'gone' } });
  });

  test.each<[string, Partial<EditInput>, object]>([
    [
      'a calendar was not read',
      { search: { ...proved.search, looks: { a: looked } } },
      { type: 'search', calendars: ['b'] },
    ],
    [
      'a calendar shows it',
      { search: { ...proved.search, looks: { a: looked, b: { ...looked, shows: 'live' } } } },
      { type: 'put-back', why: 'unproven' },
    ],
    [
      'the grace is not over',
      { search: { ...proved.search, seenAtMs: NOW } },
      { type: 'wait', untilMs: NOW + 60_000 },
    ],
    [
      'the worker took one like it away',
      { link: { ...proved.link, absence: 'doubled' } },
      { type: 'put-back', why: 'unproven' },
    ],
    [
      'the worker was about to take it away',
      { link: { ...proved.link, absence: 'leaving' } },
      { type: 'put-back' },
    ],
    ['it is the event of a room', { isMain: false }, { type: 'put-back', note: 'second-resource' }],
    [
      'the appointment is somebody else’s by now',
      { hasLeft: true },
      { type: 'put-back', why: 'conflict', note: 'moved-meanwhile' },
    ],
    ['`where` does not take the appointment', { isUntaken: true }, { type: 'put-back', why: 'agreed' }],
    [
      'the appointment has been',
      { appointment: { ...proved.appointment, status: 'completed' } },
      { type: 'leave' },
    ],
    ['the mapping does not say so', { edits: { ...proved.edits, deleted: 'restore' } }, { type: 'put-back' }],
  ])('but not when %s', (_, change, expected) => {
    expect(decideEdit({ ...proved, ...change })).toMatchObject(expected);
  });

  const restoring = {
    ...proved,
    edits: { ...proved.edits, moved: 'reschedule', deleted: 'restore' },
  } as const;
  test.each<[string, Partial<EditInput>, object]>([
    ['all calendars were asked for it', {}, { type: 'put-back', why: 'deleted' }],
    [
      'drags are undone as well',
      {
        edits: { ...restoring.edits, moved: 'revert' },
        search: { ...proved.search, looks: {}, seenAtMs: NOW },
      },
      { type: 'put-back', why: 'deleted' },
    ],
    [
      'a calendar has not answered for long enough',
      { search: { ...proved.search, looks: {}, seenAtMs: NOW - RESTORED_WITHIN_MS } },
      { type: 'put-back', why: 'deleted' },
    ],
  ])('it is restored when %s', (_, change, expected) => {
    expect(decideEdit({ ...restoring, ...change })).toMatchObject(expected);
  });

  test.each<[string, Partial<EditInput>, object]>([
    [
      'it has just gone',
      { search: { ...proved.search, looks: {}, seenAtMs: NOW } },
      { type: 'wait', untilMs: NOW + SETTLED_MS },
    ],
    [
      'a calendar was not asked yet',
      { search: { ...proved.search, looks: {}, seenAtMs: NOW - SETTLED_MS } },
      { type: 'search', before: 'restore' },
    ],
  ])('it is not restored in haste when %s', (_, change, expected) => {
    expect(decideEdit({ ...restoring, ...change })).toMatchObject(expected);
  });
});

describe('an event that is handed to a colleague after its appointment got another hour', () => {
  const handedOver = (startMs: number): EditInput => ({
    seen: 'absent',
    arrived: {
      to: { resourceId: 'r2' },
      event: {
        ...{ etag: '"2"', isLive: true, isAllDay: false, isRecurring: false, isGuestCopy: false, marks: {} },
        ...{ startMs, endMs: startMs + HOUR, texts: {} },
      } as SeenEvent,
    },
    link: toLink({
      ...{ calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: 'h', coloured: false },
      startsAt: iso(NOW + HOUR),
    }),
    ...{
      isMain: true,
      isCopy: false,
      isClass: false,
      hasLeft: false,
      isUntaken: false,
      isOthers: false,
      isFormer: false,
      nowMs: NOW,
    },
    appointment: {
      ...{
        id: 'v',
        status: 'confirmed',
        startMs: NOW + 3 * HOUR,
        endMs: NOW + 4 * HOUR,
        updatedMs: NOW - HOUR,
      },
      ...{
        branchId: 'b',
        resourceId: 'r1',
        resourceIds: ['r1'],
        subjects: ['r1', 'branch:b', 'all'],
        placement: 'p',
        standing: 's',
      },
    },
    edits: { moved: 'reschedule', deleted: 'cancel', conflict: 'staff', graceMs: 0, notifyCustomer: true },
    search: { calendars: [], looks: {}, seenAtMs: NOW },
  });

  test('keeps that hour when its own was not touched', () => {
    expect(decideEdit(handedOver(NOW + HOUR))).toEqual({
      type: 'move',
      startMs: NOW + 3 * HOUR,
      resourceId: 'r2',
    });
  });

  test('has the hour to which it was dragged as well', () => {
    expect(decideEdit(handedOver(NOW + 2 * HOUR))).toEqual({
      type: 'move',
      startMs: NOW + 2 * HOUR,
      resourceId: 'r2',
      overrules: NOW + 3 * HOUR,
    });
  });
});

describe('whatever people did', () => {
  test('nothing is cancelled but a future appointment of the main calendar, by policy, after the grace, and gone everywhere (P7)', () =>
    always((asked, decision) => {
      const { seen, arrived, edits, appointment, isMain } = asked;
      const { calendars, looks, seenAtMs } = asked.search;
      if (decision.type !== 'cancel') return;
      expect(asked.isUntaken || asked.hasLeft).toBe(false);
      expect(edits.deleted).toBe('cancel');
      expect(seen === 'absent' || !seen.isLive).toBe(true);
      expect(arrived).toBeUndefined();
      expect(isMain).toBe(true);
      expect(appointment.startMs).toBeGreaterThan(NOW);
      expect(['pending', 'confirmed']).toContain(appointment.status);
      expect(seenAtMs + edits.graceMs).toBeLessThan(NOW);
      for (const calendarId of calendars) {
        expect(looks[calendarId]?.shows).toBe('nothing');
        expect(looks[calendarId]?.atMs).toBeGreaterThan(seenAtMs + edits.graceMs);
      }
    }));

  test('an event that only shows the appointment cancels nothing by its absence, and is looked for before it comes back', () =>
    always((asked, decision) => {
      if (!asked.isCopy || asked.isMain) return;
      expect(decision.type).not.toBe('cancel');
      if (decision.type === 'search') expect(decision.before).toBe('restore');
    }));

  test('what the worker took away, or only meant to make, was deleted by nobody (P7)', () =>
    always(({ seen, arrived, appointment, link: known }, decision) => {
      const isGone = (seen === 'absent' || !seen.isLive) && arrived === undefined;
      if (!isGone || appointment.status === 'cancelled' || known.leftAt === appointment.placement) return;
      if (known.absence !== 'wish' || known.event.hour.startsAt === undefined)
        expect(decision).toMatchObject({ type: 'put-back', why: 'unproven' });
    }));

  test('the event of a cancelled appointment is not brought back', () =>
    always(({ seen, arrived, appointment }, decision) => {
      const isGone = (seen === 'absent' || !seen.isLive) && arrived === undefined;
      if (isGone && appointment.status === 'cancelled') expect(decision).toEqual({ type: 'leave' });
    }));

  test('what was let go stays away until the appointment is moved, however often it is found missing (P7)', () =>
    always(({ seen, arrived, appointment, link: known }, decision) => {
      const isGone = (seen === 'absent' || !seen.isLive) && arrived === undefined;
      if (isGone && known.leftAt === appointment.placement) expect(decision).toEqual({ type: 'leave' });
    }));

  test('from what was asked for and has come about the way back is a new wish', () =>
    always((asked, _) => {
      const { link: known, appointment, edits, seen, hasLeft } = asked;
      if (seen === 'absent' || !seen.isLive || seen.isAllDay || seen.isRecurring || hasLeft) return;
      if (
        edits.moved !== 'reschedule' ||
        seen.startMs === appointment.startMs ||
        seen.etag === known.event.etag
      )
        return;
      if (!['pending', 'confirmed'].includes(appointment.status) || appointment.startMs <= NOW) return;
      if (seen.startMs === undefined || seen.startMs <= NOW) return;
      const hour = { ...known.event.hour, startsAt: iso(seen.startMs) };
      const wish = { for: iso(appointment.startMs) };
      const carried: CalendarLink = {
        ...{ ...known, event: { ...known.event, hour } },
        edit: { is: 'asked', sinceMs: NOW, missedSinceMs: {}, looks: {}, wish },
      };
      expect(decideEdit({ ...asked, link: carried })).toEqual({ type: 'move', startMs: seen.startMs });
    }));

  test('an appointment is moved only if the policy allows it, it can be moved, and the new time is in the future', () =>
    always(({ edits, appointment }, decision) => {
      if (decision.type !== 'move') return;
      expect(edits.moved).toBe('reschedule');
      expect(decision.startMs).toBeGreaterThan(NOW);
      expect(appointment.startMs).toBeGreaterThan(NOW);
      expect(['pending', 'confirmed']).toContain(appointment.status);
    }));

  test('a start that the worker wrote, or tried to, is nobody’s wish', () =>
    always(({ seen, arrived, link: known }, decision) => {
      if (seen === 'absent' || !seen.isLive || arrived !== undefined) return;
      const own = startsOf(known);
      if (seen.startMs !== undefined && own.includes(iso(seen.startMs)))
        expect(decision.type).not.toBe('move');
    }));

  test('a move names the hour that it takes back, if its author did not know that hour', () =>
    always(({ appointment, link: known }, decision) => {
      if (decision.type !== 'move' || decision.startMs === appointment.startMs) return;
      const isKnown = startsOf(known).includes(iso(appointment.startMs));
      expect(decision.overrules).toBe(isKnown ? undefined : appointment.startMs);
    }));

  test('the etag that is known is an echo (case 39)', () =>
    always(({ seen, link: { event } }, decision) => {
      if (seen === 'absent' || !seen.isLive || seen.etag === '' || seen.etag !== event.etag) return;
      expect(decision).toEqual({ type: 'nothing' });
    }));

  test('when the platform wins, no move of its own is written over', () =>
    always(({ edits, appointment, link: known, seen }, decision) => {
      const own = startsOf(known);
      if (edits.conflict !== 'platform' || own.includes(iso(appointment.startMs))) return;
      if (seen !== 'absent' && seen.isLive) expect(decision.type).not.toBe('move');
      expect(decision.type).not.toBe('cancel');
    }));

  test('an appointment given to somebody else is never cancelled, and a move of its event is carried or reported', () =>
    always(({ edits, appointment, link: known, seen, arrived, hasLeft }, decision) => {
      if (!hasLeft) return;
      expect(['cancel', 'wait', 'search']).not.toContain(decision.type);
      if (seen === 'absent' || !seen.isLive || seen.startMs === undefined || arrived !== undefined) return;
      if (seen.isAllDay || seen.isRecurring || (seen.etag !== '' && seen.etag === known.event.etag)) return;
      const asks = [...startsOf(known), iso(appointment.startMs)];
      if (edits.moved !== 'reschedule' || asks.includes(iso(seen.startMs))) return;
      if (startsOf(known).length === 0) return;
      if (decision.type !== 'move') expect(decision).toHaveProperty('note');
    }));

  test('without a word of the mapping nothing reaches the platform', () =>
    always(({ edits }, decision) => {
      if (edits.moved !== 'reschedule') expect(decision.type).not.toBe('move');
      if (edits.deleted === 'cancel') return;
      expect(decision.type).not.toBe('cancel');
      // An event is looked for before it is restored, unless its drag would be undone as well.
      const mayLook = edits.deleted === 'restore' && edits.moved !== 'revert';
      if (!mayLook) expect(['wait', 'search']).not.toContain(decision.type);
      if (decision.type === 'search') expect(decision.before).toBe('restore');
    }));
});
