/** What becomes of a booking that people change, by the pure decision: one row per situation. `decide.property.test.ts` plays them in any order. */
import { describe, expect, test } from 'vitest';
import { carriedWish, type DecideInput, decide } from '../../../src/engine/decide-booking.ts';
import {
  type BookingRecord,
  type BookWish,
  bookedAs,
  HELD_BOOKING,
  NEW_BOOKING,
  type OwnAppointment,
} from '../../../src/engine/outside-booking.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const MINUTE = 60_000;
const [SEVEN, EIGHT, NINE] = [
  '2026-03-03T07:00:00.000Z',
  '2026-03-03T08:00:00.000Z',
  '2026-03-03T09:00:00.000Z',
];

const wishAt = (startsAt = SEVEN, more: Partial<BookWish> = {}): BookWish => ({
  ...{ op: 'book', serviceId: 's', startsAt, customer: { phone: '+7', create: true }, notifyCustomer: false },
  ...more,
});
const wish = (...said: Parameters<typeof wishAt>) => ({ as: 'wish', wish: wishAt(...said) }) as const;
const none = (code: 'empty' | 'not-ready' | 'cancelled-here') => ({ as: 'none', code }) as const;
const unclear = (code: 'service-unknown' | 'resource-unknown' | 'ready-unclear' | 'start-missing') =>
  ({ as: 'unclear', code }) as const;

/** Booked at seven, with an answer that says so. */
const own: OwnAppointment = { id: 'a', wish: { is: 'carried', wished: carriedWish(wishAt()) } };
const told = (startsAt: string): BookingRecord['told'] => ({
  ...{ is: 'given', stands: 'h' },
  answer: { state: 'booked', text: 'Booked.', appointmentId: 'a', startsAt },
});
const booked = (more: Partial<OwnAppointment> = {}, at = SEVEN): BookingRecord => ({
  ...{ state: 'booked', decided: 'h', told: told(at), own: { ...own, ...more } },
});
const refused = (code: string, more: object = {}): BookingRecord => ({
  ...NEW_BOOKING,
  state: 'refused',
  code,
  ...more,
});
const ignored = (code: string): BookingRecord => ({ ...NEW_BOOKING, state: 'ignored', code });
/** All that a loss of Redis leaves. */
const found = bookedAs(NEW_BOOKING, { id: 'a' });

type Situation = Partial<Omit<DecideInput, 'rules' | 'appointment'>> & {
  readonly rules?: Partial<DecideInput['rules']>;
  readonly appointment?: Partial<NonNullable<DecideInput['appointment']>>;
};
type Row = [string, Situation, object];

const NOTHING = { type: 'nothing' } as const;
const book = (...said: Parameters<typeof wishAt>) => ({ type: 'book', wish: wishAt(...said) });
const move = (startsAt: string, more = {}) => ({ type: 'move', startsAt, ...more });
const restore = (code: string) => ({ type: 'restore', code });

function decided({ rules, appointment, ...rest }: Situation) {
  const standing = { status: 'confirmed', startsAt: SEVEN, isMirrored: false };
  return decide({
    ...{ place: 'row', isLive: true, isChanged: true, stillSinceMs: NOW - MINUTE, saysWhenReady: false },
    ...{ extracted: wish(), record: NEW_BOOKING, nowMs: NOW, rules: { stillForMs: 30_000, ...rules } },
    ...rest,
    appointment: appointment && { ...standing, ...appointment },
  });
}

