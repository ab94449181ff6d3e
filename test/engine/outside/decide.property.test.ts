import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BookedAppointment,
  carriedWish,
  type DecideInput,
  decide,
} from '../../../src/engine/decide-booking.ts';
import {
  type BookingRecord,
  type BookWish,
  bookedAs,
  NEW_BOOKING,
  ownOf,
  withOwn,
} from '../../../src/engine/outside-booking.ts';
import { runsOf } from '../../stand/runs.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const HOURS = ['2026-03-03T07:00:00.000Z', '2026-03-03T08:00:00.000Z', '2026-03-03T09:00:00.000Z'] as const;
const RULES = { stillForMs: 30_000 };

const wishAt = (startsAt: string, more: Partial<BookWish> = {}): BookWish => ({
  ...{ op: 'book', serviceId: 's', startsAt, customer: { phone: '+7', create: true }, notifyCustomer: false },
  ...more,
});
const APPOINTMENT: BookedAppointment = { status: 'confirmed', startsAt: HOURS[0], isMirrored: false };
const BOOKED: BookingRecord = {
  state: 'booked',
  decided: 'h',
  told: { is: 'nothing' },
  own: { id: 'a', wish: { is: 'carried', wished: carriedWish(wishAt(HOURS[0])) } },
};
/** As it is known by what the platform shows only. */
const FOUND = bookedAs(NEW_BOOKING, { id: 'a' });
const AS_TYPED = { wish: { is: 'carried', wished: carriedWish(wishAt(HOURS[0])) } };
const OVERRULED = { wish: { is: 'overruled', wished: { startsAt: HOURS[0] }, startsAt: HOURS[1] } };
const facts = (over: Partial<DecideInput>): DecideInput => ({
  ...{ place: 'calendar', isLive: true, isChanged: true, stillSinceMs: NOW - 60_000, saysWhenReady: false },
  ...{ extracted: { as: 'wish', wish: wishAt(HOURS[0]) }, record: NEW_BOOKING, appointment: undefined },
  ...{ nowMs: NOW, rules: RULES },
  ...over,
});
const row = (over: Partial<DecideInput>) =>
  facts({ place: 'row', record: BOOKED, appointment: APPOINTMENT, ...over });
const none = (code: 'empty' | 'not-ready' | 'cancelled-here') => ({ as: 'none', code }) as const;

