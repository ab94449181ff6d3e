/** An event that stands twice: `audit --fix doubled` removes one, and never the last (P2, P7). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Difference } from '../../src/engine/finding.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import { ANNA, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
let port: number;
let own: string;
const calendarId = ANNA;
type Fields = Parameters<World['google']['staff']['calendar']['add']>[0]['event'];

beforeEach(async () => {
  world = await startWorld();
  port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  own = `sb${world.book().replaceAll('-', '')}`;
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
});
afterEach(() => world.close());

const eventIds = () =>
  world
    .events(ANNA)
    .map((event) => String(event['id']))
    .sort();

function fieldsOf(eventId: string): Fields {
  const event = world.events(ANNA).find(({ id }) => id === eventId);
  const { summary, description, start, end, extendedProperties } = event ?? {};
  return { summary, description, start, end, extendedProperties } as Fields;
}

/** The worker's own event once more, as after a restore from the bin. */
function again(id: string): void {
  world.google.staff.calendar.add({ calendarId, id, event: fieldsOf(own) });
}

/** `slotbridge audit --fix doubled`, a minute later, when nothing is under way. `meanwhile`: between its look and its deeds. */
async function heal(meanwhile: () => void = () => undefined) {
  const desk = await openSession(world.config(port), { now: () => Date.now() + 60_000 });
  try {
    const differences: Difference[] = [];
    const { standingIn } = await desk.audit({ tell: (each) => differences.push(each), progress() {} });
    const chosen = differences.filter((each) => each.what === 'doubled');
    meanwhile();
    const { counts } = await desk.fixAll(chosen, standingIn);
    return { names: chosen.map(({ name }) => name), counts };
  } finally {
    await desk.close();
  }
}

test('the one that the worker knows stays, and the other is removed', async () => {
  again(`${own}g1`);
  expect(await heal()).toEqual({ names: [`${own}g1`], counts: { 'taken away': 1 } });
  expect(eventIds()).toEqual([own]);
});

test('P7: if people delete the one that was to stay while the audit runs, the other is not removed as well', async () => {
  again(`${own}g1`);
  const meanwhile = () => world.google.staff.calendar.remove({ calendarId, eventId: own });
  expect(await heal(meanwhile)).toEqual({ names: [`${own}g1`], counts: { 'given a turn': 1 } });
  expect(eventIds()).toEqual([`${own}g1`]);
});

test('the one that the worker knows stays also if the list shows the other first', async () => {
  const other = `sb${world.book({ hours: 40 }).replaceAll('-', '')}`;
  const { calendar } = world.google.staff;
  const at = (hour: number) => ({ dateTime: slot(hour) });
  calendar.add({ calendarId, id: `${other}g1`, event: { start: at(90), end: at(91) } });
  const worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  calendar.edit({ calendarId, eventId: `${other}g1`, patch: fieldsOf(other) });
  expect(await heal()).toEqual({ names: [`${other}g1`], counts: { 'taken away': 1 } });
  expect(eventIds()).toEqual([own, other].sort());
});
