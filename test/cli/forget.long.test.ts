import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/program.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, BOOK, slot, startWorld, type World } from '../stand/world.ts';

const NAME = 'Vera Orlova';
const PHONE = '+74950001101';
const EMAIL = 'vera@home.example';

let world: World;
let port: number;
let worker: Awaited<ReturnType<World['startWorker']>>;
let contactId: string;
let appointment: string;
let theirs: string;

beforeEach(async () => {
  world = await startWorld();
  port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
  const { dashboard } = world.platform;
  const { projectId } = world.company;
  contactId = dashboard.createContact({ projectId, name: NAME, phone: PHONE, email: EMAIL });
  dashboard.createContact({ projectId, name: 'Oleg Smirnov', phone: '+74950002202' });
  appointment = world.book();
  dashboard.linkContact(appointment, contactId);
  theirs = world.book({ hours: 30, name: 'Oleg Smirnov' });
  dashboard.linkContact(theirs, dashboard.createContact({ projectId, name: 'Oleg Smirnov', phone: PHONE }));
  await world.untilIdle(worker.url);
});
afterEach(() => world.close());

const forget = (...args: string[]) =>
  runHere(['forget', 'contact', contactId, ...args, '--config', world.writeConfig(port)]);

async function inRedis(): Promise<string> {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const texts: string[] = [];
  for await (const { key, text } of store.search.all()) texts.push(`${key} ${text}`);
  store.close();
  return texts.join('\n');
}

/** One that has tried nothing yet, at the same address. */
async function anotherWorker(): Promise<void> {
  await world.stopWorker(worker);
  worker = await world.startWorker(port);
}

const cells = (tab: string) => JSON.stringify(world.rows(tab));

test('the audit log says that a person was erased, by whom and how many objects, and not whose', async () => {
  expect((await forget('--yes')).code).toBe(0);
  const { stdout } = await runHere(['acts', '--json', '--config', world.writeConfig(port)]);
  const { acts } = JSON.parse(stdout) as { acts: readonly unknown[] };
  expect(acts).toMatchObject([{ what: 'forgotten', role: 'ops', about: {}, chosen: 2, done: 2 }]);
  expect(await inRedis()).not.toContain(contactId);
});

test('a dry run says what would go, in names of places, and erases nothing', async () => {
  const { code, output } = await forget('--dry-run');
  expect(output).toContain(`2 objects of this person: contact/${contactId}, appointment/${appointment}`);
  expect(output).toMatch(
    /To be erased: 1 event, 0 events of people's own redacted, \d+ cells, \d+ keys in Redis\./,
  );
  expect(output).toContain('1 appointment upcoming');
  expect(output).not.toMatch(/Vera|Orlova|495\D{0,2}000|home\.example/);
  expect(code).toBe(0);
  expect(world.events(ANNA)).toHaveLength(2);
});

