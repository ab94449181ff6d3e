import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ErasureReceipt } from '../../src/engine/erasure.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import { deliverEvent } from '../stand/deliveries.ts';
import { differences } from '../stand/judge.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { openTestStore } from '../stand/store.ts';
import { MAIN, startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, BOOK, BORIS, MIRRORS, ROOM, slot, startWorld, type World } from '../stand/world.ts';

const NAME = 'Zinaida Kholmogorova';
const PHONE = '+74957778899';
const EMAIL = 'zinaida@home.example';
/** Appointments and cards of others, made meanwhile. */
const GUESTS = 40;
const LATE_GUESTS = 12;
const BREATH_MS = 150;
/** Two deaths, and rounds of looks at everything: only to end one that hangs. */
const TEST_MS = 900_000;

const COACH = 'coach@clinic.example';
const CLARA = 'clara@clinic.example';
const TEAM = 'team@clinic.example';
const CALENDARS = [ANNA, BORIS, ROOM, COACH, CLARA, TEAM];
const CARDS = 'cards-book';
const DESK = 'desk-book';
/** In them people change cells. */
const CARRIED = [CARDS, DESK];
const BOOKS = [BOOK, ...CARRIED];
const AT_DESK = { spreadsheetId: DESK, tab: 'Desk' };
const INTAKE = { spreadsheetId: BOOK, tab: 'Intake' };
const INTAKE_HEADERS = ['Service', 'Start', 'Name', 'Phone', 'With', 'Ready', 'ID', 'Status', 'Appointment'];
/** Places and families of Redis in which the person stands before. */
const HELD = [
  ...[
    ANNA,
    BORIS,
    ROOM,
    COACH,
    TEAM,
    'Contacts',
    'Visits',
    'Cards',
    'Desk',
    'Log',
    'Old',
    'Callbacks',
    'Intake',
  ],
  ...['subscriber', 'status', 'object', 'history', 'journal', 'inbox', 'dead', 'quarantine', 'intent'],
  ...['feed', 'rows', 'events-of'],
];
// At half past: a typed midnight is a day without an hour.
const TYPED_START = slot(900.5).slice(0, 16).replace('T', ' ');
const STANDS_WITHIN = { timeout: PATIENCE_MS, interval: 100 };

/** The mapping of the flow tests, and beside it everything else that may hold something about a person. */
const EVERYTHING = `${MIRRORS.replace(
  '        Anna Petrova:',
  `        Coach: ${COACH}\n        Clara: ${CLARA}\n        Anna Petrova:`,
).replace('    event:\n', '    classes: { services: [Yoga], guests: "{{ customer_name }}" }\n    event:\n')}
  team:
    from: appointments
    where: { since: 7d }
    calendars: { by: all, calendar: ${TEAM} }
    event: { title: "{{ customer_name }}", description: "{{ customer_phone }}" }
  cards:
    from: contacts
    sheet: { spreadsheet: ${CARDS}, tab: Cards, check_every: 1s, edited: carry, answers: Answer, region: RU }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}", Email: "{{ email }}", Stage: "{{ lifecycle }}" }
  desk:
    from: appointments
    where: { since: 7d }
    sheet: { spreadsheet: ${DESK}, tab: Desk, check_every: 1s, edited: carry, answers: Answer, cancel: Cancel, timezone: Europe/Moscow }
    columns: { ID: "{{ id }}", Start: { value: "{{ starts_at }}", as: datetime }, Name: "{{ customer_name }}", Phone: "{{ customer_phone }}" }
  log:
    from: appointments
    where: { since: 30d }
    sheet: { spreadsheet: ${BOOK}, tab: Log, check_every: 1s, archive: { after: 2d, tab: Old } }
    columns: { ID: "{{ id }}", Who: "{{ customer_name }}", Phone: "{{ customer_phone }}" }
  callbacks:
    from: leads
    sheet: { spreadsheet: ${BOOK}, tab: Callbacks }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
bookings:
  front-desk:
    from: { spreadsheet: ${BOOK}, tab: Intake, every: 5s, timezone: Europe/Moscow }
    region: RU
    columns: { service: Service, starts_at: Start, name: Name, phone: Phone, resource: With, ready: Ready, id: ID, status: Status, appointment: Appointment }
feeds:
  anna: { resource: Anna Petrova, where: { since: 7d }, event: { title: "{{ customer_name }} {{ customer_phone }}" } }
`;

