import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
/** The whole worker: the event of a class names those who come, and nobody else, nor anybody who was erased. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openRedis } from '../../src/engine/redis-client.ts';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore } from '../stand/store.ts';
import { MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

const COACH = 'coach@clinic.example';
/** Shorter than the time-out of a call. */
const UNDER_WAY_MS = 8_000;
const TEAM = 'team@group.calendar.google.com';
const GUESTS = '    classes: { services: [Yoga], guests: "{{ customer_name }} {{ comment }}" }\n';

let world: World;
let port: number;
let url: string;
let worker: RunningWorker;
let coach: string;
let yoga: string;
let classes = GUESTS;

beforeEach(async () => {
  classes = GUESTS;
  world = await startWorld({
    watch: '{ every: 5s, settle: 100ms }',
    mirrors: `${MIRRORS.replace(
      '        Anna Petrova:',
      `        Coach: ${COACH}\n        Anna Petrova:`,
    ).replace('    event:\n', '#CLASSES\n    event:\n')}  team:
    from: appointments
    calendars: { by: all, calendar: { id: ${TEAM}, show: busy } }
    event: { title: "{{ service_name }}" }
    classes: { services: [Yoga], guests: "{{ customer_name }}" }
`,
    rewrite: (yaml) => yaml.replace('#CLASSES\n', classes),
  });
  port = await world.door();
  await world.subscribe(port);
  const { dashboard } = world.platform;
  const { projectId, branchId } = world.company;
  coach = dashboard.createResource({ branchId, name: 'Coach', capacity: 6 });
  yoga = dashboard.createService({ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coach] });
  for (const id of [COACH, TEAM]) world.google.addCalendar(id, { shareWith: [defaultAccount] });
  await start();
});
afterEach(() => world.close());

async function start(): Promise<void> {
  worker = await world.startWorker(port);
  ({ url } = worker);
}
const eventually = (holds: () => void | Promise<void>) =>
  vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 100 });
const contact = (name: string) =>
  world.platform.dashboard.createContact({ projectId: world.company.projectId, name, phone: phone() });
let phones = 0;
const phone = () => `+7495000${String(2000 + (phones++ % 7000))}`;
function join(contactId: string, comment?: string): string {
  const { dashboard } = world.platform;
  const id = dashboard.bookAs('lk', {
    ...{ serviceId: yoga, resourceId: coach, startsAt: slot(26) },
    ...{
      customerName: 'Written Otherwise',
      customerPhone: phone(),
      ...(comment !== undefined && { comment }),
    },
  });
  dashboard.linkContact(id, contactId);
  return id;
}
const leave = (id: string) => world.platform.dashboard.cancel(id, { notify: false });
/** Title and description of what stands in a calendar. */
const shown = (calendarId = COACH) =>
  world
    .events(calendarId)
    .map(({ summary, description }) => `${summary}: ${String(description ?? '').replaceAll('\n', ', ')}`)
    .sort();
const run = (...args: readonly string[]) => runHere([...args, '--config', world.writeConfig(port)]);

describe('the guest list of a class', () => {
  test('grows and shrinks with its appointments, follows the names of contacts, and is nowhere in a busy calendar', async () => {
    const [vera, oleg] = [contact('Vera Orlova'), contact('Oleg <b>Smirnov')];
    const first = join(vera);
    await eventually(() => expect(shown()).toEqual(['Yoga (1/6): Vera Orlova']));
    join(oleg);
    await eventually(() => expect(shown()).toEqual(['Yoga (2/6): Vera Orlova, Oleg &lt;b&gt;Smirnov']));
    world.platform.dashboard.changeContact(vera, { name: 'Vera Ivanova' });
    await eventually(() => expect(shown()).toEqual(['Yoga (2/6): Vera Ivanova, Oleg &lt;b&gt;Smirnov']));
    leave(first);
    await eventually(() => expect(shown()).toEqual(['Yoga (1/6): Oleg &lt;b&gt;Smirnov']));
    expect(JSON.stringify(world.events(COACH))).not.toContain(first);
    await eventually(() => expect(world.events(TEAM)).toHaveLength(1));
    await world.untilIdle(url);
    expect(JSON.stringify(world.events(TEAM))).not.toMatch(/Vera|Oleg|guests/);
  });

  atLength.test('goes when the mapping names nobody any more', async () => {
    const vera = contact('Vera Orlova');
    const id = join(vera);
    await eventually(() => expect(shown()).toEqual(['Yoga (1/6): Vera Orlova']));
    await world.untilIdle(url);
    await world.stopWorker(worker);
    classes = GUESTS.replace(/, guests: "[^"]*"/, '');
    await start();
    await eventually(() => expect(shown()).toEqual(['Yoga (1/6): ']));
    expect(JSON.stringify(world.events(COACH))).not.toContain(id);
  });
});

/** Events that still say one of these secrets. */
const traces = (...secrets: readonly string[]) =>
  [COACH, TEAM]
    .flatMap((id) => world.events(id))
    .map((event) => JSON.stringify(event))
    .filter((text) => secrets.some((secret) => text.includes(secret)));