describe('what is not booked yet', () => {
  const same = { isSameText: true };
  const unchanged = { isChanged: false };
  test.each<Row>([
    ['is booked as soon as it was still for long enough', { stillSinceMs: NOW - 30_000 }, book()],
    ['waits a moment longer', { stillSinceMs: NOW - 29_999 }, { type: 'wait', untilMs: NOW + 1 }],
    ['is not booked again after it was ignored', { ...unchanged, record: ignored('not-ready') }, NOTHING],
    ['is booked while nothing was decided', unchanged, book()],
    ['is booked when people have made it a booking', { record: ignored('not-ready') }, book()],
    ['is not booked by an edit of the YAML', { ...same, record: ignored('not-ready') }, NOTHING],
    ['is booked if an edit of the YAML came before it', same, book()],
    ['is not booked by an edit of the YAML after a no', { ...same, record: refused('past') }, NOTHING],
    [
      'is told another reason after an edit of the YAML',
      { ...same, record: refused('past'), extracted: unclear('start-missing') },
      { type: 'refuse', code: 'start-missing' },
    ],
    ['is booked when people have mended it after a no', { record: refused('past') }, book()],
    [
      'is booked when the name has come into the lists',
      { ...unchanged, record: refused('service-unknown') },
      book(),
    ],
    [
      'is booked when the name has come into the lists, after an edit of the YAML',
      { ...same, record: refused('service-unknown') },
      book(),
    ],
    [
      'is not told twice that a name is unknown',
      { ...unchanged, record: refused('service-unknown'), extracted: unclear('service-unknown') },
      NOTHING,
    ],
    [
      'is told that the next name is unknown',
      { ...unchanged, record: refused('service-unknown'), extracted: unclear('resource-unknown') },
      { type: 'refuse', code: 'resource-unknown' },
    ],
    ['is booked when a person has approved it', { ...unchanged, record: refused(HELD_BOOKING) }, book()],
    [
      'is gone, after another no',
      { isLive: false, record: refused('gone') },
      { type: 'ignore', code: 'gone' },
    ],
    [
      'is gone, after it was no booking',
      { isLive: false, record: ignored('empty') },
      { type: 'ignore', code: 'gone' },
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided(situation)).toEqual(expected);
  });
});

describe('an invitation', () => {
  const invited = { place: 'calendar', isInvitation: true, record: booked(), appointment: {} } as const;
  test.each<Row>([
    ['moves its appointment', { extracted: wish(EIGHT) }, move(EIGHT)],
    ['moves no cancelled one', { extracted: wish(EIGHT), appointment: { status: 'cancelled' } }, NOTHING],
    [
      'moves none of which it is the mirror',
      { extracted: wish(EIGHT), appointment: { isMirrored: true } },
      NOTHING,
    ],
    ['cancels nothing when it is gone', { isLive: false }, NOTHING],
  ])('%s', (_, situation, expected) => {
    expect(decided({ ...invited, ...situation })).toEqual(expected);
  });
});

describe('a booked event that is gone', () => {
  const gone = { place: 'calendar', isLive: false, appointment: {} } as const;
  test.each<Row>([
    ['is looked for', { record: booked() }, { type: 'hand-over' }],
    ['was the mirror before', { record: booked({ mirrored: true }) }, NOTHING],
    ['is the mirror', { record: booked(), appointment: { isMirrored: true } }, NOTHING],
  ])('%s', (_, situation, expected) => {
    expect(decided({ ...gone, ...situation })).toEqual(expected);
  });
});

describe('a booked row', () => {
  const asked = (startsAt: string, more = {}) => ({
    ...booked(),
    asked: carriedWish(wishAt(startsAt, more)),
  });
  const boris = { resourceId: 'boris' };
  const ofAnna = booked({
    wish: { is: 'carried', wished: carriedWish(wishAt(SEVEN, { resourceId: 'anna' })) },
  });
  test.each<Row>([
    ['is not judged twice', { isChanged: false, extracted: wish(EIGHT) }, NOTHING],
    [
      'is judged again while its request has no verdict',
      { isChanged: false, record: asked(EIGHT), extracted: wish(EIGHT) },
      move(EIGHT),
    ],
    [
      'waits until it is still',
      { stillSinceMs: NOW, extracted: wish(EIGHT) },
      { type: 'wait', untilMs: NOW + 30_000 },
    ],
    ['is still from that moment', { stillSinceMs: NOW - 30_000, extracted: wish(EIGHT) }, move(EIGHT)],
    [
      'waits for nothing when it says that it is ready',
      { stillSinceMs: NOW, saysWhenReady: true, extracted: wish(EIGHT) },
      move(EIGHT),
    ],
    [
      'cancels no appointment that begins now',
      { extracted: none('cancelled-here'), nowMs: Date.parse(SEVEN) },
      restore('appointment-not-cancellable'),
    ],
    [
      'cancels one that is to come',
      { extracted: none('cancelled-here'), nowMs: Date.parse(SEVEN) - 1 },
      { type: 'cancel' },
    ],
    ['stays booked, whatever is noted under ready', { extracted: unclear('ready-unclear') }, NOTHING],
    ['says what is unclear', { extracted: unclear('start-missing') }, restore('start-missing')],
    ['is moved back by a second wish', { record: asked(EIGHT), extracted: wish(SEVEN) }, move(SEVEN)],
    [
      'is given to somebody else at the hour of the appointment',
      { record: ofAnna, extracted: wish(SEVEN, boris), appointment: { startsAt: NINE } },
      move(NINE, boris),
    ],
    [
      'is given back by a second wish',
      { record: asked(SEVEN, boris), extracted: wish(SEVEN, { resourceId: 'anna' }) },
      move(SEVEN, { resourceId: 'anna' }),
    ],
    [
      'is given to who was asked for when that has no verdict',
      { record: { ...ofAnna, asked: carriedWish(wishAt(SEVEN, boris)) }, extracted: wish(SEVEN, boris) },
      move(SEVEN, boris),
    ],
    ['keeps its resource and hour when it names none', { record: ofAnna }, NOTHING],
    ['keeps its resource when it names none', { record: ofAnna, extracted: wish(EIGHT) }, move(EIGHT)],
    [
      'moves without a word about the resource that it names as before',
      { record: ofAnna, extracted: wish(EIGHT, { resourceId: 'anna' }) },
      move(EIGHT),
    ],
    ['changes neither comment', { extracted: wish(SEVEN, { comment: 'x' }) }, restore('not-expressible')],
    [
      'nor anything of one who has arrived',
      { extracted: wish(EIGHT), appointment: { status: 'arrived' } },
      restore('appointment-not-reschedulable'),
    ],
    [
      'moves no appointment of somebody else',
      { customer: 'other', extracted: wish(EIGHT) },
      restore('other-customer'),
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided({ record: booked(), appointment: {}, ...situation })).toEqual(expected);
  });
});

