/** A round of a tab of contacts that dies at one step after another. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { CarriedStands } from '../stand/carried-sheet.ts';
import { ADA, BEA, startContacts } from './carried-rows.ts';

export function testDeathsOfARound(stride: number): void {
  const stands = new CarriedStands();
  afterEach(() => stands.closeWorlds());
  afterAll(() => stands.close());

  test('killed at any step of a round: every change is carried once, and nothing else', async () => {
    const { world, ada, bea } = await startContacts(stands);
    let isDead = true;
    let lives = 0;
    for (let step = 1; isDead; step += stride) {
      lives += 1;
      const [name, phone] = [`Ada ${step}`, `+7495000${String(2000 + step)}`];
      world.put(ada, 'Name', name);
      world.put(bea, 'Phone', phone);
      isDead = await world.dieAt(step);
      if (isDead) await world.restart();
      world.clock.advance(400_000);
      await world.settle();
      const told = `killed at ${step}`;
      expect(world.contact(ada), told).toMatchObject({ ...ADA, name });
      expect(world.contact(bea), told).toMatchObject({ ...BEA, phone });
      expect(world.row(ada), told).toMatchObject({
        Name: name,
        Answer: 'Changed in the booking system: Name.',
      });
      expect(world.titles(), told).toEqual(['Contacts']);
      expect(await world.open(), told).toEqual([]);
    }
    expect(lives * stride).toBeGreaterThan(60);
  }, 600_000);
}