describe('beside a running worker', () => {
  test('the person is gone from calendar, sheet and Redis, and others stay', async () => {
    world.google.staff.calendar.add({
      calendarId: ANNA,
      event: {
        summary: `Call ${NAME}`,
        description: `8 (495) 000-11-01, ${EMAIL}`,
        start: { dateTime: slot(50) },
        end: { dateTime: slot(51) },
      },
    });
    world.google.staff.sheets.addRow({
      spreadsheetId: BOOK,
      tab: 'Contacts',
      values: ['', 'Orlova Vera', PHONE, 'tea'],
    });
    const { code, output } = await forget('--yes');
    expect(output).toMatch(/Erased, and verified at .*: 1 event, 1 event of people's own redacted, /);
    // The server writes that file anew when it can, which may be hours after the receipt.
    expect(output).toMatch(
      /Not reached: .*data deleted from Redis, until Redis has rewritten its append-only file/,
    );
    expect(code).toBe(0);
    const events = JSON.stringify(world.events(ANNA));
    const found = [events, cells('Contacts'), cells('Visits'), ...(await inRedis()).split('\n')];
    const secrets = [contactId, appointment, 'Vera', 'Orlova', EMAIL];
    expect(found.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
    expect(world.events(ANNA)).toHaveLength(2);
    expect(cells('Contacts')).toContain('tea');
    expect(cells('Visits')).toContain(theirs);
    expect(cells('Visits')).toContain('Oleg Smirnov');
    await world.untilIdle(worker.url);
    expect(world.google.stats()).toMatchObject({ mailsSent: 0, notifyingCalls: 0 });
    expect(world.platform.truth.appointment(appointment)?.status).toBe('confirmed');
    // What was erased is not missing: nobody is sent to bring it back.
    const yaml = ['--config', world.writeConfig(port), '--json'];
    const [audited, planned] = [await runHere(['audit', ...yaml]), await runHere(['plan', ...yaml])];
    const jsonIn = (text: string) => JSON.parse(text.slice(text.indexOf('{')));
    expect(jsonIn(audited.output)).toMatchObject({ differences: [], unjudged: {} });
    expect(jsonIn(planned.output)).toMatchObject({ changes: [] });
    expect([audited.code, planned.code]).toEqual([0, 0]);
  });

  atLength.test('a relative with the same number and surname loses nothing', async () => {
    const { projectId, anna, haircut } = world.company;
    const ivan = world.platform.dashboard.createContact({ projectId, name: 'Ivan Orlova', phone: PHONE });
    const about = { customerName: 'Ivan Orlova', customerPhone: PHONE, resourceId: anna };
    const his = world.platform.dashboard.bookAs('lk', { serviceId: haircut, startsAt: slot(70), ...about });
    const values = ['', 'Ivan Orlova', Number(PHONE), 'coffee'];
    world.google.staff.sheets.addRow({ spreadsheetId: BOOK, tab: 'Contacts', values });
    await world.untilIdle(worker.url);
    const { code } = await forget('--yes');
    expect(code).toBe(0);
    expect(world.rows('Contacts')).toContainEqual(values);
    expect(
      world.rows('Contacts').filter((row) => row.includes(ivan) && row.includes('Ivan Orlova')),
    ).toHaveLength(1);
    expect(cells('Visits')).toContain(his);
    expect(world.events(ANNA)).toHaveLength(2);
    expect(cells('Contacts')).not.toContain('Vera');
    expect(await inRedis()).toContain(ivan);
  });

  atLength.test('what comes late about the person is not written, what is made afterwards is', async () => {
    await forget('--yes');
    world.platform.dashboard.changeContact(contactId, { name: 'Vera Petrova' });
    world.platform.dashboard.reschedule(appointment, { startsAt: slot(40) });
    const next = world.book({ hours: 60 });
    world.platform.dashboard.linkContact(next, contactId);
    await world.untilIdle(worker.url);
    expect(cells('Contacts')).not.toContain('Petrova');
    expect(cells('Visits')).not.toContain(appointment);
    expect(cells('Visits')).toContain(next);
    expect(await inRedis()).not.toContain(appointment);
  });

  atLength.test('a number that a family shares is left, and told', async () => {
    const { output } = await forget('--yes');
    expect(output).toContain('Not changed');
    expect(output).toContain(`spreadsheet ${BOOK}, tab Contacts: row`);
    expect(cells('Contacts')).toContain(PHONE);
  });
});

test('P7: the house contact of blocks is refused, and the answer says what to do', async () => {
  const path = world.writeConfig(port);
  const people = `people: { Anna Petrova: ${ANNA} }`;
  appendFileSync(
    path,
    `\nblocks: { busy: { service: Busy, contact: ${contactId.toUpperCase()}, ${people}, hours: { daily: "09:00-18:00" } } }\n`,
  );
  const { code, output } = await runHere(['forget', 'contact', contactId, '--yes', '--config', path]);
  expect(code).toBe(1);
  expect(output).toContain('contact-of-blocks');
  expect(output).toContain('First remove the entry from `blocks`');
  expect(world.events(ANNA)).toHaveLength(2);
  expect(await inRedis()).toContain(contactId);
});

atLength.test('the receipt names nobody, and stands for whoever asks again', async () => {
  const file = join(world.dir, 'receipt.json');
  const { stdout } = await forget('--yes', '--json', '--receipt', file);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const receipt = JSON.parse(stdout) as { erased: { events: number }; begun: string };
  for (const secret of [contactId, appointment, NAME, PHONE, EMAIL, ANNA, BOOK])
    expect(stdout).not.toContain(secret);
  const again = JSON.parse((await forget('--yes', '--json')).stdout) as typeof receipt;
  expect([again.erased.events, again.begun]).toEqual([receipt.erased.events, receipt.begun]);
});

test('a receipt that cannot be written is told before anything is erased', async () => {
  const { code, stdout, stderr } = await forget(
    '--yes',
    '--receipt',
    join(world.dir, 'none', 'receipt.json'),
  );
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('cannot be written (ENOENT): nothing was erased (receipt-unwritable)');
  expect(world.events(ANNA)).toHaveLength(2);
  expect(await inRedis()).toContain(contactId);
});

test('whose receipt can no longer be written is told that the person is erased, with the receipt', async () => {
  const folder = join(world.dir, 'proofs');
  mkdirSync(folder);
  const onStrike = () => rmSync(folder, { recursive: true });
  world.google.faults.add({ method: 'DELETE', times: 1, onStrike, fault: { kind: 'delay', ms: 0 } });
  const { code, stdout, stderr } = await forget('--yes', '--receipt', join(folder, 'receipt.json'));
  expect([code, stdout]).toEqual([1, expect.stringContaining('Erased, and verified at')]);
  expect(stderr).toContain('cannot be written (ENOENT): the person is erased');
  const receipt = JSON.parse(stderr.slice(stderr.indexOf('{'), stderr.lastIndexOf('}') + 1)) as unknown;
  expect(receipt).toMatchObject({ version: 1, recognisedBy: ['id', 'phone', 'email', 'name'] });
  const { acts } = JSON.parse(
    (await runHere(['acts', '--json', '--config', world.writeConfig(port)])).stdout,
  );
  expect(acts).toMatchObject([{ what: 'forgotten', done: 2 }]);
});

test('what the person booked while somebody thought about the plan is erased, too (P1)', async () => {
  const session = await openSession(world.config(port), { now: Date.now });
  try {
    const plan = await session.planForget(contactId);
    const late = world.book({ hours: 50 });
    world.platform.dashboard.linkContact(late, contactId);
    await world.untilIdle(worker.url);
    expect(world.events(ANNA)).toHaveLength(3);
    const outcome = await session.runForget(plan);
    expect(outcome.state).toBe('erased');
    expect(world.events(ANNA)).toHaveLength(1);
    expect(cells('Visits')).not.toContain(NAME);
    expect(await inRedis()).not.toContain(late);
  } finally {
    await session.close();
  }
});

test('P1: what the person booked before the order is erased, and what they book after it stays, if the platform is away just then and a worker goes on', async () => {
  const session = await openSession(world.config(port), { now: Date.now });
  let late = '';
  try {
    const plan = await session.planForget(contactId);
    late = world.book({ hours: 50 });
    world.platform.dashboard.linkContact(late, contactId);
    await world.untilIdle(worker.url);
    const heal = world.platform.faults.add({ path: /appointments/, fault: { kind: 'status', status: 503 } });
    expect(await session.runForget(plan)).toMatchObject({
      state: 'unfinished',
      unread: [{ place: 'platform' }],
    });
    heal();
  } finally {
    await session.close();
  }
  // A worker of another version may go on with what is stored.
  expect(await inRedis()).toMatch(/forgetting.*"isEarly":true/);
  const anew = world.book({ hours: 70, name: NAME });
  world.platform.dashboard.linkContact(anew, contactId);
  await anotherWorker();
  await expect.poll(inRedis, { timeout: PATIENCE_MS }).not.toMatch(new RegExp(`${late}|^[^\\n]*forgetting`));
  await world.untilIdle(worker.url);
  const events = JSON.stringify(world.events(ANNA));
  expect([late, appointment, anew].map((each) => events.includes(each))).toEqual([false, false, true]);
  expect(cells('Visits')).not.toContain(late);
});

test('P1: what the person books after the order is new, and stays when a worker goes on with the order days later', async () => {
  const heal = world.google.faults.add({ path: /spreadsheets/, fault: { kind: 'status', status: 503 } });
  expect((await forget('--yes')).output).toContain('NOT FINISHED');
  const anew = world.book({ hours: 70, name: NAME });
  world.platform.dashboard.linkContact(anew, contactId);
  await expect.poll(() => world.events(ANNA).length, { timeout: PATIENCE_MS }).toBe(2);
  heal();
  await anotherWorker();
  await expect.poll(inRedis, { timeout: PATIENCE_MS }).not.toMatch(/^[^\n]*forgetting/);
  await world.untilIdle(worker.url);
  expect(JSON.stringify(world.events(ANNA))).toContain(anew);
});

atLength.test(
  'a calendar that cannot be reached keeps the order open, and the worker ends it later',
  async () => {
    world.google.revokeAccess(ANNA);
    const { code, output } = await forget('--yes');
    expect(output).toContain('NOT FINISHED');
    expect(output).toContain(`NOT READ: calendar ${ANNA} (calendar-not-shared)`);
    expect(code).toBe(1);
    expect(await inRedis()).toContain('forgetting');
  },
);

describe('asks before it writes', () => {
  const answering = async (answer: string) => {
    let output = '';
    const sink = { write: (text: string) => (output += text) };
    const argv = ['forget', 'contact', contactId, '--config', world.writeConfig(port)];
    const stdin = Readable.from([`${answer}\n`]);
    const code = await runProgram([process.execPath, 'slotbridge', ...argv], {
      stdout: sink,
      stderr: sink,
      env: {},
      stdin,
    });
    return { code, output };
  };

  test('a bare Enter erases nothing', async () => {
    const { output } = await answering('');
    expect(output).toContain('Nothing was erased.');
    expect(world.events(ANNA)).toHaveLength(2);
  });

  atLength.test('yes does', async () => {
    const { output } = await answering('y');
    expect(output).toContain('Erased, and verified');
    expect(world.events(ANNA)).toHaveLength(1);
  });

  atLength.test.each([
    [['--json'], 'yes-missing'],
    [[], 'contact-unclear'],
  ])('%j is refused as %s', async (args, reason) => {
    const id = reason === 'contact-unclear' ? PHONE : contactId;
    const { code, stderr } = await runHere([
      'forget',
      'contact',
      id,
      ...args,
      '--config',
      world.writeConfig(port),
    ]);
    expect(stderr).toContain(reason);
    expect(code).toBe(2);
  });
});