test.each([
  ['new and still', facts({}), { type: 'book' }],
  ['new and changed just now', facts({ stillSinceMs: NOW }), { type: 'wait', untilMs: NOW + 30_000 }],
  [
    'a row that says it is ready',
    facts({ place: 'row', stillSinceMs: NOW, saysWhenReady: true }),
    { type: 'book' },
  ],
  ['a row that is not ready', facts({ place: 'row', extracted: none('not-ready') }), { type: 'ignore' }],
  ['unclear', facts({ extracted: { as: 'unclear', code: 'service-unknown' } }), { type: 'refuse' }],
  [
    'refused and unchanged',
    facts({ record: { ...NEW_BOOKING, state: 'refused', code: 'c' }, isChanged: false }),
    { type: 'nothing' },
  ],
  [
    'refused and mended',
    facts({ record: { ...NEW_BOOKING, state: 'refused', code: 'c' } }),
    { type: 'book' },
  ],
  ['gone before it was booked', facts({ isLive: false }), { type: 'ignore', code: 'gone' }],
  [
    'known to be gone',
    facts({ isLive: false, record: { ...NEW_BOOKING, state: 'ignored', code: 'gone' } }),
    { type: 'nothing' },
  ],
  [
    'gone again after it came back and asked for an appointment',
    facts({
      isLive: false,
      record: { ...NEW_BOOKING, state: 'ignored', code: 'gone', asked: carriedWish(wishAt(HOURS[0])) },
    }),
    { type: 'ignore', code: 'gone' },
  ],
  [
    'an event that is not yet the mirror',
    facts({ record: BOOKED, appointment: APPOINTMENT }),
    { type: 'adopt' },
  ],
  [
    'an event that is the mirror',
    facts({ record: BOOKED, appointment: { ...APPOINTMENT, isMirrored: true } }),
    { type: 'nothing' },
  ],
  [
    'an event whose appointment was cancelled',
    facts({ record: BOOKED, appointment: { ...APPOINTMENT, status: 'cancelled' } }),
    { type: 'nothing' },
  ],
  ['an appointment that the platform does not show', facts({ record: BOOKED }), { type: 'nothing' }],
  [
    'an event that is missing: whether it was deleted is for the way back to find out',
    facts({ record: BOOKED, appointment: APPOINTMENT, isLive: false }),
    { type: 'hand-over' },
  ],
  [
    'one of an appointment that has begun: it may stand in another calendar (case 48 is for the way back)',
    facts({ record: BOOKED, appointment: { ...APPOINTMENT, status: 'arrived' }, isLive: false }),
    { type: 'hand-over' },
  ],
  [
    'one of which nobody knows what was wished: handed over without its hour, its absence is no deletion',
    facts({ record: FOUND, appointment: APPOINTMENT, isLive: false }),
    { type: 'hand-over' },
  ],
  ['case 65: a row that was deleted', row({ isLive: false }), { type: 'nothing' }],
  ['a row as it was', row({}), { type: 'nothing' }],
  [
    'a row with another time',
    row({ extracted: { as: 'wish', wish: wishAt(HOURS[1]) } }),
    { type: 'move', startsAt: HOURS[1] },
  ],
  [
    'a row with another customer',
    row({ extracted: { as: 'wish', wish: wishAt(HOURS[0], { comment: 'x' }) } }),
    { type: 'restore', code: 'not-expressible' },
  ],
  [
    'a row of another customer, with another time',
    row({ customer: 'other', extracted: { as: 'wish', wish: wishAt(HOURS[1]) } }),
    { type: 'restore', code: 'other-customer' },
  ],
  [
    'a row of another customer that asks for the cancellation',
    row({ customer: 'other', extracted: none('cancelled-here') }),
    { type: 'restore', code: 'other-customer' },
  ],
  [
    'a row in which another customer was typed',
    row({ customer: 'other', extracted: { as: 'wish', wish: wishAt(HOURS[0], { comment: 'x' }) } }),
    { type: 'restore', code: 'other-customer' },
  ],
  [
    'a row of another customer with a mistake',
    row({ customer: 'other', extracted: { as: 'unclear', code: 'service-unknown' } }),
    { type: 'restore' },
  ],
  [
    'the same where the appointment is cancelled: the mistake is its own',
    row({
      customer: 'other',
      appointment: { ...APPOINTMENT, status: 'cancelled' },
      extracted: { as: 'unclear', code: 'service-unknown' },
    }),
    { type: 'refuse', code: 'service-unknown' },
  ],
  ['a row that asks for its cancellation', row({ extracted: none('cancelled-here') }), { type: 'cancel' }],
  [
    'the same of an appointment that has begun',
    row({ appointment: { ...APPOINTMENT, status: 'arrived' }, extracted: none('cancelled-here') }),
    { type: 'restore' },
  ],
  [
    'the same of a cancelled one',
    row({ appointment: { ...APPOINTMENT, status: 'cancelled' }, extracted: none('cancelled-here') }),
    { type: 'nothing' },
  ],
  [
    'a row of a cancelled appointment with another time',
    row({
      appointment: { ...APPOINTMENT, status: 'cancelled' },
      extracted: { as: 'wish', wish: wishAt(HOURS[1]) },
    }),
    { type: 'book' },
  ],
  ['a row after Redis was lost', row({ record: FOUND }), { type: 'learn', asks: false, known: AS_TYPED }],
  [
    'the same whose hour is not that of its appointment',
    row({ record: FOUND, extracted: { as: 'wish', wish: wishAt(HOURS[1]) } }),
    { type: 'learn', asks: true, known: OVERRULED },
  ],
  [
    'the same long after both hours',
    row({
      ...{ record: FOUND, extracted: { as: 'wish', wish: wishAt(HOURS[1]) } },
      nowMs: Date.parse(HOURS[2]),
    }),
    { type: 'learn', asks: false, known: OVERRULED },
  ],
  [
    'the same whose resource is not that of its appointment',
    row({
      ...{ record: FOUND, appointment: { ...APPOINTMENT, resourceIds: ['anna', 'room'] } },
      extracted: { as: 'wish', wish: wishAt(HOURS[0], { resourceId: 'boris' }) },
    }),
    { type: 'learn', asks: true, known: { wish: { is: 'carried', wished: { resourceId: 'boris' } } } },
  ],
  [
    'the same in one of its resources',
    row({
      ...{ record: FOUND, appointment: { ...APPOINTMENT, resourceIds: ['anna', 'room'] } },
      extracted: { as: 'wish', wish: wishAt(HOURS[0], { resourceId: 'room' }) },
    }),
    { type: 'learn', asks: false },
  ],
  [
    'the same of a cancelled appointment',
    row({ record: FOUND, appointment: { ...APPOINTMENT, status: 'cancelled', resourceIds: [] } }),
    { type: 'learn', asks: false, known: AS_TYPED },
  ],
  [
    'the same of a cancelled appointment, with another hour',
    row({
      ...{ record: FOUND, appointment: { ...APPOINTMENT, status: 'cancelled' } },
      extracted: { as: 'wish', wish: wishAt(HOURS[1]) },
    }),
    { type: 'learn', asks: true, known: { wish: { is: 'carried', wished: { startsAt: HOURS[1] } } } },
  ],
  [
    'the same that is not ready',
    row({ record: FOUND, extracted: none('not-ready'), typed: carriedWish(wishAt(HOURS[0])) }),
    { type: 'learn', asks: false, known: AS_TYPED },
  ],
  [
    'the same that is not ready, and has another hour',
    row({ record: FOUND, extracted: none('not-ready'), typed: carriedWish(wishAt(HOURS[1])) }),
    { type: 'nothing' },
  ],
  [
    'the same that asks for its cancellation, and has another hour',
    row({ record: FOUND, extracted: none('cancelled-here'), typed: carriedWish(wishAt(HOURS[1])) }),
    { type: 'cancel' },
  ],
  [
    'the same of another customer that asks for the cancellation',
    row({
      ...{ record: FOUND, customer: 'other', extracted: none('cancelled-here') },
      typed: carriedWish(wishAt(HOURS[0])),
    }),
    { type: 'restore', code: 'other-customer' },
  ],
  ['the same of another customer', row({ record: FOUND, customer: 'other' }), { type: 'nothing' }],
  ['a row that was emptied', row({ extracted: none('empty') }), { type: 'nothing' }],
])('%s', (_, input, expected) => {
  expect(decide(input)).toMatchObject(expected);
});

