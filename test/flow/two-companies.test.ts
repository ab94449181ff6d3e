import { expect, test } from 'vitest';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { ANNA, BORIS, startWorld, type World } from '../stand/world.ts';

const ANNAS = `
mirrors:
  diary:
    from: appointments
    calendars: { map: { Anna Petrova: ${ANNA} } }
    event: { title: "North: {{ customer_name }}" }
`;
const BORISES = `
mirrors:
  team:
    from: appointments
    calendars: { map: { Boris Ivanov: ${BORIS} } }
    event: { title: "South: {{ customer_name }}" }
`;

test('two companies have a worker each in one process, with a YAML and a prefix of their own on one Redis: neither touches the other', async ({
  onTestFinished,
}) => {
  const redis = await startTestRedis();
  onTestFinished(() => redis.stop());
  const north = await startCompany(redis, { prefix: 'north', mirrors: ANNAS });
  onTestFinished(() => north.world.close());
  const south = await startCompany(redis, { prefix: 'south', mirrors: BORISES });
  onTestFinished(() => south.world.close());
  const shown = () => ({ north: titles(north.world), south: titles(south.world) });

  let atNorth = await north.start();
  const atSouth = await south.start();
  bookOfBoth(north.world, 'Vera');
  bookOfBoth(south.world, 'Oleg');
  await north.world.untilIdle(atNorth.url);
  await south.world.untilIdle(atSouth.url);
  expect(shown()).toEqual({ north: ['North: Vera'], south: ['South: Oleg'] });

  await north.world.stopWorker(atNorth);
  bookOfBoth(north.world, 'Nina', 48);
  bookOfBoth(south.world, 'Ivan', 48);
  await south.world.untilIdle(atSouth.url);
  expect(shown()).toEqual({ north: ['North: Vera'], south: ['South: Ivan', 'South: Oleg'] });

  atNorth = await north.start();
  await south.world.stopWorker(atSouth);
  bookOfBoth(south.world, 'Rita', 72);
  await north.world.untilIdle(atNorth.url);
  expect(shown()).toEqual({
    north: ['North: Nina', 'North: Vera'],
    south: ['South: Ivan', 'South: Oleg'],
  });
});

async function startCompany(redis: TestRedis, yaml: { readonly prefix: string; readonly mirrors: string }) {
  const world = await startWorld({
    redis: { ...redis, stop: async () => {} },
    mirrors: yaml.mirrors,
    rewrite: (text) =>
      text.replace(/redis: \{ url: ("[^"]+") \}/, `redis: { url: $1, prefix: ${yaml.prefix} }`),
  });
  const port = await world.door();
  await world.subscribe(port);
  return { world, start: (): Promise<RunningWorker> => world.startWorker(port) };
}

/** One appointment in each resource's day, of which this company shows one. */
function bookOfBoth({ book, company }: World, name: string, hours = 24): void {
  for (const resourceId of [company.anna, company.boris]) book({ name, hours, resourceId });
}

/** In both calendars. */
function titles({ events }: World): readonly string[] {
  return [ANNA, BORIS]
    .flatMap((calendarId) => events(calendarId).map(({ summary }) => String(summary)))
    .sort();
}
