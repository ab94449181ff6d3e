/** The table of docs/staff-edits.md, by the pure decision: one row per situation and setting. */
import { describe, expect, test } from 'vitest';
import { decideEdit, type EditDecision, type EditInput } from '../../../src/engine/decide-edit.ts';
import { hashTexts } from '../../../src/engine/event-texts.ts';
import { type StoredLink, toLink, writtenMark } from '../../../src/engine/link.ts';
import type { SeenEvent } from '../../../src/engine/outside-booking.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-02T09:00:00Z');
/** The hour of the appointment, as the worker wrote it. */
const ONE = NOW + HOUR;
/** Where people moved the event. */
const THREE = NOW + 3 * HOUR;
/** Where the platform moved the appointment meanwhile. */
const FIVE = NOW + 5 * HOUR;
const iso = (atMs: number) => new Date(atMs).toISOString();

function link(more: Partial<StoredLink> = {}) {
  const at = { calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: 'h', coloured: false };
  return toLink({ ...at, startsAt: iso(ONE), endsAt: iso(ONE + HOUR), ...more });
}

/** People moved it, unless `more` says otherwise. */
function seen(more: Partial<SeenEvent> = {}): SeenEvent {
  const startMs = 'startMs' in more ? more.startMs : THREE;
  const endMs = startMs === undefined ? undefined : startMs + HOUR;
  const flags = { isAllDay: false, isRecurring: false, isColoured: false, isGuestCopy: false };
  return {
    etag: '"2"',
    isLive: true,
    startMs,
    endMs,
    updatedMs: NOW,
    ...flags,
    texts: {},
    marks: {},
    ...more,
  };
}

interface Situation extends Partial<Omit<EditInput, 'appointment' | 'edits'>> {
  readonly appointment?: Partial<EditInput['appointment']>;
  readonly edits?: Partial<EditInput['edits']>;
}

function decided({ appointment, edits, ...rest }: Situation): EditDecision {
  const looked = { atMs: NOW, shows: 'nothing' } as const;
  const { startMs = ONE } = appointment ?? {};
  return decideEdit({
    ...{ seen: seen(), link: link(), nowMs: NOW },
    ...{ isOthers: false, isFormer: false, isMain: true, isCopy: false, isClass: false, hasLeft: false },
    isUntaken: false,
    search: { calendars: ['a', 'b'], looks: { a: looked, b: looked }, seenAtMs: NOW - HOUR },
    ...rest,
    appointment: {
      ...{ id: 'v', status: 'confirmed', startMs, endMs: startMs + HOUR, updatedMs: NOW - HOUR },
      ...{ branchId: 'b', resourceId: 'r1', resourceIds: ['r1'], subjects: ['r1', 'branch:b', 'all'] },
      ...{ placement: 'p', standing: 's' },
      ...appointment,
    },
    edits: {
      ...{ moved: 'reschedule', deleted: 'cancel', conflict: 'platform', graceMs: 0, notifyCustomer: true },
      ...edits,
    },
  });
}

const AGREED = { type: 'put-back', why: 'agreed' } as const;
const CONFLICT = { type: 'put-back', why: 'conflict', note: 'moved-meanwhile' } as const;
const UNPROVEN = { type: 'put-back', why: 'unproven', note: 'keep' } as const;
const TAKE_OVER = { type: 'take-over' } as const;
const LEAVE = { type: 'leave' } as const;
const carried = (startMs: number, more = {}) => ({ type: 'move', startMs, ...more }) as const;
const putBack = (why: string, note?: string) => ({ type: 'put-back', why, ...(note && { note }) });

/** The platform moved the appointment to FIVE. */
const moved = { startMs: FIVE } as const;
const reverted = { moved: 'revert' } as const;
const ignored = { moved: 'ignore' } as const;
const staff = { conflict: 'staff' } as const;
const latest = { conflict: 'latest' } as const;

type Row = [string, Situation, object];

