import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ErasureReceipt } from '../../../src/engine/erasure.ts';
import { runHere } from '../../stand/command.ts';
import { type Lifeline, startLifeline } from '../../stand/lifeline.ts';
import { openTestStore } from '../../stand/store.ts';
import { ANNA, BORIS, slot, startWorld, type World } from '../../stand/world.ts';

/** Two commands per death, each with looks at everything: only to end one that hangs. */
const TEST_MS = 900_000;
/** Evenly over all calls of the command to Redis, Google and the platform. */
const DEATHS = 4;
/** The write under way at the death is not counted: at most the cells of one row, or the entries of one key. */
const CELLS_OF_ROW = 4;
const ENTRIES_OF_KEY = 7;

interface Person {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly appointment: string;
}

let world: World;
let port: number;
const lines: Lifeline[] = [];
beforeEach(async () => {
  world = await startWorld();
  port = await world.door();
  await world.subscribe(port);
});
afterEach(async () => {
  await Promise.all(lines.splice(0).map((line) => line.close()));
  await world.close();
});

/** With a card, an appointment and a note of a member of the staff. */
function meet(nth: number): Person {
  const { dashboard } = world.platform;
  const { projectId, anna, haircut } = world.company;
  const surname = `Kholmogorova${'abcdefghijklmnopqrstuvwxyz'[nth] ?? ''}`;
  const [name, phone] = [`Zinaida ${surname}`, `+7495777${String(8_000 + nth)}`];
  const id = dashboard.createContact({ projectId, name, phone });
  const appointment = dashboard.bookAs('lk', {
    ...{ serviceId: haircut, resourceId: anna, startsAt: slot(24 + 2 * nth) },
    ...{ customerName: name, customerPhone: phone },
  });
  dashboard.linkContact(appointment, id);
  const [start, end] = [{ dateTime: slot(124 + 2 * nth) }, { dateTime: slot(125 + 2 * nth) }];
  const event = { summary: `Ring ${name}`, description: phone, start, end };
  world.google.staff.calendar.add({ calendarId: BORIS, event });
  return { id, name, phone, appointment };
}

/** All lines of the command are cut before the `last`-th call leaves; that is what a kill -9 there leaves. */
async function forget({ id }: Person, last = Number.POSITIVE_INFINITY) {
  let calls = 0;
  let onDeath = () => {};
  const died = new Promise<void>((done) => {
    onDeath = done;
  });
  const own: Lifeline[] = [];
  const onCall = () => {
    calls += 1;
    if (calls < last) return true;
    for (const line of own) line.cut();
    onDeath();
    return false;
  };
  const { redis, google, platform } = world;
  const ends = [
    redis.url.slice('unix://'.length),
    ...[google.url, platform.url].map((url) => Number(new URL(url).port)),
  ];
  for (const end of ends) own.push(await startLifeline(end, onCall));
  lines.push(...own);
  const [redisPort, googlePort, platformPort] = own.map((line) => line.port);
  const config = join(world.dir, `forget-${redisPort}.yaml`);
  const text = readFileSync(world.writeConfig(port), 'utf8')
    .replaceAll(redis.url, `redis://127.0.0.1:${redisPort}`)
    .replace(`calendar_root_url: ${google.url}`, `calendar_root_url: http://127.0.0.1:${googlePort}`)
    .replace(`sheets_root_url: ${google.url}`, `sheets_root_url: http://127.0.0.1:${googlePort}`)
    .replace(platform.url, `http://127.0.0.1:${platformPort}/v1`);
  writeFileSync(config, text);
  const ended = runHere(['forget', 'contact', id, '--yes', '--json', '--config', config]);
  await Promise.race([ended, died]);
  return { ended, calls };
}

const state = async (): Promise<string> => {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const texts: string[] = [];
  for await (const { key, text } of store.search.all()) texts.push(`${key} ${text}`);
  // The lease of the dead ends by itself, in seconds that nobody has to wait for.
  await store.redis.del(store.keys.lease('forget'));
  store.close();
  return texts.join('\n');
};
const outside = () =>
  JSON.stringify([
    [ANNA, BORIS].map((id) => world.events(id)),
    ['Contacts', 'Visits'].map((tab) => world.rows(tab)),
  ]);

test(
  'P1, P7: a command that dies at any of its calls is finished by the next one: nothing of the person is left, nothing of others is gone',
  async () => {
    const people = Array.from({ length: DEATHS + 1 }, (_, nth) => meet(nth));
    const other = meet(DEATHS + 1);
    const worker = await world.startWorker(port);
    await world.untilIdle(worker.url);
    await world.stopWorker(worker);
    const secretsOf = (person: Person) => [
      person.id,
      person.name.split(' ')[1] ?? '',
      person.phone,
      person.appointment,
    ];
    const found = (text: string, person: Person) => secretsOf(person).filter((each) => text.includes(each));
    expect(people.flatMap((person) => found(outside(), person)).length).toBe(4 * people.length);
    const [whole, ...others] = people;
    if (whole === undefined) throw new Error('nobody');
    const lived = await forget(whole);
    const receipt = JSON.parse((await lived.ended).stdout) as ErasureReceipt;
    expect(receipt.erased).toMatchObject({ events: 1, rewritten: 1, cells: 7 });
    const entries = ({ erased }: ErasureReceipt) =>
      Object.values(erased.keys).reduce((sum, count) => sum + count, 0);
    const dead = [];
    for (const [nth, person] of others.entries()) {
      const last = Math.ceil(((nth + 1) * lived.calls) / (DEATHS + 1));
      const died = await forget(person, last);
      dead.push(died.ended);
      await state();
      const { code, stdout } = await (await forget(person)).ended;
      const told = JSON.parse(stdout) as ErasureReceipt;
      expect([code, told.left]).toEqual([0, []]);
      expect(found(`${outside()}\n${await state()}\n${stdout}`, person)).toEqual([]);
      const { events, rewritten, cells } = told.erased;
      expect(events + rewritten + cells).toBeGreaterThanOrEqual(9 - CELLS_OF_ROW);
      expect(events + rewritten + cells).toBeLessThanOrEqual(9);
      expect(entries(told)).toBeGreaterThanOrEqual(entries(receipt) - 2 * ENTRIES_OF_KEY);
    }
    expect(world.events(BORIS).map(({ summary }) => summary)).toContain(`Ring ${other.name}`);
    expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
    await Promise.all(dead);
    expect(found(outside(), other)).toEqual(secretsOf(other));
  },
  TEST_MS,
);