/** A model of everything around the decision: the place, the platform behind the submitter, and a record that may get lost on its way. */
class Model {
  readonly place: 'calendar' | 'row';
  start: string = HOURS[0];
  isLive = true;
  wantsCancel = false;
  changedAtMs = NOW;
  nowMs = NOW;
  taken = new Set<string>();
  record = NEW_BOOKING;
  /** The platform's appointments; by the submitter's promise, one per origin is live. */
  appointments: { id: string; startsAt: string; status: string }[] = [];
  made: string | undefined;
  isMirrored = false;
  live: number[] = [];

  constructor(place: 'calendar' | 'row') {
    this.place = place;
  }

  change(what: () => void): void {
    what();
    this.changedAtMs = this.nowMs;
  }

  /** All that is left of a row is the appointment that it names. */
  lose(): void {
    const own = ownOf(this.record);
    if (this.place === 'row' && own !== undefined) this.record = bookedAs(NEW_BOOKING, { id: own.id });
  }

  /** `diesBefore`: which of its stores does not happen, nor anything after it. */
  turn(diesBefore = Number.POSITIVE_INFINITY): void {
    let stores = 0;
    const put = (record: BookingRecord) => {
      stores += 1;
      if (stores >= diesBefore) throw new Error('died');
      this.record = record;
    };
    try {
      this.#run(put);
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'died') throw error;
    }
    this.live.push(this.appointments.filter(({ status }) => status !== 'cancelled').length);
  }

  #run(put: (record: BookingRecord) => void): unknown {
    const content = `${this.start} ${this.isLive} ${this.wantsCancel}`;
    if (ownOf(this.record) === undefined && this.made !== undefined) {
      const { asked } = this.record;
      put(bookedAs(this.record, { id: this.made, ...(asked && { wished: asked }) }));
    }
    const found = this.appointments.find(({ id }) => id === ownOf(this.record)?.id);
    const wish = wishAt(this.start);
    const isRow = this.place === 'row';
    const decision = decide({
      ...{ place: this.place, isLive: this.isLive, isChanged: this.record.decided !== content },
      ...{
        stillSinceMs: this.changedAtMs,
        saysWhenReady: false,
        record: this.record,
        nowMs: this.nowMs,
        rules: RULES,
      },
      extracted: isRow && this.wantsCancel ? none('cancelled-here') : { as: 'wish', wish },
      appointment: found && { ...found, isMirrored: this.isMirrored },
    });
    const { asked: _, ...record } = this.record;
    switch (decision.type) {
      case 'book': {
        put({ ...this.record, asked: carriedWish(decision.wish) });
        if (this.taken.has(this.start)) {
          const known = ownOf(record);
          const refused = { state: 'refused', code: 'slot-unavailable', decided: content } as const;
          return put({ ...NEW_BOOKING, ...refused, ...(known && { own: known }) });
        }
        const own = this.appointments.find(({ id, status }) => id === this.made && status !== 'cancelled');
        const appointment = own ?? {
          id: `a${this.appointments.length}`,
          startsAt: this.start,
          status: 'confirmed',
        };
        if (own === undefined) this.appointments.push(appointment);
        this.made = appointment.id;
        const booked = bookedAs(record, { id: appointment.id, wished: carriedWish(decision.wish) });
        return put({ ...booked, decided: content });
      }
      case 'move':
        if (found === undefined) throw new Error('nothing to move');
        if (!this.taken.has(decision.startsAt)) found.startsAt = decision.startsAt;
        return put({ ...bookedAs(record, { id: found.id, wished: carriedWish(wish) }), decided: content });
      case 'cancel':
        if (found === undefined) throw new Error('nothing to cancel');
        found.status = 'cancelled';
        return put({
          ...{ state: 'cancelled', decided: content, told: record.told },
          own: { wish: { is: 'unknown' }, ...ownOf(record), id: found.id },
        });
      case 'learn':
        put({ ...withOwn(this.record, decision.known), ...(decision.asks && { decided: content }) });
        return decision.asks ? undefined : this.#run(put);
      case 'wait':
        return undefined;
      case 'adopt':
      case 'hand-over':
        this.isMirrored = true;
        return undefined;
      case 'ignore':
        return put({ ...record, state: 'ignored', code: decision.code, decided: content });
      default:
        return put({ ...this.record, decided: content });
    }
  }
}

