// The note that a calendar is behind, through the whole worker.
import { afterEach, expect, test, vi } from 'vitest';
import { noteIdOf } from '../../src/domain/event-id.ts';
import { NOTE_MARK } from '../../src/domain/event-marks.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

test('a note that stands in a calendar that is current is found by its mark and goes; appointments stay', async () => {
  world = await startWorld({ rewrite: (yaml) => yaml.replace('worker: {', 'worker: { calendar_note: 5m,') });
  const date = new Date().toISOString().slice(0, 10);
  const installation = world.config().redis.prefix;
  const id = noteIdOf({ installation, calendarId: ANNA, date, turn: 0 });
  const end = { date: new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10) };
  const marks = { private: { [NOTE_MARK.key]: NOTE_MARK.value } };
  const event = {
    summary: 'Behind',
    description: 'Since 10:32.',
    start: { date },
    end,
    extendedProperties: marks,
  };
  world.google.staff.calendar.add({ calendarId: ANNA, id, event });
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  world.book();
  await world.untilIdle(worker.url);
  await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(1), { timeout: 60_000 });
  expect(world.events(ANNA)[0]).toMatchObject({ summary: expect.stringContaining('Vera Orlova') });
});