describe('an event at another hour', () => {
  test.each<Row>([
    ['E1: is carried', {}, carried(THREE)],
    ['E5: goes back', { edits: reverted }, putBack('moved')],
    ['E6: stays', { edits: ignored }, TAKE_OVER],
    [
      'E8: goes back from an hour that begins now',
      { seen: seen({ startMs: NOW }) },
      putBack('moved', 'past'),
    ],
    [
      'E9: goes back when the appointment begins now',
      { link: link({ startsAt: iso(NOW) }), appointment: { startMs: NOW } },
      putBack('moved', 'started'),
    ],
    ['E9: goes back from arrived', { appointment: { status: 'arrived' } }, putBack('moved', 'not-movable')],
    ['E14: goes back when the platform moved it as well', { appointment: moved }, CONFLICT],
    ['E15: is carried over it', { appointment: moved, edits: staff }, carried(THREE, { overrules: FIVE })],
    [
      'E16: is carried over it when it is later',
      { appointment: { ...moved, updatedMs: NOW - 1 }, edits: latest },
      carried(THREE, { overrules: FIVE }),
    ],
    [
      'E16: goes back when both are of one moment',
      { appointment: { ...moved, updatedMs: NOW }, edits: latest },
      CONFLICT,
    ],
    [
      'E16: goes back when nothing says when the platform moved it',
      { appointment: { ...moved, updatedMs: undefined }, edits: latest },
      CONFLICT,
    ],
    [
      'E16: goes back when nothing says when people moved it',
      { seen: seen({ updatedMs: undefined }), appointment: moved, edits: latest },
      CONFLICT,
    ],
    ['is right when the platform has moved it there', { appointment: { startMs: THREE } }, AGREED],
    ['E61: stays where it was let be', { link: link({ letBe: iso(THREE) }) }, TAKE_OVER],
    ['E46: goes back when nothing is known of it', { link: toLink({ ...linkless() }) }, UNPROVEN],
    [
      'is carried when neither version is known',
      { seen: seen({ etag: '' }), link: link({ etag: '' }) },
      carried(THREE),
    ],
    [
      'E62: is carried when it was written at the new hour, and Redis forgot that',
      { seen: seen({ marks: written('a') }), appointment: moved },
      carried(THREE, { overrules: FIVE }),
    ],
    [
      'E62: goes back when that was in another calendar',
      { seen: seen({ marks: written('b') }), appointment: moved },
      CONFLICT,
    ],
    [
      'E62: goes back when it was written at a third hour',
      { seen: seen({ marks: written('a', THREE - HOUR) }), appointment: moved },
      CONFLICT,
    ],
    ['is carried when what was written is not known', { link: link({ hash: '' }) }, carried(THREE)],
    [
      'E41: is carried from what was requested and has come about',
      {
        seen: seen({ startMs: ONE }),
        link: link({ editSeenAtMs: NOW, asked: iso(FIVE) }),
        appointment: moved,
      },
      carried(ONE),
    ],
    [
      'E53: says with the move that its texts stay',
      { seen: seen({ texts: { summary: 'Nina' } }), link: titled() },
      carried(THREE, { note: 'not-expressible' }),
    ],
    [
      'E53: says nothing when they are as written',
      { seen: seen({ texts: { summary: 'Haircut' } }), link: titled() },
      carried(THREE),
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided(situation)).toEqual(expected);
  });
});

describe('an event whose appointment was reassigned meanwhile', () => {
  test.each<Row>([
    ['goes from its hour', { seen: seen({ startMs: ONE }) }, AGREED],
    ['goes as a whole day', { seen: allDay() }, AGREED],
    ['goes as a series', { seen: seen({ isRecurring: true }) }, AGREED],
    ['goes where its move would be no wish', { edits: ignored }, AGREED],
    ['goes when nothing is known of it', { link: toLink({ ...linkless() }) }, AGREED],
    ['E49: says that its move was not carried', {}, CONFLICT],
    ['E50: is carried', { edits: staff }, carried(THREE)],
  ])('%s', (_, situation, expected) => {
    expect(decided({ hasLeft: true, ...situation })).toEqual(expected);
  });
});

