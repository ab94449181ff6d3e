/**
 * Somebody deletes the event by which he books, at any call that the worker makes between reading and mirroring it. No appointment stands in the
 * end, whatever the worker knew by then, whether it dies there, and whatever other handlers do at that moment (P4, P7).
 */
import { afterAll, expect, test } from 'vitest';
import { Death, withCalls } from '../stand/doom.ts';
import { ANNA, OutsideStands, type OutsideWorld, STILL_MS } from '../stand/outside.ts';
import { combined, rowsOf } from '../stand/runs.ts';

const stands = new OutsideStands();
let begun: Promise<OutsideWorld> | undefined;
afterAll(() => stands.close());

/** Days ahead: the clock of one world moves on with each row, and an appointment that has begun is not cancelled. */
const STARTS_AT = '2026-03-20T07:00:00.000Z';
/** From the stored wish over the request and its verdict to the link and the mirror's write. */
const CALLS = Array.from({ length: 24 }, (_, at) => at + 10);
const BESIDES = [
  'nothing else',
  'then the watch reads',
  'then the watch reads and the mirror turns',
  'the mirror turned first',
] as const;
const ENDS = ['lives on', 'dies there', 'dies two calls later'] as const;
/** A third of the table meets every call, with everything that happens besides and every end. */
const ROWS = combined(CALLS, BESIDES, ENDS).filter((_, at) => (at + Math.floor(at / 12)) % 3 === 0);
type Row = (typeof ROWS)[number];

async function bookAndDelete(world: OutsideWorld, [at, besides, end]: Row): Promise<void> {
  const id = world.drop({ startsAt: STARTS_AT });
  const remove = () => world.staff.remove({ calendarId: ANNA, eventId: id });
  const mirror = async () => {
    await world.hear();
    for (const each of world.appointments())
      if (each['status'] !== 'cancelled') await world.turn(`appointment/${String(each['id'])}`);
  };
  let isBeside = false;
  const happen = async () => {
    isBeside = true;
    if (besides === 'the mirror turned first') await mirror();
    remove();
    if (besides.startsWith('then')) await world.sync(ANNA);
    if (besides === 'then the watch reads and the mirror turns') await mirror();
    isBeside = false;
  };
  let made = 0;
  let isDead = false;
  const ground = withCalls(world.ground, async (call) => {
    if (isBeside) return call();
    if (isDead) throw new Death();
    made += 1;
    const own = made;
    const answer = await call();
    if (own === at) await happen();
    isDead = (end === 'dies there' && own === at) || (end === 'dies two calls later' && own === at + 2);
    if (isDead) throw new Death();
    return answer;
  });
  await world.sync();
  world.clock.advance(STILL_MS + 1_000);
  for (let rounds = 0; rounds < 3; rounds += 1) {
    for (const key of await world.store.work.due(world.clock.now(), 100)) {
      await world.turn(key, ground).catch((error: unknown) => {
        if (!(error instanceof Death)) throw error;
      });
      isDead = false;
    }
    await world.hear();
  }
  if (made < at) remove();
}

async function toTheEnd(world: OutsideWorld): Promise<void> {
  for (let minutes = 0, rests = 0; minutes < 10 && rests < 2; minutes += 1) {
    await world.hear();
    await world.settle();
    world.clock.advance(60_000);
    rests = (await world.store.work.due(Number.MAX_SAFE_INTEGER, 1)).length === 0 ? rests + 1 : 0;
  }
}

test.each(rowsOf(ROWS, 7))('B10, B13: deleted after call %i, %s; and the worker %s', async (...row) => {
  begun ??= stands.start();
  const world = await begun;
  await world.clear();
  await bookAndDelete(world, row);
  await toTheEnd(world);
  expect(world.booked()).toEqual([]);
  expect(world.events()).toEqual([]);
  expect(await world.letters()).toEqual([]);
});

test('B13, P4: deleted while its request is on its way to the platform, which carries it out when nobody waits for it any more', async () => {
  const world = await stands.start();
  const id = world.drop({ startsAt: STARTS_AT });
  await world.sync();
  world.clock.advance(STILL_MS + 1_000);
  let arrive: (() => Promise<unknown>) | undefined;
  const writer = new Proxy(world.ground.writer, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (name !== 'create') return method.bind(target) as unknown;
      return async (...args: unknown[]) => {
        arrive = async () => method.apply(target, args) as unknown;
        throw new Death();
      };
    },
  });
  await world.turn(world.keyAt(id), { ...world.ground, writer });
  expect(arrive).toBeDefined();
  world.staff.remove({ calendarId: ANNA, eventId: id });
  await toTheEnd(world);
  expect(world.appointments()).toEqual([]);
  await arrive?.();
  expect(world.booked()).toHaveLength(1);
  await toTheEnd(world);
  expect(world.booked()).toEqual([]);
  expect(world.events()).toEqual([]);
  expect(await world.letters()).toEqual([]);
});