describe('a row whose appointment the platform has moved to nine', () => {
  const moved = { record: booked(), extracted: wish(EIGHT), appointment: { startsAt: NINE } };
  const overrule = { type: 'overrule', startsAt: EIGHT };
  const staff = { rules: { conflict: 'staff' } } as const;
  const latest = { rules: { conflict: 'latest' } } as const;
  const updatedAt = (atMs: number) => ({ startsAt: NINE, updatedAt: new Date(atMs).toISOString() });
  const movedThere = (movedThereMs: number) => ({ record: booked({ movedThereMs }, NINE) });
  const over = { rules: { conflict: 'platform', seenWithinMs: MINUTE } } as const;
  test.each<Row>([
    ['loses', {}, overrule],
    ['wins if the mapping says so', staff, move(EIGHT, { overrules: true })],
    [
      'wins if it was typed later',
      { ...latest, appointment: updatedAt(NOW - MINUTE - 1) },
      move(EIGHT, { overrules: true }),
    ],
    ['loses if both are of one moment', { ...latest, appointment: updatedAt(NOW - MINUTE) }, overrule],
    ['loses if nothing says when', latest, overrule],
    ['has the same wish', { appointment: { startsAt: EIGHT } }, move(EIGHT)],
    [
      'is moved if it was never told an hour',
      { record: { ...booked(), told: { is: 'nothing' } } },
      move(EIGHT),
    ],
    ['is moved if it was told that hour', { record: booked({}, NINE) }, move(EIGHT)],
    [
      'loses if it was told that hour a moment before',
      { ...over, ...movedThere(NOW - 2 * MINUTE + 1) },
      overrule,
    ],
    [
      'is moved if it was told that hour early enough',
      { ...over, ...movedThere(NOW - 2 * MINUTE) },
      move(EIGHT),
    ],
    ['loses if it was told that hour after it was typed', movedThere(NOW - MINUTE + 1), overrule],
    [
      'is moved if its own request came about',
      { record: { ...booked(), asked: carriedWish(wishAt(NINE)) } },
      move(EIGHT),
    ],
    [
      'is given to somebody else there',
      { extracted: wish(SEVEN, { resourceId: 'boris' }) },
      move(NINE, { resourceId: 'boris' }),
    ],
    ['has lost before, and says the same', { record: booked(lost()) }, NOTHING],
    [
      'has lost before, and says another hour',
      { ...staff, record: booked(lost()), extracted: wish('2026-03-03T06:00:00Z') },
      move('2026-03-03T06:00:00.000Z', { overrules: true }),
    ],
    [
      'was refused before, and says the same',
      { record: booked({ said: carriedWish(wishAt(EIGHT)) }) },
      NOTHING,
    ],
    [
      'was refused before, and says the same while a request has no verdict',
      {
        ...staff,
        record: { ...booked({ said: carriedWish(wishAt(EIGHT)) }), asked: carriedWish(wishAt(EIGHT)) },
      },
      move(EIGHT, { overrules: true }),
    ],
    [
      'was refused before, and the platform has not moved it',
      { record: booked({ said: carriedWish(wishAt(EIGHT)) }), appointment: {} },
      move(EIGHT),
    ],
    [
      'was refused another hour before',
      { ...staff, record: booked({ said: carriedWish(wishAt(NINE)) }) },
      move(EIGHT, { overrules: true }),
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided({ ...moved, ...situation })).toEqual(expected);
  });

  function lost(): Partial<OwnAppointment> {
    return { wish: { is: 'overruled', wished: carriedWish(wishAt()), startsAt: EIGHT } };
  }
});