describe('an event at its hour', () => {
  const there = seen({ startMs: ONE });
  const longer = seen({ startMs: ONE, endMs: ONE + 2 * HOUR });
  const renamed = seen({ startMs: ONE, texts: { summary: 'Nina' } });
  const said = (code: string, of = 's') => ({ note: { code, text: 'Only the title.', of } });
  const saying = (startMs: number, summary: string) =>
    seen({ startMs, texts: { summary, description: 'Only the title.' } });
  test.each<Row>([
    ['E19: is compared', { seen: there }, putBack('retouched', 'keep')],
    ['E13: gets its length back', { seen: longer }, putBack('resized', 'duration')],
    [
      'E13: gets it back without a word where no move is carried',
      { seen: longer, edits: reverted },
      putBack('resized'),
    ],
    [
      'has the new length of the appointment',
      { seen: longer, appointment: { endMs: ONE + 2 * HOUR } },
      putBack('retouched', 'keep'),
    ],
    [
      'has the length that was written',
      { seen: there, appointment: { endMs: FIVE } },
      putBack('retouched', 'keep'),
    ],
    [
      'E40: has a length that may be the worker’s',
      { seen: longer, link: link({ tried: [iso(ONE)] }) },
      putBack('retouched', 'keep'),
    ],
    [
      'has a length of which nothing is known',
      { seen: longer, link: endless() },
      putBack('retouched', 'keep'),
    ],
    [
      'E20: gets its texts back',
      { seen: renamed, link: titled(), edits: reverted },
      putBack('retouched', 'keep'),
    ],
    ['E53: and says so', { seen: renamed, link: titled() }, putBack('retouched', 'not-expressible')],
    [
      'E53: and goes on saying so',
      { seen: saying(ONE, 'Nina'), link: titled(said('not-expressible')) },
      putBack('retouched', 'keep'),
    ],
    ['E53: and says so once', { seen: renamed, link: titled(said('not-expressible')) }, putBack('retouched')],
    [
      'E53: and says so again of another appointment',
      { seen: renamed, link: titled(said('not-expressible', 'before')) },
      putBack('retouched', 'not-expressible'),
    ],
    [
      'E53: and says so after another note',
      { seen: saying(ONE, 'Nina'), link: titled(said('past')) },
      putBack('retouched', 'not-expressible'),
    ],
    [
      'E3: keeps its note',
      { seen: saying(ONE, 'Haircut'), link: titled(said('past')) },
      putBack('retouched', 'keep'),
    ],
    [
      'E3: loses a note that people took out',
      { seen: seen({ startMs: ONE, texts: { summary: 'Haircut' } }), link: titled(said('past')) },
      putBack('retouched'),
    ],
    [
      'E40: has texts that may be the worker’s',
      { seen: renamed, link: titled({ tried: [iso(ONE)] }) },
      putBack('retouched', 'keep'),
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided(situation)).toEqual(expected);
  });
});

describe('an event without an hour', () => {
  test.each<Row>([
    ['E11: gets it back', { seen: allDay() }, putBack('reshaped', 'all-day')],
    ['E11: gets it back without a word', { seen: allDay(), edits: reverted }, putBack('reshaped')],
    ['E11: stays', { seen: allDay(), edits: ignored }, TAKE_OVER],
    ['E12: becomes one event', { seen: seen({ isRecurring: true }) }, putBack('reshaped', 'series')],
    [
      'E12: becomes one event, whatever the hour of the series',
      { seen: seen({ isRecurring: true, startMs: ONE }) },
      putBack('reshaped', 'series'),
    ],
    [
      'gets it back when Google shows none',
      { seen: seen({ startMs: undefined }) },
      putBack('reshaped', 'all-day'),
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided(situation)).toEqual(expected);
  });
});

