import { afterEach, beforeEach, expect, test } from 'vitest';
import { bustle } from '../../stand/bustle.ts';
import { deliverEvent, fedEvents } from '../../stand/deliveries.ts';
import { differences, untilSame } from '../../stand/judge.ts';
import { startWorld, type World } from '../../stand/world.ts';

const AT_ONCE = 50;

export function testDuplicates(deliveries: number): void {
  let world: World;
  let url: string;

  beforeEach(async () => {
    world = await startWorld();
    const port = await world.door();
    await world.subscribe(port);
    ({ url } = await world.startWorker(port));
  });
  afterEach(() => world.close());

  test(`P2, P5: ${deliveries} deliveries of events that were taken already write nothing anywhere, and are all acknowledged (cases 6, 7)`, async () => {
    await bustle(world, { rounds: 4 });
    await untilSame(world);
    const events = await fedEvents(world);
    expect(events.length).toBeGreaterThan(20);
    // The last flush still looks at what it wrote when all is the same already.
    await world.untilIdle(url);
    const calls = callsOf(world);
    const fresh = await taken(url, 'fresh');
    const answers = new Map<number, number>();
    for (let sent = 0; sent < deliveries; sent += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, (_, at) => events[(sent + at) % events.length]);
      for (const { status } of await Promise.all(batch.map((event) => deliverEvent(world, url, event)))) {
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(answers)).toEqual({ 200: deliveries });
    await world.untilIdle(url);
    expect(callsOf(world)).toEqual(calls);
    expect(differences(world)).toEqual([]);
    expect(await taken(url, 'fresh')).toBe(fresh);
    // At least: the platform itself delivers again what was answered too slowly.
    expect(await taken(url, 'duplicate')).toBeGreaterThanOrEqual(deliveries);
  });

  test('P3: the whole past is delivered once more, backwards, to a worker that has forgotten which events it took: nothing goes back (case 18)', async () => {
    await bustle(world, { rounds: 4 });
    await untilSame(world);
    const events = await fedEvents(world);
    for (const [at, event] of events.entries()) {
      const answer = await deliverEvent(world, url, {
        ...event,
        id: `00000000-0000-4000-8000-${at.toString().padStart(12, '0')}`,
      });
      expect(answer.status).toBe(200);
    }
    await world.untilIdle(url);
    expect(differences(world)).toEqual([]);
  });
}

/** Events of deliveries. Under backpressure they are taken in after the answer. */
async function taken(url: string, outcome: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const line = `slotbridge_events_total{via="webhook",outcome="${outcome}"} `;
  return Number(
    metrics
      .split('\n')
      .find((told) => told.startsWith(line))
      ?.slice(line.length),
  );
}

/** Lists and whole readings left aside: polls and checks make them by the clock, however long the deliveries take. */
function callsOf(world: World): Record<string, number> {
  const calls = Object.entries(world.google.stats().callsByMethod);
  const isTimed = (method: string) =>
    method === 'events.list' || /^spreadsheets\.(get|values\.)/.test(method);
  return Object.fromEntries(calls.filter(([method]) => !isTimed(method)));
}
