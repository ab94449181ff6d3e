/** A poll of a booking sheet that dies at one step after another. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { IntakeStands } from '../stand/intake-sheet.ts';

const COPY = 'Copy of another row: clear the ID cell to book it.';

export function testDeathsOfAPoll(stride: number): void {
  const stands = new IntakeStands();
  afterEach(() => stands.closeWorlds());
  afterAll(() => stands.close());

  test('killed at any step of a poll: every row has one appointment, and the copies none', async () => {
    const world = await stands.start();
    let lives = 0;
    let isDead = true;
    for (let step = 1; isDead; step += stride) {
      lives += 1;
      const start = new Date(Date.UTC(2026, 2, 3 + Math.floor(step / 8), 10 + (step % 8)))
        .toISOString()
        .slice(0, 16);
      const phone = `8 495 000-${String(10 + Math.floor(step / 90))}-${String(10 + (step % 90))}`;
      const row = world.type({ Name: `Guest ${step}`, Start: `'${start}`, Phone: phone });
      world.staff.duplicateRow({ ...world.at, row: row - 1 });
      // What people do at the same time: the header is no row to be copied.
      if (row === 2) world.staff.deleteRow({ ...world.at, row: 2 });
      else world.put(row, 'Name', `Copy ${step}`);
      isDead = await world.dieAt(step);
      if (isDead) await world.restart();
      await world.settle();
    }
    expect(lives * stride).toBeGreaterThan(20);
    const rows = world.rows().slice(1);
    const guests = rows.filter((row) => String(row[2]).startsWith('Guest'));
    expect(guests).toHaveLength(lives);
    expect(world.appointments()).toHaveLength(lives);
    expect(new Set(world.booked().map((appointment) => appointment.split(' ').slice(2).join(' '))).size).toBe(
      lives,
    );
    expect(rows.filter((row) => String(row[2]).startsWith('Copy')).map((row) => row[8])).toEqual(
      Array<string>(lives - 1).fill(COPY),
    );
  }, 600_000);
}