describe('an event in another calendar', () => {
  const to = { resourceId: 'r2' };
  const arrived = (more: Partial<SeenEvent> = {}, whom: NonNullable<EditInput['arrived']>['to'] = to) => ({
    arrived: { event: seen({ startMs: ONE, ...more }), to: whom },
  });
  const own = { resourceId: 'r1' };
  test.each<Row>([
    ['E31: is reassigned', arrived(), carried(ONE, { resourceId: 'r2' })],
    [
      'E31: is reassigned with its new hour',
      arrived({ startMs: THREE }),
      carried(THREE, { resourceId: 'r2' }),
    ],
    ['E32: goes back', arrived({}, { hindrance: 'other-branch' }), putBack('moved', 'other-branch')],
    ['E35: goes back', { ...arrived(), edits: reverted }, putBack('moved')],
    ['E36: stays', { ...arrived(), edits: ignored }, LEAVE],
    ['is right when the platform has given it there', arrived({}, own), AGREED],
    ['moves with whom the platform has given it to', arrived({ startMs: THREE }, own), carried(THREE, own)],
    [
      'goes back as a whole day',
      arrived({ startMs: undefined, isAllDay: true }),
      putBack('moved', 'all-day'),
    ],
    ['goes back when Google shows no hour', arrived({ startMs: undefined }), putBack('moved', 'all-day')],
    ['goes back as a whole day that shows an hour', arrived({ isAllDay: true }), putBack('moved', 'all-day')],
    ['goes back as a series', arrived({ isRecurring: true }), putBack('moved', 'series')],
    ['goes back from the past', arrived({ startMs: NOW }), putBack('moved', 'past')],
    ['goes back when the platform moved it as well', { ...arrived(), appointment: moved }, CONFLICT],
    [
      'is reassigned when it is later',
      { ...arrived({ startMs: THREE }), appointment: { ...moved, updatedMs: NOW - 1 }, edits: latest },
      carried(THREE, { resourceId: 'r2', overrules: FIVE }),
    ],
    ['E52: goes back when it was reassigned elsewhere', { ...arrived(), hasLeft: true }, CONFLICT],
    [
      'moves when both gave it to the same',
      { ...arrived({ startMs: THREE }, own), hasLeft: true },
      carried(THREE, own),
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided({ seen: 'absent', ...situation })).toEqual(expected);
  });
});

describe('an event that is gone', () => {
  const restored = { deleted: 'restore' } as const;
  const left = { deleted: 'ignore' } as const;
  const looks = {};
  test.each<Row>([
    ['E22: cancels', {}, { type: 'cancel', proof: { is: 'gone' } }],
    [
      'E26: cancels nothing that begins now',
      { link: link({ startsAt: iso(NOW) }), appointment: { startMs: NOW } },
      LEAVE,
    ],
    ['E27: comes back to whom has arrived', { appointment: { status: 'arrived' } }, putBack('deleted')],
    ['E42: comes back to a room', { isMain: false }, putBack('deleted', 'second-resource')],
    ['comes back to a team', { isCopy: true }, putBack('deleted', 'only-shown')],
    [
      'is looked for before it comes back to a team',
      { isCopy: true, search: { calendars: ['a', 'b'], looks, seenAtMs: NOW - 10_000 } },
      { type: 'search', calendars: ['a', 'b'], before: 'restore' },
    ],
    ['E24: comes back', { edits: restored }, putBack('deleted', 'keep')],
    ['E25: stays away', { edits: left }, LEAVE],
    ['E25: shows the appointment at its new hour', { edits: left, appointment: moved }, AGREED],
    ['stays away from what is cancelled', { appointment: { status: 'cancelled' }, edits: restored }, LEAVE],
    ['stays away where that was decided', { link: link({ leftAt: 'p' }), edits: restored }, LEAVE],
    [
      'comes back when the appointment moved since',
      { link: link({ leftAt: 'q' }), edits: restored },
      putBack('deleted', 'keep'),
    ],
    ['E55: cancels nothing when it was never seen', { link: toLink({ ...linkless() }) }, UNPROVEN],
    ['E47: cancels nothing when the worker took it away', { link: link({ leaving: true }) }, UNPROVEN],
    ['cancels nothing that the platform moved', { appointment: moved }, CONFLICT],
    ['E51: cancels nothing of somebody else, and says so', { hasLeft: true }, CONFLICT],
    ['goes without a word where nothing was to be cancelled', { hasLeft: true, edits: restored }, AGREED],
    ['goes without a word when it begins now', { hasLeft: true, appointment: { startMs: NOW } }, AGREED],
    ['goes without a word from arrived', { hasLeft: true, appointment: { status: 'arrived' } }, AGREED],
    ['goes without a word where it is not taken', { hasLeft: true, isUntaken: true }, AGREED],
    [
      'cancels nothing that the platform moved, if nothing says when it went',
      { seen: 'absent', appointment: moved, edits: latest },
      CONFLICT,
    ],
    [
      'cancels what the platform moved before',
      { appointment: { ...moved, updatedMs: NOW - 1 }, edits: latest },
      { type: 'cancel', proof: { is: 'gone' } },
    ],
    ['is somebody else’s', { isOthers: true }, putBack('outsiders', 'keep')],
    [
      'is somebody else’s, with a known version',
      { isOthers: true, seen: seen({ isLive: false, etag: '"1"' }) },
      putBack('outsiders', 'keep'),
    ],
    [
      'is somebody else’s, without a version',
      { isOthers: true, seen: seen({ etag: '' }), link: link({ etag: '' }) },
      putBack('outsiders', 'keep'),
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided({ seen: seen({ isLive: false }), ...situation })).toEqual(expected);
  });
});

