/** Two programs that undo each other in a row are stopped, whatever the row says: every flip would cost a move and may cost a mail. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { rowsOf } from '../stand/runs.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const HOURS = ['03.03.2026 12:00', '03.03.2026 10:00'];
/** Changes of one appointment that are carried (`EDITS_MAX` of the guard). */
const CARRIED = 10;

async function flip(world: IntakeWorld, row: number, { times, everyMs }: { times: number; everyMs: number }) {
  for (let flips = 0; flips < times; flips += 1) {
    world.clock.advance(everyMs);
    world.put(row, 'Start', HOURS[flips % 2] ?? '');
    await world.settle();
  }
}

const letters = async (world: IntakeWorld) =>
  (await world.store.ledger.deadLetters(20)).letters.flatMap(({ reasons }) =>
    reasons.map(({ code }) => code),
  );

const mails = (world: IntakeWorld) => world.platform.sandbox.stats().customerMails;

test.each(
  rowsOf(
    [
      ['at every poll', 30_000],
      ['at every poll of a sheet that is read every quarter of an hour', 900_000],
    ],
    2,
  ),
)('a row that is flipped between two hours %s is stopped', async (_, everyMs) => {
  const world = await stands.start({ everyMs, notifyCustomer: true });
  const row = world.type({ Start: '03.03.2026 10:00' });
  await world.settle();
  await flip(world, row, { times: 2 * CARRIED, everyMs });
  // The booking itself is one of them.
  expect(mails(world)).toBe(CARRIED);
  expect(await letters(world)).toEqual(['edit-loop']);
  expect(world.booked()).toHaveLength(1);
});

test('a row that is changed now and then for a day is carried each time', async () => {
  const world = await stands.start({ notifyCustomer: true });
  const row = world.type({ Start: '03.03.2026 10:00' });
  await world.settle();
  await flip(world, row, { times: CARRIED + 2, everyMs: 3_600_000 / 2 });
  expect(await letters(world)).toEqual([]);
  expect(mails(world)).toBe(CARRIED + 3);
});
