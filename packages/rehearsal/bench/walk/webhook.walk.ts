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
  let booked = 0;
  const book = async () => {
    booked += 1;
    world.book({ hours: 30 + 3 * booked, name: `Petr ${booked}` });
    while (world.events(ANNA).length < booked) await sleep(2);
  };
  await sleep(3_000);
  await book();
  await sleep(6_000);
  await recording('webhook', { idle: () => sleep(4_000), change: book });
  await world.close();
});