async function nextMillisecond(): Promise<void> {
  const nowMs = Date.now();
  while (Date.now() === nowMs) await sleep(1);
}

/** Two of one name and somebody else; the first one is to be erased. */
async function threeGuests() {
  const [vera, namesake, oleg] = [contact('Vera Orlova'), contact('Vera Orlova'), contact('Oleg Smirnov')];
  const id = join(vera, 'nuts make me ill');
  // Guests stand in the order in which they were booked.
  await nextMillisecond();
  join(namesake);
  await nextMillisecond();
  join(oleg);
  const all = ['Yoga (3/6): Vera Orlova nuts make me ill, Vera Orlova, Oleg Smirnov'];
  await eventually(() => expect(shown()).toEqual(all));
  await world.untilIdle(url);
  return { vera, id };
}
const FORGOTTEN = ['Yoga (3/6): Vera Orlova, Oleg Smirnov, and 1 more'];

/** So many others were erased from the class within these minutes: each time its event was put right. */
async function pretendErased(times: number): Promise<void> {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const id = String(world.events(COACH)[0]?.['id']).slice(1);
  for (let nth = 0; nth < times; nth += 1) await store.tally.count(`edited:class/${id}`, `${nth}`, 600_000);
  store.close();
}

describe('an erasure', () => {
  test('leaves no word of the person, and everybody else, of the same name, too, although the platform still lists the appointment', async () => {
    const { vera, id } = await threeGuests();
    const found = await run('whereis', 'contact', vera);
    expect(found.stdout).toMatch(new RegExp(`${world.events(COACH)[0]?.['id']}.*id`));
    const told = await run('forget', 'contact', vera, '--yes');
    expect(`${told.code} ${told.stdout}${told.stderr}`).toMatch(/^0/);
    expect(traces(id, 'nuts')).toEqual([]);
    await eventually(() => expect(shown()).toEqual(FORGOTTEN));
    world.platform.dashboard.changeContact(vera, { name: 'Vera Neumann' });
    join(contact('Anton Chekhov'));
    await eventually(() =>
      expect(shown()).toEqual(['Yoga (4/6): Vera Orlova, Oleg Smirnov, Anton Chekhov, and 1 more']),
    );
    await world.untilIdle(url);
    expect(traces(id, 'nuts', 'Neumann')).toEqual([]);
    expect((await run('whereis', 'contact', vera)).stdout).not.toMatch(/event.*\bid\b/);
  });

  atLength.test('without a worker empties the list, which comes back with the next one', async () => {
    const { vera, id } = await threeGuests();
    await world.stopWorker(worker);
    await pretendErased(10);
    const told = await run('forget', 'contact', vera, '--yes');
    expect(`${told.code} ${told.stdout}${told.stderr}`).toMatch(/^0/);
    expect(shown()).toEqual(['Yoga (3/6): ']);
    await start();
    await eventually(() => expect(shown()).toEqual(FORGOTTEN));
    expect(traces(id, 'nuts')).toEqual([]);
  });

  atLength.test('finds the person by the marks of the event when Redis was lost', async () => {
    const { vera, id } = await threeGuests();
    await world.stopWorker(worker);
    const redis = openRedis(world.redis.url, 'commands');
    await redis.flushall();
    redis.disconnect();
    const told = await run('forget', 'contact', vera, '--yes');
    expect(`${told.code} ${told.stdout}${told.stderr}`).toMatch(/^0/);
    expect(shown()).toEqual(['Yoga (3/6): ']);
    await start();
    await eventually(() => expect(shown()).toEqual(FORGOTTEN));
    expect(traces(id, 'nuts')).toEqual([]);
  });

  atLength.test('waits for a handler of the class that has listed its members before', async () => {
    join(contact('Oleg Smirnov'));
    await eventually(() => expect(shown()).toEqual(['Yoga (1/6): Oleg Smirnov']));
    await world.untilIdle(url);
    // The event does not name the person yet, and a call that does is under way for longer than the erasure looks.
    let hasLanded = false;
    let land = () => {};
    const until = new Promise<void>((done) => {
      land = done;
    });
    const caught = new Promise<void>((done) => {
      const rule = { method: 'PATCH', path: /coach@clinic/, times: 1, onStrike: done };
      world.google.faults.add({ ...rule, fault: { kind: 'hold', until } });
    });
    const vera = contact('Vera Bees');
    const id = join(vera, 'nuts');
    await caught;
    setTimeout(() => {
      hasLanded = true;
      land();
    }, UNDER_WAY_MS);
    const told = await run('forget', 'contact', vera, '--yes');
    expect([told.code, hasLanded]).toEqual([0, true]);
    expect(traces(id, 'nuts', 'Bees')).toEqual([]);
    await eventually(() => expect(shown()).toEqual(['Yoga (2/6): Oleg Smirnov, and 1 more']));
    await world.untilIdle(url);
    expect(traces(id, 'nuts', 'Bees')).toEqual([]);
  });
});
