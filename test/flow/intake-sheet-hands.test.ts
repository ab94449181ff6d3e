/** People's hands between every read and write of a booking sheet, by seeds that once found something, and a few more. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { IntakeStands } from '../stand/intake-sheet.ts';
import { rowsOf } from '../stand/runs.ts';
import { playHands } from '../stand/sheet-hands.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test.each(rowsOf([2, 5, 6, 9], 4))(
  'P2, P4, P7, seed %i: nobody is moved, cancelled or booked twice whose own row did not ask for it, and every wish is answered',
  async (seed) => {
    const { acts, wrong } = await playHands(stands, seed);
    expect(wrong, acts.join(' | ')).toEqual([]);
  },
);