describe('the event of a class', () => {
  const shown = (why: string) => putBack(why, 'class-shown');
  const gone = { seen: 'absent' } as const;
  const arrived = (startMs: number) => ({ event: seen({ startMs }), to: { resourceId: 'r2' } });
  test.each<Row>([
    ['moves all of it', {}, carried(THREE)],
    ['moves all of it over the platform', { appointment: moved, edits: staff }, carried(THREE)],
    ['goes to nobody else', { ...gone, arrived: arrived(ONE) }, shown('moved')],
    [
      'goes to nobody else, whatever hinders it',
      { ...gone, arrived: { ...arrived(ONE), to: { hindrance: 'other-branch' } } },
      shown('moved'),
    ],
    ['goes back', { edits: reverted }, shown('moved')],
    ['is not let be', { edits: ignored }, shown('moved')],
    ['cancels nobody', gone, shown('moved')],
    ['comes back', { ...gone, edits: { deleted: 'restore' } }, shown('deleted')],
    ['gets its length back', { seen: seen({ startMs: ONE, endMs: FIVE }) }, shown('resized')],
    ['gets its hour back', { seen: allDay() }, shown('reshaped')],
    ['goes back from the past', { seen: seen({ startMs: NOW }) }, putBack('moved', 'past')],
    [
      'goes back when it begins now',
      { link: link({ startsAt: iso(NOW) }), appointment: { startMs: NOW } },
      putBack('moved', 'started'),
    ],
    ['goes back from arrived', { appointment: { status: 'arrived' } }, putBack('moved', 'not-movable')],
    ['goes back when the platform moved it as well', { appointment: moved }, CONFLICT],
    ['is compared', { seen: seen({ startMs: ONE }) }, putBack('retouched', 'keep')],
    [
      'gets its texts back without a word',
      { seen: seen({ startMs: ONE, texts: { summary: 'Nina' } }), link: titled() },
      putBack('retouched', 'keep'),
    ],
    ['is let alone', { seen: seen({ etag: '"1"' }) }, { type: 'nothing' }],
  ])('%s', (_, situation, expected) => {
    expect(decided({ isClass: true, ...situation })).toEqual(expected);
  });
});

function allDay(): SeenEvent {
  return seen({ startMs: undefined, isAllDay: true });
}

/** After a loss of Redis. */
function linkless(): StoredLink {
  return { calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: '', coloured: false };
}

function endless() {
  return toLink({ ...linkless(), hash: 'h', startsAt: iso(ONE) });
}

/** The worker has written the title. */
function titled(more: Partial<StoredLink> = {}) {
  return link({
    status: 'confirmed',
    isOwn: true,
    shown: hashTexts({ summary: 'Haircut' }, undefined),
    ...more,
  });
}

function written(calendarId: string, atMs = FIVE) {
  return writtenMark({ startsAt: iso(atMs).replace('.000', ''), calendarId });
}
