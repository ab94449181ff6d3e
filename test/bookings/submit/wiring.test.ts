import { afterAll, afterEach, expect, test } from 'vitest';
import { openBookingDesk } from '../../../src/compose/staff-edits.ts';
import { SILENT_LOG } from '../../stand/store.ts';
import { appointmentOf, ORIGIN, PushStands, TUESDAY_12 } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('the desk that the worker opens books, moves and cancels', async () => {
  const world = await stands.start();
  const platform = world.client();
  const directory = await platform.reader.directory();
  const desk = openBookingDesk({
    store: world.store,
    remotes: { platform },
    directory: { current: () => directory },
    clock: world.clock,
    log: SILENT_LOG,
  });
  const { id } = appointmentOf(await desk.submit(ORIGIN, world.book()));
  expect(await desk.made(ORIGIN)).toBe(id);
  appointmentOf(await desk.submit(ORIGIN, world.move(id, TUESDAY_12)));
  appointmentOf(await desk.submit(ORIGIN, world.cancel(id)));
  expect(world.sandbox.truth.appointments()).toMatchObject([{ id, status: 'cancelled' }]);
});
