/** Redis is put back to a backup: what the worker itself wrote into rows since then is no change by people (P3). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const MINUTE_MS = 60_000;
const AT_10 = '2026-03-03T07:00:00.000Z';
const AT_14 = '2026-03-03T11:00:00.000Z';
const TYPED_12 = '2026-03-03 12:00';

/** A row that has stood for long, and a backup of that. */
async function appointmentRow() {
  const world = await stands.start({ kind: 'appointment' });
  const id = world.book('Vera Orlova', AT_10);
  await world.settle();
  world.clock.advance(10 * MINUTE_MS);
  await world.look();
  const putBack = await world.backup();
  world.clock.advance(MINUTE_MS);
  const reschedule = (startsAt: string) => world.dashboard.reschedule(id, { startsAt });
  return { world, id, putBack, reschedule };
}

async function contactRow() {
  const world = await stands.start();
  const id = world.create('Emma', '+74950001177');
  await world.settle();
  world.clock.advance(10 * MINUTE_MS);
  await world.look();
  const putBack = await world.backup();
  world.clock.advance(MINUTE_MS);
  return { world, id, putBack, rename: (name: string) => world.dashboard.changeContact(id, { name }) };
}

async function putBackTo(world: CarriedWorld, putBack: () => Promise<void>): Promise<void> {
  world.clock.advance(MINUTE_MS);
  await putBack();
  await world.settle(5);
}

test('E65: a start that the worker wrote since moves no appointment that the platform moved back', async () => {
  const { world, id, putBack, reschedule } = await appointmentRow();
  reschedule(AT_14);
  await world.settle();
  expect(world.row(id)['Start']).not.toBe('');
  world.clock.advance(MINUTE_MS);
  reschedule(AT_10);
  await putBackTo(world, putBack);
  expect(world.appointment(id)).toMatchObject({ starts_at: AT_10, status: 'confirmed' });
  expect(world.row(id)['Answer']).toContain('just being rewritten');
  // What people write from then on is theirs.
  world.put(id, 'Start', TYPED_12);
  await world.settle();
  expect(world.startOf(id)).toBe(TYPED_12);
});

test('E65: a start that people typed since is carried', async () => {
  const { world, id, putBack } = await appointmentRow();
  world.put(id, 'Start', TYPED_12);
  await putBackTo(world, putBack);
  expect(world.startOf(id)).toBe(TYPED_12);
});

test('E65: a name that the worker wrote since changes no contact that the platform changed back', async () => {
  const { world, id, putBack, rename } = await contactRow();
  rename('Emma Stein');
  await world.settle();
  expect(world.row(id)['Name']).toBe('Emma Stein');
  world.clock.advance(MINUTE_MS);
  rename('Emma');
  await putBackTo(world, putBack);
  expect(world.contact(id)).toMatchObject({ name: 'Emma' });
  expect(world.row(id)['Name']).toBe('Emma');
  world.put(id, 'Name', 'Emma Klein');
  await world.settle();
  expect(world.contact(id)).toMatchObject({ name: 'Emma Klein' });
});

test('E65: a name that people typed since is carried', async () => {
  const { world, id, putBack } = await contactRow();
  world.put(id, 'Name', 'Emma Klein');
  await putBackTo(world, putBack);
  expect(world.contact(id)).toMatchObject({ name: 'Emma Klein' });
});