describe('a row whose appointment is cancelled', () => {
  const cancelled = { record: booked(), appointment: { status: 'cancelled' } };
  const { core: _, ...old } = carriedWish(wishAt());
  const said = (startsAt: string) => ({ record: booked({ said: carriedWish(wishAt(startsAt)) }) });
  const another = { customer: { phone: '+8', create: true } };
  test.each<Row>([
    ['books nothing by itself', {}, NOTHING],
    ['books nothing by a note', { extracted: wish(SEVEN, { comment: 'x' }) }, NOTHING],
    ['books another hour', { extracted: wish(EIGHT) }, book(EIGHT)],
    [
      'books another resource',
      { extracted: wish(SEVEN, { resourceId: 'boris' }) },
      book(SEVEN, { resourceId: 'boris' }),
    ],
    [
      'books another service',
      { extracted: wish(SEVEN, { serviceId: 't' }) },
      book(SEVEN, { serviceId: 't' }),
    ],
    ['books another customer', { extracted: wish(SEVEN, another) }, book(SEVEN, another)],
    [
      'books no other customer if nothing is known of the first',
      { record: booked({ wish: { is: 'carried', wished: old } }), extracted: wish(SEVEN, another) },
      NOTHING,
    ],
    ['books nothing that was answered', { ...said(EIGHT), extracted: wish(EIGHT) }, NOTHING],
    ['books nothing that was carried', said(EIGHT), NOTHING],
    ['books what is neither', { ...said(EIGHT), extracted: wish(NINE) }, book(NINE)],
    ['books the same once it is ready again', { record: booked({ unready: true }) }, book()],
    ['books the same after a no', { record: refused('past', { own }) }, book()],
    [
      'books the same when a person has approved it',
      { isChanged: false, record: refused(HELD_BOOKING, { own }) },
      book(),
    ],
    ['says what is unclear', { extracted: unclear('ready-unclear') }, restore('ready-unclear')],
    [
      'says only what is unclear to somebody else',
      { customer: 'other', extracted: unclear('start-missing') },
      { type: 'refuse', code: 'start-missing' },
    ],
  ])('%s', (_, situation, expected) => {
    expect(decided({ ...cancelled, ...situation })).toEqual(expected);
  });
});

describe('a row after Redis was lost', () => {
  const boris = { extracted: wish(SEVEN, { resourceId: 'boris' }) };
  test.each<Row>([
    [
      'is not asked about the resources of an appointment without any',
      { ...boris, appointment: { resourceIds: [] } },
      { asks: false },
    ],
    ['nor of one that does not say them', { ...boris, appointment: {} }, { asks: false }],
    [
      'nor of a cancelled one',
      { ...boris, appointment: { status: 'cancelled', resourceIds: ['anna'] } },
      { asks: false },
    ],
    ['nor when it names none', { appointment: { resourceIds: ['anna'] } }, { asks: false }],
    [
      'is asked while one of two hours is to come',
      { extracted: wish(EIGHT), nowMs: Date.parse(SEVEN) },
      { asks: true },
    ],
    [
      'is not asked once both have begun',
      { extracted: wish(EIGHT), nowMs: Date.parse(EIGHT) },
      { asks: false },
    ],
    ['learns nothing while it is unclear', { extracted: unclear('start-missing') }, restore('start-missing')],
  ])('%s', (_, situation, expected) => {
    expect(decided({ record: found, appointment: {}, ...situation })).toMatchObject(expected);
  });
});

test('a carried wish tells the customers of two rows apart', () => {
  const who = (phone: string) => carriedWish(wishAt(SEVEN, { customer: { phone, create: true } })).who;
  expect(who('+49301234567')).toEqual(who('+49301234567'));
  expect(who('+49301234567')).not.toEqual(who('+49301234568'));
});
