/** A round of a tab of appointments that dies at one step after another. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { CarriedStands } from '../stand/carried-sheet.ts';
import { standing, startAppointments, typed } from './carried-appointment-rows.ts';

export function testDeathsOfARound(stride: number): void {
  const stands = new CarriedStands();
  afterEach(() => stands.closeWorlds());
  afterAll(() => stands.close());

  test('killed at any step of a round: every wish is carried once, and nothing else', async () => {
    const { world, ada, bea, cleo } = await startAppointments(stands);
    const others = ({ [ada]: _, [bea]: __, ...rest }: Record<string, string>) => rest;
    const before = others(standing(world));
    let isDead = true;
    let lives = 0;
    for (let step = 1; isDead; step += stride) {
      lives += 1;
      const day = `2026-04-${String(1 + (step % 28)).padStart(2, '0')}`;
      const hour = `${String(10 + (step % 7)).padStart(2, '0')}:10`;
      const ticked = world.book(
        `Guest ${step}`,
        new Date(Date.parse('2026-05-01T07:00:00Z') + step * 86_400_000).toISOString(),
      );
      world.clock.advance(1_000);
      await world.settle(1);
      world.put(ada, 'Start', typed(`${day} ${hour}`));
      world.put(ticked, 'Cancel', true);
      isDead = await world.dieAt(step);
      if (isDead) await world.restart();
      world.clock.advance(400_000);
      await world.settle();
      const told = `killed at ${step}`;
      expect(world.startOf(ada), told).toBe(`${day} ${hour}`);
      expect(world.appointment(ticked)?.['status'], told).toBe('cancelled');
      expect(others(standing(world)), told).toMatchObject(before);
      expect(world.row(ada)['Answer'], told).toBe('Moved in the booking system.');
      expect(world.row(ticked)['Answer'], told).toBe('Cancelled in the booking system.');
      expect(world.titles(), told).toEqual(['Visits']);
      expect(await world.open(), told).toEqual([]);
      expect(world.appointment(cleo)?.['status'], told).toBe('confirmed');
      // Ticks of the last hour do not add up to a mass.
      world.clock.advance(3_600_000);
    }
    expect(lives * stride).toBeGreaterThan(60);
  }, 900_000);
}
