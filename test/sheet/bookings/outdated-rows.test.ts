import { expect, test } from 'vitest';
import type { BookingAnswer, SheetBookings } from '../../../src/engine/outside-booking.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { KnownRows } from '../../../src/sheet/known-rows.ts';
import type { TypedRow } from '../../../src/sheet/tab-reading.ts';
import { bookingKeyOf } from '../../../src/sheet/tab-reading.ts';
import { answerContent, cellsHash } from '../../../src/sheet/typed-cell.ts';

const ID = '0a610239-38df-84e6-966a-fa64d1b2416e';
const MAPPING = {
  kind: 'sheet',
  name: 'desk',
  columns: { status: 'Status', appointment: 'Appointment' },
} as unknown as SheetBookings;
const HOURS = ['Booked for 10:00.', 'Booked for 12:00.', 'Booked for 14:00.'] as const;

const answer = (text: string) => ({ text, appointmentId: 'a-1' }) as unknown as BookingAnswer;
const hash = (text: string) => cellsHash(answerContent(MAPPING, answer(text), 'UTC').cells);
const row = (status: string) =>
  ({ id: ID, status, appointment: 'a-1', cells: {}, print: 'p', ready: true }) as unknown as TypedRow;

/** One look: what the tab showed when it was read, and the answer that is confirmed by now. */
function looks() {
  const known = new KnownRows();
  return async (shown: string, confirmed: string) => {
    const claim = {
      links: {
        desk: { booking: { told: { is: 'due', answer: answer(confirmed) } } },
        answers: { sheet: { answered: HOURS.map(hash) } },
      },
    } as unknown as Claim;
    const found = await known.outdated([row(shown)], {
      hashes: new Map([[bookingKeyOf(ID), hash(confirmed)]]),
      ...{ isFirstLook: false, mapping: MAPPING, zone: 'UTC', isAnswer: () => true },
      view: { peek: async () => claim },
      outbox: { waits: async () => false },
      placeOf: () => ({ mirror: 'answers' }) as never,
    });
    known.keepShown();
    return [...found.values()];
  };
}

test('P3: a row that was read before its newest answer was written went back to nothing', async () => {
  const look = looks();
  expect(await look(HOURS[0], HOURS[0])).toEqual([]);
  expect(await look(HOURS[0], HOURS[1])).toEqual([]);
  expect(await look(HOURS[1], HOURS[1])).toEqual([]);
});

test('P7: a row that still shows its former answer at the next reading went back', async () => {
  const look = looks();
  await look(HOURS[0], HOURS[0]);
  await look(HOURS[0], HOURS[1]);
  expect(await look(HOURS[0], HOURS[1])).toEqual([true]);
});

test('P7: an answer older than the last one is of an older version, also while the next one is written', async () => {
  const look = looks();
  await look(HOURS[1], HOURS[1]);
  expect(await look(HOURS[0], HOURS[2])).toEqual([true]);
  const other = looks();
  await other(HOURS[1], HOURS[1]);
  expect(await other(HOURS[0], HOURS[1])).toEqual([true]);
});
