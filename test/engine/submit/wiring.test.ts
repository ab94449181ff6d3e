import { afterAll, afterEach, expect, test } from 'vitest';
import { openSubmitter } from '../../../src/worker/wishes.ts';
import { SILENT_LOG } from '../../stand/store.ts';
import { appointmentOf, ORIGIN, PushStands, TUESDAY_12 } from './stand.ts';

const stands = new PushStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

test('the submitter that the worker opens books, moves and cancels', async () => {
  const world = await stands.start();
  const platform = world.client();
  const directory = await platform.reader.directory();
  const submitter = openSubmitter({
    store: world.store,
    remotes: { platform },
    directory: { current: () => directory },
    clock: world.clock,
    log: SILENT_LOG,
  });
  const { id } = appointmentOf(await submitter.submit(ORIGIN, world.book()));
  expect(await submitter.made(ORIGIN)).toBe(id);
  appointmentOf(await submitter.submit(ORIGIN, world.move(id, TUESDAY_12)));
  appointmentOf(await submitter.submit(ORIGIN, world.cancel(id)));
  expect(world.sandbox.truth.appointments()).toMatchObject([{ id, status: 'cancelled' }]);
});
