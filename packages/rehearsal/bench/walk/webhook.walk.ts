// One webhook, with a YAML of one calendar mirror and nothing else, until its event stands in the calendar.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { ANNA, startWorld } from '../../../../test/stand/world.ts';
import { recording } from './recording.ts';

const MAPPING = `
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map: { Anna Petrova: ${ANNA} }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
`;

test('webhook', async () => {
  const world = await startWorld({ feedEvery: '60s', mirrors: MAPPING });
  const port = await world.door();
  await world.subscribe(port);
  await world.startWorker(port);
  const eventsInCalendar = async (count: number) => {
    while (world.events(ANNA).length < count) await sleep(2);
  };
  await sleep(3_000);
  world.book({ hours: 30 });
  await eventsInCalendar(1);
  await sleep(6_000);
  await recording('webhook', {
    idle: () => sleep(4_000),
    change: async () => {
      world.book({ hours: 33, name: 'Petr' });
      await eventsInCalendar(2);
    },
  });
  await world.close();
});