type Step =
  | { readonly do: 'start' | 'take' | 'free'; readonly hour: number }
  | { readonly do: 'turn'; readonly dies: number }
  | { readonly do: 'wait' | 'remove' | 'cancel' | 'lose' };
const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('start', 'take', 'free'), hour: fc.nat(2) }),
  fc.record({ do: fc.constant('turn'), dies: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constantFrom('wait', 'remove', 'cancel', 'lose') }),
);

function hourOf(step: { readonly hour?: number }): string {
  return HOURS[step.hour ?? 0] ?? HOURS[0];
}

function play(model: Model, steps: readonly Step[]): void {
  for (const step of steps) {
    if (step.do === 'turn') model.turn(step.dies);
    else if (step.do === 'wait') model.nowMs += 60_000;
    else if (step.do === 'remove') model.change(() => (model.isLive = false));
    else if (step.do === 'cancel') model.change(() => (model.wantsCancel = model.place === 'row'));
    else if (step.do === 'lose') model.lose();
    else if (step.do === 'take') model.taken.add(hourOf(step));
    else if (step.do === 'free') model.taken.delete(hourOf(step));
    // From the moment it is the mirror, what people do to it is a staff edit.
    else if (step.do === 'start' && !model.isMirrored) model.change(() => (model.start = hourOf(step)));
  }
  for (let turns = 0; turns < 6; turns += 1) {
    model.nowMs += 200_000;
    model.turn();
  }
}

describe.each(['calendar', 'row'] as const)(
  'whatever happens to a %s, in whatever order, and wherever a handler dies',
  (place) => {
    test('there is never a second live appointment, and the end is settled', () => {
      fc.assert(
        fc.property(fc.array(STEP, { maxLength: 25 }), (steps) => {
          const model = new Model(place);
          play(model, steps);
          expect(Math.max(...model.live)).toBeLessThanOrEqual(1);
          const before = JSON.stringify([model.record, model.appointments]);
          model.turn();
          expect(JSON.stringify([model.record, model.appointments])).toBe(before);
        }),
        { numRuns: runsOf(2_000) },
      );
    });

    test('a live booking at a free hour has one appointment, one that was refused none', () => {
      fc.assert(
        fc.property(fc.array(STEP, { maxLength: 25 }), (steps) => {
          const model = new Model(place);
          play(model, steps);
          const [appointment] = model.appointments.filter(({ status }) => status !== 'cancelled');
          const { state } = model.record;
          // An event that is the mirror, and a row that was taken back, are the business of others.
          if (place === 'calendar' && !model.isLive)
            expect(model.isMirrored || appointment === undefined).toBe(true);
          else if (model.isLive && !model.wantsCancel)
            expect(appointment === undefined).toBe(state === 'refused');
        }),
        { numRuns: runsOf(2_000) },
      );
    });
  },
);