let world: World;
let port: number;
let worker: Awaited<ReturnType<typeof startWorkerProcess>>;
let command: ChildProcess | undefined;
let coach: string;
let clara: string;
let yoga: string;

beforeEach(async () => {
  world = await startWorld({
    platform: { seed: 7, delivery: { doubleShare: 0.3, delayMs: [0, 600] } },
    mirrors: EVERYTHING,
  });
  const { dashboard } = world.platform;
  const { projectId, branchId, anna, haircut } = world.company;
  coach = dashboard.createResource({ branchId, name: 'Coach', capacity: 6 });
  clara = dashboard.createResource({ branchId, name: 'Clara' });
  yoga = dashboard.createService({
    ...{ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coach, anna] },
  });
  dashboard.changeService(haircut, { resourceIds: [anna, world.company.boris, clara] });
  for (const id of [COACH, CLARA, TEAM]) world.google.addCalendar(id, { shareWith: [defaultAccount] });
  world.google.addSpreadsheet(CARDS, { shareWith: [defaultAccount], tabs: [{ title: 'Cards' }] });
  world.google.addSpreadsheet(DESK, { shareWith: [defaultAccount], tabs: [{ title: 'Desk' }] });
  for (const tab of ['Log', 'Old', 'Callbacks', 'Intake'])
    world.google.staff.sheets.addTab({ spreadsheetId: BOOK, tab, columns: INTAKE_HEADERS.length });
  world.google.staff.sheets.setRow({ ...INTAKE, row: 1, values: INTAKE_HEADERS });
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
  readonly appointments: readonly string[];
  readonly leadId: string;
  /** What a member of the staff has noted in a calendar. */
  readonly note: string;
}

/**
 * Somebody with a card, appointments, a callback, a row at the front desk, a staff member's note and a line in the office's list. Clara's
 * calendar refuses every event.
 */
