import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ErasureReceipt } from '../../src/domain/erasure.ts';
import { differences } from '../stand/judge.ts';
import { openTestStore } from '../stand/store.ts';
import { MAIN, startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, BOOK, BORIS, ROOM, slot, startWorld, type World } from '../stand/world.ts';

const NAME = 'Zinaida Kholmogorova';
const PHONE = '+74957778899';
const EMAIL = 'zinaida@home.example';
/** Appointments and cards of others, made meanwhile. */
const GUESTS = 40;
const LATE_GUESTS = 12;
const BREATH_MS = 150;
/** Two deaths, and rounds of looks at everything: only to end one that hangs. */
const TEST_MS = 900_000;

let world: World;
let port: number;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;
let command: ChildProcess | undefined;

beforeEach(async () => {
  world = await startWorld({ platform: { seed: 7, delivery: { doubleShare: 0.3, delayMs: [0, 600] } } });
  port = await world.door();
  await world.subscribe(port);
  worker = await startWorkerProcess(world, port);
});
afterEach(async () => {
  command?.kill('SIGKILL');
  await worker.kill();
  await world.close();
});

interface Person {
  readonly contactId: string;
  readonly visits: readonly string[];
  /** What a member of the staff has noted in a calendar. */
  readonly note: string;
}

/** Somebody with a card, appointments, a staff member's note and a line in the office's list. */
function meet(): Person {
  const { dashboard } = world.platform;
  const { projectId, anna, boris, haircut, massage } = world.company;
  const contactId = dashboard.createContact({ projectId, name: NAME, phone: PHONE, email: EMAIL });
  const visits = [anna, boris, anna].map((resourceId, nth) => {
    const startsAt = slot(24 + 6 * nth);
    const serviceId = nth === 2 ? massage : haircut;
    const id = dashboard.bookAs('lk', {
      serviceId,
      resourceId,
      startsAt,
      customerName: NAME,
      customerPhone: PHONE,
    });
    dashboard.linkContact(id, contactId);
    return id;
  });
  const note = world.google.staff.calendar.add({
    calendarId: BORIS,
    event: {
      summary: `Ring ${NAME}`,
      description: `8 495 777-88-99 or ${EMAIL}`,
      start: { dateTime: slot(90) },
      end: { dateTime: slot(91) },
    },
  });
  return { contactId, visits, note: String(note['id']) };
}

/** Others are served meanwhile, and what is said of the person comes late and twice. */
async function bustle(person: Person, until: AbortSignal): Promise<void> {
  const { dashboard } = world.platform;
  const { projectId, anna, boris } = world.company;
  for (let round = 0; !until.aborted; round += 1) {
    if (round < GUESTS) {
      const resourceId = round % 2 === 0 ? anna : boris;
      world.book({ hours: 100 + 2 * round, resourceId, name: `Guest ${round}` });
      dashboard.createContact({ projectId, name: `Guest ${round}` });
    }
    dashboard.changeContact(person.contactId, { position: `title ${round}` });
    const [moved] = person.visits;
    if (moved !== undefined) dashboard.reschedule(moved, { startsAt: slot(40 + (round % 100) / 4) });
    await sleep(BREATH_MS);
  }
}

/** Runs `forget` as a process, and kills it after a while unless it is told to let it end. */
async function forget(
  { contactId }: Person,
  killAfterMs?: number,
): Promise<{ code: number | null; stdout: string }> {
  const args = ['forget', 'contact', contactId, '--yes', '--json', '--config', world.writeConfig(port)];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  command = child;
  let stdout = '';
  child.stdout.on('data', (text) => {
    stdout += String(text);
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  if (killAfterMs !== undefined) {
    // From the moment on at which the order stands, so that the kill falls into the work.
    await Promise.race([ended, begun()]);
    await Promise.race([ended, sleep(killAfterMs)]);
    child.kill('SIGKILL');
  }
  return { code: await ended, stdout };
}

async function begun(): Promise<void> {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  while ((await store.erasures.open()).length === 0) await sleep(20);
  store.close();
}

/** Everything in which somebody could look: calendars, sheets, Redis, metrics. */
async function everything(): Promise<readonly string[]> {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const state: string[] = [];
  for await (const { key, text } of store.search.all()) state.push(`${key} ${text}`);
  store.close();
  return [
    ...[ANNA, BORIS, ROOM].flatMap((id) => world.events(id).map((event) => JSON.stringify(event))),
    ...world.google.truth.tabs(BOOK).flatMap((tab) => world.rows(tab).map((row) => JSON.stringify(row))),
    ...state,
    await (await fetch(`${worker.url}/metrics`)).text(),
    JSON.stringify(await world.status(worker.url)),
  ];
}

const logged = () => readFileSync(join(world.dir, 'worker.log'), 'utf8').split('\n').filter(Boolean);

/** When a line was logged; what the engine beneath prints has no time, and counts as late. */
function timeOf(line: string): number {
  if (!line.startsWith('{')) return Number.POSITIVE_INFINITY;
  return Date.parse((JSON.parse(line) as { time: string }).time);
}

test('P1, P2, P3: a person is erased while the worker is busy and both are killed: nobody finds a trace, and others lose nothing', {
  timeout: TEST_MS,
}, async () => {
  worker.start();
  await worker.untilReady();
  const person = meet();
  await world.untilIdle(worker.url);
  const over = new AbortController();
  const others = bustle(person, over.signal);
  await sleep(500);
  for (const killAfterMs of [150, 900]) {
    await forget(person, killAfterMs);
    await worker.kill();
    worker.start();
    await worker.untilReady();
  }
  const { code, stdout } = await forget(person);
  expect(code).toBe(0);
  const receipt = JSON.parse(stdout) as ErasureReceipt;
  expect(receipt.erased.events).toBeGreaterThanOrEqual(3);
  // Late events go on for a while, and so does the company.
  for (let nth = 0; nth < LATE_GUESTS; nth += 1) world.book({ hours: 300 + nth, name: 'Late guest' });
  await sleep(2_000);
  over.abort();
  await others;
  await world.untilIdle(worker.url, 90_000);

  const secrets = [NAME, 'Kholmogorova', PHONE, '777-88-99', EMAIL, person.contactId];
  const ids = person.visits.flatMap((id) => [id, id.replaceAll('-', '')]);
  const has = (text: string) => [...secrets, ...ids].some((secret) => text.includes(secret));
  expect((await everything()).filter(has)).toEqual([]);
  const lines = logged();
  expect(
    lines.filter((line) =>
      [NAME, 'Kholmogorova', PHONE, '777-88-99', EMAIL].some((each) => line.includes(each)),
    ),
  ).toEqual([]);
  // Ids stand in lines from before: the worker cannot rewrite its log.
  const since = lines.filter((line) => timeOf(line) > Date.parse(receipt.verified));
  expect(since.length).toBeGreaterThanOrEqual(LATE_GUESTS);
  expect(since.filter(has)).toEqual([]);
  expect(stdout).not.toMatch(
    new RegExp([...secrets, ...ids].map((each) => each.replaceAll('+', '\\+')).join('|')),
  );

  // The platform shows the person still, an emptied row stays where it was, and the note is no mirror's.
  const expected = /^(?:Visits|Contacts): {2}should not be there$/;
  const strange = differences(world).filter((difference) => !has(difference) && !expected.test(difference));
  expect(strange).toEqual([`${BORIS}: ${person.note} should not be there`]);
  expect(world.events(BORIS).find(({ id }) => id === person.note)?.['summary']).toBe('Ring …');
  for (const id of person.visits) expect(world.platform.truth.appointment(id)?.status).toBe('confirmed');
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
});
