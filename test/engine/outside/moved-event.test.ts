import { describe, expect, test } from 'vitest';
import { bookedBefore, formerly, type MovedEventParts } from '../../../src/engine/held-booking.ts';
import { bookingIdOf, calendarOrigin } from '../../../src/engine/ids.ts';
import { originMark } from '../../../src/engine/intent.ts';
import { type BookingRecord, NEW_BOOKING, type SeenBooking } from '../../../src/engine/outside-booking.ts';

const EVENT = 'a-persons-own-event';

/** An event that people dragged from Anna to a colleague, before or after it was booked there. */
function dragged(to: { readonly mirror: string }, record: BookingRecord) {
  const home = bookingIdOf(calendarOrigin('anna', EVENT));
  const parts = {
    entries: [
      {
        kind: 'calendar',
        name: 'walk-ins',
        calendars: [
          { calendarId: 'anna', mirror: 'staff' },
          { calendarId: 'vera', mirror: to.mirror },
        ],
      },
    ],
    view: {
      peek: async ({ id }: { id: string }) =>
        id === home
          ? { snapshot: { mapping: 'walk-ins' }, links: { 'walk-ins': { booking: record } } }
          : undefined,
    },
    events: {
      read: async (calendarId: string) =>
        calendarId === 'vera' ? { isLive: true, isGuestCopy: false } : 'absent',
    },
  } as unknown as MovedEventParts;
  const seenAt = (calendarId: string) =>
    ({ place: 'calendar', calendar_id: calendarId, event_id: EVENT }) as SeenBooking;
  return { parts, seenAt };
}

describe.each([{ mirror: 'staff' }, { mirror: 'others' }])(
  'dragged into a calendar of mirror $mirror',
  (to) => {
    test('while its booking is under way it is awaited there, and not booked a second time', async () => {
      const { parts, seenAt } = dragged(to, {
        ...NEW_BOOKING,
        asked: 'wish' as unknown as NonNullable<BookingRecord['asked']>,
      });
      expect(await bookedBefore(parts, seenAt('vera'))).toEqual({ is: 'awaited' });
    });

    test('its appointment is told by its mark when all else was lost', async () => {
      const { parts, seenAt } = dragged(to, NEW_BOOKING);
      const isFormer = formerly(parts, seenAt('vera'));
      expect(await isFormer(originMark(calendarOrigin('anna', EVENT)), { id: 'any' }, false)).toBe(true);
    });
  },
);

test('the records of hundreds of colleagues are read in a few round trips', async () => {
  const { parts, seenAt } = dragged({ mirror: 'staff' }, NEW_BOOKING);
  const calendars = Array.from({ length: 300 }, (_, i) => ({
    calendarId: `colleague-${i}`,
    mirror: 'staff',
  }));
  let waiting = 0;
  let trips = 0;
  const peek = async () => {
    if (waiting === 0) trips += 1;
    waiting += 1;
    await new Promise(setImmediate);
    waiting -= 1;
    return undefined;
  };
  const entries = [{ ...parts.entries[0], calendars }] as unknown as MovedEventParts['entries'];
  expect(await bookedBefore({ ...parts, entries, view: { peek } }, seenAt('vera'))).toBeUndefined();
  expect(trips).toBeLessThanOrEqual(5);
});
