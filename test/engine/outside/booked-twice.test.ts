import { afterAll, expect, test } from 'vitest';
import { bookingIdOf } from '../../../src/engine/ids.ts';
import { BookedTwiceSearch, createBookedTwice } from '../../../src/engine/origin.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { MapMemory } from '../../doubles/map-memory.ts';
import { MemoryProblemBoard } from '../../doubles/problem-board.ts';
import { SandboxStands } from '../../platform/sandbox-stand.ts';

const stands = new SandboxStands();
afterAll(() => stands.close());

const ORIGIN = 'sheet office-book 11111111-1111-4111-8111-111111111111';

/** The record of the row names `first`. */
function stand(statuses: Record<string, string>) {
  const snapshotOf = (id: string) => ({ id, status: statuses[id], metadata: { slotbridge_origin: ORIGIN } });
  const booking = { links: { desk: { booking: { state: 'booked', own: { id: 'first' } } } } };
  const problems = new MemoryProblemBoard();
  const handler = createBookedTwice({
    problems,
    view: {
      async peek({ kind, id }) {
        if (kind === 'booking') return (id === bookingIdOf(ORIGIN) ? booking : undefined) as never;
        return { snapshot: snapshotOf(id), links: {} } as never;
      },
    },
  });
  return {
    problems,
    turn: (id: string) => handler.reconcile({ snapshot: snapshotOf(id) } as never as Claim),
  };
}

test('two live appointments of one row are a problem that names both, until one is cancelled', async () => {
  const statuses: Record<string, string> = { first: 'confirmed', second: 'confirmed' };
  const { problems, turn } = stand(statuses);
  await turn('first');
  expect(await problems.list()).toEqual([]);
  await turn('second');
  const [problem] = await problems.list();
  expect(problem).toMatchObject({ target: `booking:${bookingIdOf(ORIGIN)}`, code: 'booked-twice' });
  expect(problem?.message).toMatch(/first and second/);
  statuses['second'] = 'cancelled';
  await turn('second');
  expect(await problems.list()).toEqual([]);
});

test('an appointment that was cancelled and booked again is none', async () => {
  const { problems, turn } = stand({ first: 'cancelled', second: 'confirmed' });
  await turn('second');
  expect(await problems.list()).toEqual([]);
});

const MINUTE = 60_000;

/** A platform, and a Redis that answers as the process `run`. */
async function searched() {
  const world = await stands.start();
  const { clock, serviceId, annaId, borisId } = world;
  const problems = new MemoryProblemBoard();
  const memory = new MapMemory();
  const redis = { run: 'first' };
  /** By how much the worker's clock was set back. */
  const setBack = { ms: 0 };
  const parts = {
    ...{ reader: world.client().reader, problems, memory, redisRun: async () => redis.run },
    clock: { now: () => clock.now() - setBack.ms },
  };
  const book = (resourceId: string, origin: string, startsAt = '2026-03-03T07:00:00Z') =>
    world.dashboard.bookAs('api', {
      ...{ serviceId, resourceId, startsAt, customerName: 'Vera', customerPhone: '+74950001101' },
      metadata: { slotbridge_origin: origin },
    });
  return {
    ...{ clock, setBack, problems, redis, book, annaId, borisId, dashboard: world.dashboard },
    worker: () => new BookedTwiceSearch(parts),
    names: async () => (await problems.list()).map(({ message }) => message),
  };
}

test('after a failover the platform is searched for two live appointments of one row, and both are named', async () => {
  const { clock, redis, book, annaId, borisId, worker, names, dashboard } = await searched();
  const search = worker();
  await search.look();
  clock.advance(MINUTE);
  await search.look();
  const ids = [book(annaId, ORIGIN), book(borisId, ORIGIN)].sort();
  book(borisId, 'row/another', '2026-03-04T07:00:00Z');
  const rest = [1, 2].map((n) => book(n === 1 ? annaId : borisId, 'row/a-third', '2026-03-05T07:00:00Z'));
  dashboard.cancel(rest[0] ?? '');
  await search.look();
  expect(await names()).toEqual([]);
  redis.run = 'second';
  await search.look();
  expect(await names()).toEqual([`the appointments ${ids.join(' and ')} were booked by one row or event`]);
});

test('the search is bounded to what was booked since Redis was last whole, and to what is booked in the two minutes afterwards', async () => {
  const { clock, redis, book, annaId, borisId, worker, names } = await searched();
  const search = worker();
  await search.look();
  clock.advance(3 * MINUTE);
  await search.look();
  for (const id of [annaId, borisId]) book(id, 'row/long-known');
  clock.advance(60 * MINUTE);
  await search.look();
  redis.run = 'second';
  await search.look();
  expect(await names()).toEqual([]);
  for (const id of [annaId, borisId]) book(id, ORIGIN, '2026-03-06T07:00:00Z');
  await search.look();
  expect(await names()).toEqual([]);
  clock.advance(2 * MINUTE);
  await search.look();
  expect(await names()).toHaveLength(1);
});

test('a worker that comes from the other primary searches as far back as the split', async () => {
  const { clock, redis, book, annaId, borisId, worker, names } = await searched();
  const [stayed, cut] = [worker(), worker()];
  for (const each of [stayed, cut]) await each.look();
  for (const id of [annaId, borisId]) book(id, ORIGIN);
  redis.run = 'second';
  await stayed.look();
  for (let minute = 0; minute < 60; minute += 1) {
    clock.advance(MINUTE);
    await stayed.look();
  }
  for (const id of [annaId, borisId]) book(id, 'row/another', '2026-03-06T07:00:00Z');
  await cut.look();
  expect(await names()).toHaveLength(2);
});

test('a clock that is set back after a failover does not hold back the second search', async () => {
  const { setBack, redis, book, annaId, borisId, worker, names } = await searched();
  const search = worker();
  await search.look();
  redis.run = 'second';
  await search.look();
  for (const id of [annaId, borisId]) book(id, ORIGIN);
  setBack.ms = 180 * MINUTE;
  await search.look();
  expect(await names()).toHaveLength(1);
});