function meet(): Person {
  const { dashboard } = world.platform;
  const { projectId, anna, boris, haircut, massage } = world.company;
  const contactId = dashboard.createContact({ projectId, name: NAME, phone: PHONE, email: EMAIL });
  const about = { customerName: NAME, customerPhone: PHONE };
  const booked = [
    { serviceId: haircut, resourceId: anna, startsAt: slot(24) },
    { serviceId: haircut, resourceId: boris, startsAt: slot(30) },
    { serviceId: massage, resourceId: anna, startsAt: slot(36) },
    { serviceId: yoga, resourceId: coach, startsAt: slot(26) },
    { serviceId: haircut, resourceId: clara, startsAt: slot(28) },
    { serviceId: haircut, resourceId: anna, startsAt: slot(-100) },
  ];
  const appointments = booked.map((each) => dashboard.bookAs('lk', { ...each, ...about }));
  for (const id of appointments) dashboard.linkContact(id, contactId);
  dashboard.leads.configureCallback(projectId, true);
  const leadId = dashboard.leads.order({ projectId, name: NAME, phone: PHONE });
  world.google.staff.sheets.addRow({
    ...INTAKE,
    values: ['Haircut', `'${slot(80)}`, NAME, '8 495 777-88-99', 'Boris Ivanov', true],
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
  return { contactId, appointments, leadId, note: String(note['id']) };
}

/** As the office does it. */
function typeAtDesk(id: string, column: string, value: string | boolean): void {
  const row = world.google.truth.values(DESK, 'Desk').findIndex(([key]) => key === id) + 1;
  world.google.staff.sheets.typeInto({ ...AT_DESK, row, column, value });
}

/** The office has changed two appointments. The requests are stored and stay open, because the platform fails for them. */
async function leaveWishes(moved: string, cancelled: string): Promise<() => void> {
  const heal = world.platform.faults.add({
    ...{ method: 'POST', path: /\/(reschedule|cancel)$/, fault: { kind: 'status', status: 503 } as const },
  });
  await vi.waitFor(async () => {
    // What is typed under a write is put back: then once more.
    typeAtDesk(moved, 'Start', TYPED_START);
    typeAtDesk(cancelled, 'Cancel', true);
    const places = await state();
    for (const id of [moved, cancelled]) {
      const of = (family: string) =>
        places.flatMap(({ where, text }) => (where === family && text.includes(id) ? [text] : [])).join();
      expect(of('object')).toMatch(/"sent":\[\{/);
      expect(of('intent')).toContain(id);
      expect(of('memory')).toContain(`["appointment/${id}"`);
    }
  }, STANDS_WITHIN);
  return heal;
}

/** Answers to writes over a carried row are lost until the person's hidden copy stands there, then Google is silent: the worker dies with it. */
async function leaveHiddenCopy(book: string): Promise<() => void> {
  const { faults } = world.google;
  const spoil = faults.add({
    ...{ path: new RegExp(`${book}:batchUpdate`), fault: { kind: 'commit-then-reset' } as const },
  });
  const hasCopy = () =>
    sheets([book]).some(({ where, text }) => where.startsWith('slotbridge-before-') && text.includes(PHONE));
  await vi.waitFor(() => expect(hasCopy()).toBe(true), { timeout: PATIENCE_MS, interval: 5 });
  spoil();
  return faults.add({ path: new RegExp(book), fault: { kind: 'hang', ms: TEST_MS } });
}

/** As after a loss of Redis: nobody but an erasure touches such a tab within half an hour. */
async function forgetHiddenCopies(): Promise<void> {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  for (const book of CARRIED) await store.redis.del(store.keys.overWrites(book));
  store.close();
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
    const [moved] = person.appointments;
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

interface Place {
  /** A calendar, a tab, a family of Redis. */
  readonly where: string;
  readonly text: string;
}

/** All cells of all tabs, hidden ones included. */
function sheets(books: readonly string[] = BOOKS): readonly Place[] {
  return books.flatMap((book) =>
    world.google.truth
      .tabs(book)
      .flatMap((tab) =>
        world.google.truth.values(book, tab).map((row) => ({ where: tab, text: JSON.stringify(row) })),
      ),
  );
}

/** Keys of Redis, each with all that is stored under it. */
async function state(): Promise<readonly Place[]> {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const found: Place[] = [];
  for await (const { key, text } of store.search.all())
    found.push({ where: key.split(':')[0] ?? key, text: `${key} ${text}` });
  store.close();
  return found;
}

/** The files of Redis. */
function disk(): string {
  const dir = dirname(world.redis.url.slice('unix://'.length));
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

/** Everything in which somebody could look. */
async function everything(feed: string): Promise<readonly Place[]> {
  const events = CALENDARS.flatMap((where) =>
    world.events(where).map((event) => ({ where, text: JSON.stringify(event) })),
  );
  return [
    ...events,
    ...sheets(),
    ...(await state()),
    { where: 'subscriber', text: await (await fetch(feed)).text() },
    { where: 'metrics', text: await (await fetch(`${worker.url}/metrics`)).text() },
    { where: 'status', text: JSON.stringify(await world.status(worker.url)) },
  ];
}

const logged = () => readFileSync(join(world.dir, 'worker.log'), 'utf8').split('\n').filter(Boolean);

/** When a line was logged; what the engine beneath prints has no time, and counts as late. */
function timeOf(line: string): number {
  if (!line.startsWith('{')) return Number.POSITIVE_INFINITY;
  return Date.parse((JSON.parse(line) as { time: string }).time);
}

test('P1, P2, P3: a person is erased from everywhere while the worker is busy and both are killed: nobody finds a trace, and others lose nothing', {
  timeout: TEST_MS,
}, async () => {
  world.google.faults.add({
    ...{ method: 'POST', path: new RegExp(`${CLARA}/events`) },
    fault: { kind: 'status', status: 400, body: '{"error":{"code":400,"message":"Invalid"}}' },
  });
  worker.start();
  await worker.untilReady();
  const session = await openSession(world.config(port), { now: Date.now });
  const address = (await session.feedLinks.make('anna')) ?? '';
  await session.close();
  const feed = `${worker.url}${new URL(address).pathname}`;
  const person = meet();
  await deliverEvent(world, worker.url, { odd: [person.contactId, NAME, PHONE, EMAIL] });
  const guest = world.book({ hours: 200, name: 'Guest of the office' });
  world.book({ hours: 26, name: 'Guest of the class', resourceId: coach, serviceId: yoga });
  const isBooked = (id: string) => world.platform.truth.appointment(id)?.status === 'confirmed';
  const own = () =>
    world.platform.truth
      .appointments()
      .filter((each) => (each as { customer_name?: string }).customer_name === NAME)
      .map(({ id }) => String(id));
  await vi.waitFor(() => expect(own()).toHaveLength(person.appointments.length + 1), STANDS_WITHIN);
  const appointments = own();
  const secrets = [NAME, 'Kholmogorova', PHONE, '777-88-99', EMAIL, person.contactId, person.leadId];
  const ids = appointments.flatMap((id) => [id, id.replaceAll('-', '')]);
  const has = (text: string) => [...secrets, ...ids].some((secret) => text.includes(secret));
  await vi.waitFor(async () => {
    const places = (await everything(feed)).filter(({ text }) => has(text)).map(({ where }) => where);
    expect([...new Set(places)].sort()).toEqual(expect.arrayContaining(HELD));
    expect(world.events(COACH).map(({ summary }) => summary)).toEqual(['Yoga (2/6)']);
  }, STANDS_WITHIN);

  const over = new AbortController();
  const others = bustle(person, over.signal);
  await sleep(500);
  const [, moved = '', cancelled = ''] = person.appointments;
  const heal = await leaveWishes(moved, cancelled);
  world.platform.dashboard.changeContact(person.contactId, { lifecycle: 'sql' });
  const speakAgain = await Promise.all(CARRIED.map(leaveHiddenCopy));
  for (const killAfterMs of [150, 900]) {
    await forget(person, killAfterMs);
    await worker.kill();
    await forgetHiddenCopies();
    for (const speak of speakAgain) speak();
    worker.start();
    await worker.untilReady();
  }
  const { code, stdout } = await forget(person);
  expect(code).toBe(0);
  const receipt = JSON.parse(stdout) as ErasureReceipt;
  expect(receipt.erased.events).toBeGreaterThanOrEqual(3);
  heal();
  // Late events go on for a while, and so does the company.
  for (let nth = 0; nth < LATE_GUESTS; nth += 1) world.book({ hours: 300 + nth, name: 'Late guest' });
  await sleep(2_000);
  over.abort();
  await others;
  await world.untilIdle(worker.url);

  expect((await everything(feed)).filter(({ text }) => has(text))).toEqual([]);
  for (const book of CARRIED) expect(world.google.truth.tabs(book).join()).toContain('slotbridge-before-');
  await vi.waitFor(() => expect([...secrets, ...ids].filter((each) => disk().includes(each))).toEqual([]), {
    timeout: PATIENCE_MS,
    interval: 500,
  });
  // What Google keeps of deleted events says nothing but their ids.
  const deleted = CALENDARS.flatMap((id) =>
    world.google.truth.deletedIds(id).map((eventId) => JSON.stringify(world.google.truth.event(id, eventId))),
  );
  expect(deleted.length).toBeGreaterThanOrEqual(3);
  const words = [NAME, 'Kholmogorova', PHONE, '777-88-99', EMAIL];
  expect(deleted.filter((text) => words.some((each) => text.includes(each)))).toEqual([]);
  const lines = logged();
  expect(lines.filter((line) => words.some((each) => line.includes(each)))).toEqual([]);
  // Ids stand in lines from before: the worker cannot rewrite its log.
  const since = lines.filter((line) => timeOf(line) > Date.parse(receipt.verified));
  expect(since.length).toBeGreaterThanOrEqual(LATE_GUESTS);
  expect(since.filter(has)).toEqual([]);
  expect([...secrets, ...ids].filter((each) => stdout.includes(each))).toEqual([]);
  expect(receipt.outOfReach.join()).toContain('that read a feed');

  // The platform shows the person still, an emptied row stays where it was, and the note is no mirror's.
  const expected = /^(?:Visits|Contacts): {2}should not be there$/;
  const strange = differences(world).filter((difference) => !has(difference) && !expected.test(difference));
  expect(strange).toEqual([`${BORIS}: ${person.note} should not be there`]);
  expect(world.events(BORIS).find(({ id }) => id === person.note)?.['summary']).toBe('Ring …');
  expect(appointments.filter((id) => !isBooked(id))).toEqual([]);
  expect(world.platform.truth.appointment(moved)?.['starts_at']).toBe(slot(30));
  expect(world.events(COACH).map(({ summary }) => summary)).toEqual(['Yoga (2/6)']);
  // The office goes on in the rows of others.
  await vi.waitFor(() => {
    typeAtDesk(guest, 'Cancel', true);
    expect(world.platform.truth.appointment(guest)?.status).toBe('cancelled');
  }, STANDS_WITHIN);
  expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
});
