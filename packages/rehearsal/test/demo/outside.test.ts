import { describe, expect, it } from 'vitest';
import { judgeOutside, type OutsideBooking } from '../../demo/outside/book.ts';

const PHONE = '+74957700001';
const booking = (fate: OutsideBooking['fate'], about: Partial<OutsideBooking> = {}): OutsideBooking => ({
  ...{ where: 'calendar', phone: PHONE, calendarId: 'c', eventId: 'e', fate },
  ...about,
});
const appointment = (status: string, about: object = {}) => ({
  id: 'a',
  status,
  customer_phone: PHONE,
  ...about,
});

function judge(
  one: OutsideBooking,
  appointments: readonly object[],
  { isAnswered = false, isDeleted = false, isOverruled = false } = {},
) {
  const platform = {
    appointments: () => appointments as readonly Record<string, unknown>[],
    contacts: () => [{ id: 'k', phone: PHONE }],
  };
  const { booked, refused, doubled, unanswered } = judgeOutside([one], platform, {
    answered: () => isAnswered,
    deleted: () => isDeleted,
    overruled: () => isOverruled,
  });
  return { booked, refused, doubled, unanswered };
}

const NONE = { booked: 0, refused: 0, doubled: 0, unanswered: 0 };

describe('the judge of outside bookings', () => {
  it('counts one appointment as booked, found by the number of the appointment or of its contact', () => {
    expect(judge(booking('wanted'), [appointment('confirmed')])).toEqual({ ...NONE, booked: 1 });
    const ofContact = appointment('confirmed', { customer_phone: null, contact_id: 'k' });
    expect(judge(booking('wanted'), [ofContact])).toEqual({ ...NONE, booked: 1 });
  });

  it('counts a word where it was made as refused, and silence as unanswered', () => {
    expect(judge(booking('wanted'), [], { isAnswered: true })).toEqual({ ...NONE, refused: 1 });
    expect(judge(booking('wanted'), [])).toEqual({ ...NONE, unanswered: 1 });
  });

  it('knows that somebody else’s deletion of the event cancels the appointment, and excuses nothing else', () => {
    const deleted = { isDeleted: true };
    expect(judge(booking('wanted'), [appointment('cancelled')], deleted)).toEqual(NONE);
    expect(judge(booking('wanted'), [appointment('confirmed')], deleted)).toEqual({ ...NONE, booked: 1 });
    expect(judge(booking('wanted'), [appointment('cancelled')])).toEqual({ ...NONE, unanswered: 1 });
    expect(
      judge(booking('wanted'), [appointment('cancelled'), appointment('cancelled')], deleted),
    ).toMatchObject({
      doubled: 1,
    });
  });

  it('sees a second appointment, also where one of the two was cancelled', () => {
    expect(judge(booking('wanted'), [appointment('confirmed'), appointment('confirmed')])).toMatchObject({
      doubled: 1,
    });
    expect(judge(booking('dropped'), [appointment('cancelled'), appointment('cancelled')])).toMatchObject({
      doubled: 1,
    });
  });

  it('wants nothing to stand of what people took away or never finished', () => {
    expect(judge(booking('dropped'), [appointment('cancelled')])).toEqual(NONE);
    expect(judge(booking('dropped'), [appointment('confirmed')])).toEqual({ ...NONE, unanswered: 1 });
    expect(judge(booking('half-typed'), [])).toEqual(NONE);
    expect(judge(booking('half-typed'), [appointment('cancelled')])).toMatchObject({ doubled: 1 });
  });

  it('knows that a move by another event of the appointment overrules a deletion, and excuses no second appointment', () => {
    const overruled = { isOverruled: true };
    expect(judge(booking('dropped'), [appointment('confirmed')], overruled)).toEqual({ ...NONE, booked: 1 });
    expect(judge(booking('dropped'), [appointment('cancelled')], overruled)).toEqual(NONE);
    expect(
      judge(booking('dropped'), [appointment('confirmed'), appointment('confirmed')], overruled),
    ).toMatchObject({ doubled: 1 });
    expect(judge(booking('half-typed'), [appointment('confirmed')], overruled)).toMatchObject({ doubled: 1 });
  });

  it('names what is wrong, and not whom it is about', () => {
    const platform = { appointments: () => [], contacts: () => [] };
    const { wrong } = judgeOutside([booking('wanted'), booking('wanted', { where: 'sheet' })], platform, {
      answered: () => false,
      deleted: () => false,
      overruled: () => false,
    });
    expect(wrong).toEqual([
      'event e in c: neither booked nor refused',
      'the row of …0001: neither booked nor refused',
    ]);
  });
});
