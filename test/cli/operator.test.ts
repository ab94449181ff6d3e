import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parkedRow } from '../../src/engine/edit-guard.ts';
import type { Act } from '../../src/engine/role.ts';
import type { Explanation } from '../../src/operate/explain.ts';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { KeptLog } from '../doubles/listener.ts';
import { runHere } from '../stand/command.ts';
import { atLength } from '../stand/runs.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

const log = new KeptLog();
let world: World;
let worker: RunningWorker;
let config: string;

beforeAll(async () => {
  world = await startWorld({ log });
  const port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
  config = world.writeConfig(port);
});
afterAll(() => world.close());

async function slotbridge(...args: string[]) {
  return runHere([...args, '--config', config]);
}

async function explained(...args: string[]): Promise<Explanation> {
  const { stdout } = await slotbridge('explain', ...args, '--json');
  return JSON.parse(stdout) as Explanation;
}

test('explain tells of an appointment what came, which rule takes it, what was written where, and that nothing is pending', async () => {
  const id = world.book();
  await world.untilIdle(worker.url);
  const { code, stdout } = await slotbridge('explain', 'appointment', id);
  expect(code).toBe(0);
  expect(stdout).toContain('up to date');
  expect(stdout).toMatch(/staff-calendars +takes it: .*\(mirrors\.staff-calendars\.calendars\.map\)/);
  expect(stdout).toContain(`event sb${id.replaceAll('-', '')} in ${ANNA}`);
  expect(stdout).toMatch(/row in tab Visits/);
  expect(stdout).toMatch(/received by \w+ appointment\.created/);
  expect(stdout).toMatch(/mirrored, revision \d+: .*staff-calendars created/);
  expect(stdout).not.toContain('Vera Orlova');
  expect(stdout).not.toContain('+7495');
});

atLength.test('explain judges by a condition of the mapping as the file has it now', async () => {
  const id = world.book({ hours: 50 });
  await world.untilIdle(worker.url);
  const withCondition = (condition: string) =>
    readFileSync(config, 'utf8').replace('where: { since: 7d }', `where: { since: 7d, if: '${condition}' }`);
  const told = async (condition: string) => {
    const file = join(mkdtempSync(join(tmpdir(), 'slotbridge-test-')), 'slotbridge.yaml');
    writeFileSync(file, withCondition(condition));
    const { stdout } = await runHere(['explain', id, '--json', '--config', file]);
    const { mirrors } = JSON.parse(stdout) as Explanation;
    return mirrors.find(({ mirror }) => mirror === 'staff-calendars');
  };
  expect(await told('guests_count > 0')).toMatchObject({ taken: true });
  expect(await told('guests_count > 9')).toMatchObject({
    taken: false,
    rule: 'mirrors.staff-calendars.where.if',
  });
});

atLength.test(
  'explain finds an object by its calendar event, by the event of the platform, by the key of its row, or by its id alone',
  async () => {
    const id = world.book({ hours: 25 });
    await world.untilIdle(worker.url);
    const key = `appointment/${id}`;
    const told = await explained('event', `sb${id.replaceAll('-', '')}`);
    expect(told.key).toBe(key);
    const [seen] = told.history.filter((entry) => entry.what === 'seen' && entry.eventId !== undefined);
    if (seen?.what !== 'seen' || seen.eventId === undefined) throw new Error('no event was received');
    expect((await explained('event', seen.eventId)).key).toBe(key);
    expect((await explained('row', id)).key).toBe(key);
    expect((await explained(id)).key).toBe(key);
  },
);

test('explain names the line of the YAML that keeps an object out', async () => {
  const id = world.book({ hours: 26 });
  await world.untilIdle(worker.url);
  world.platform.dashboard.cancel(id);
  await world.untilIdle(worker.url);
  const told = await explained('appointment', id);
  expect(told.mirrors.find((each) => each.mirror === 'staff-calendars')).toMatchObject({
    taken: false,
    rule: 'mirrors.staff-calendars.event.cancelled',
    events: [],
  });
});

atLength.test('what nobody has heard of is said to be so, with the way to have it looked at', async () => {
  const { code, stdout } = await slotbridge('explain', 'contact', '00000000-0000-4000-8000-000000000001');
  expect(code).toBe(0);
  expect(stdout).toContain('unknown to the worker');
  expect(stdout).toContain('slotbridge replay --object contact/00000000-0000-4000-8000-000000000001');
  const unknown = await slotbridge('explain', 'nonsense');
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain('object-unknown');
});

/** A dead letter as a handler would leave it: the object's revision is given up. */
async function deadLetter(id: string, code: string): Promise<void> {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const key = { kind: 'appointment', id } as const;
  await store.dirtyMarks.markDirty([key], { read: false });
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('the appointment is not known');
  const reasons = [{ mirror: 'staff-calendars', code, message: 'a test says so', advice: 'Mend the test.' }];
  await store.work.deadLetter(claim, { key: `appointment/${id}`, atMs: Date.now(), attempts: 40, reasons });
  store.close();
}

test('dead letters are told by cause, shown whole, retried by code, and the retried object is mirrored', async () => {
  const id = world.book({ hours: 30 });
  await world.untilIdle(worker.url);
  await deadLetter(id, 'made-up-cause');
  const told = await slotbridge('deadletters');
  expect(told.stdout).toContain('1 dead letter, by cause');
  expect(told.stdout).toContain('made-up-cause  1 letter, mirror staff-calendars');
  expect(told.stdout).toContain('-> Mend the test.');
  expect((await slotbridge('deadletters', 'show', id)).stdout).toContain(`explain appointment ${id}`);
  const unchosen = await slotbridge('deadletters', 'retry');
  expect(unchosen.code).toBe(2);
  expect(unchosen.stderr).toContain('nothing-chosen');
  const another = await slotbridge('deadletters', 'retry', '--code', 'another');
  expect(another.code).toBe(1);
  expect(another.stderr).toContain('no-such-letter');
  const retried = await slotbridge('deadletters', 'retry', '--code', 'made-up-cause', '--json');
  expect(JSON.parse(retried.stdout)).toEqual({ retried: [`appointment/${id}`] });
  await world.untilIdle(worker.url);
  expect((await slotbridge('deadletters')).stdout).toContain('No dead letters.');
  const { history, revision } = await explained('appointment', id);
  expect(history).toContainEqual(expect.objectContaining({ what: 'acted', by: 'operator', code: 'retried' }));
  expect(revision.wanted).toBe(revision.mirrored);
});

atLength.test('a discarded letter is gone, and the word why stands in the history', async () => {
  const id = world.book({ hours: 31 });
  await world.untilIdle(worker.url);
  await deadLetter(id, 'made-up-cause');
  expect((await slotbridge('deadletters', 'discard', `appointment/${id}`)).code).toBe(2);
  const { stdout } = await slotbridge('deadletters', 'discard', `appointment/${id}`, '--why', 'a trial');
  expect(stdout).toContain('1 discarded');
  const { history } = await explained('appointment', id);
  expect(history.at(-1)).toMatchObject({ code: 'discarded', ids: { why: 'a trial' } });
});

test('replay looks at objects as they are now: a dry run counts first, and an old event brings nothing old back (P3)', async () => {
  const id = world.book({ hours: 40 });
  await world.untilIdle(worker.url);
  const [created] = (await explained('appointment', id)).history;
  if (created?.what !== 'seen' || created.eventId === undefined) throw new Error('no event was received');
  world.platform.dashboard.markAppointment(id, 'arrived');
  await world.untilIdle(worker.url);
  const writes = () => world.google.truth.events(ANNA).map((event) => event.etag);
  const before = writes();
  const dry = await slotbridge('replay', '--event', created.eventId, '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toMatchObject({ objects: 1, changes: { nothing: 1 } });
  const done = await slotbridge('replay', '--event', created.eventId, '--json');
  expect(JSON.parse(done.stdout)).toMatchObject({ objects: 1, kinds: { appointment: 1 }, unknown: [] });
  await world.untilIdle(worker.url);
  expect(writes()).toEqual(before);
});

atLength.test(
  'replay finds the objects of a time and a type in the journal, and says what it does not know',
  async () => {
    const dry = await slotbridge('replay', '--from', '1h', '--type', 'appointment.*', '--dry-run', '--json');
    const counted = JSON.parse(dry.stdout) as { objects: number; kinds: Record<string, number> };
    expect(counted.objects).toBeGreaterThanOrEqual(5);
    expect(counted.kinds).toEqual({ appointment: counted.objects });
    const none = await slotbridge('replay', '--from', '1h', '--type', 'lead.created', '--dry-run', '--json');
    expect(JSON.parse(none.stdout)).toMatchObject({ objects: 0 });
    const stranger = 'contact/00000000-0000-4000-8000-000000000009';
    const unknown = await slotbridge('replay', '--object', stranger, '--json');
    expect(JSON.parse(unknown.stdout)).toMatchObject({ objects: 0, unknown: [stranger] });
    expect((await slotbridge('replay')).stderr).toContain('nothing-chosen');
    expect((await slotbridge('replay', '--from', 'yesterday')).stderr).toContain('time-unreadable');
  },
);

test('retry refuses two selections at once, and after an approval the advice names only the letters of its cause', async () => {
  const [id, other] = [world.book({ hours: 70 }), world.book({ hours: 71 })];
  await world.untilIdle(worker.url);
  await deadLetter(id, 'mail-storm');
  await deadLetter(other, 'another-cause');
  for (const args of [
    ['--all', '--code', 'mail-storm'],
    [other, '--code', 'mail-storm'],
    [other, '--all'],
  ]) {
    const { code, stdout, stderr } = await slotbridge('deadletters', 'retry', ...args);
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
    expect(stderr).toContain('(nothing-chosen)');
  }
  expect((await slotbridge('deadletters')).stdout).toContain('2 dead letters, by cause');
  const mails = await slotbridge('approve', 'mails');
  expect(mails.stdout).toContain('slotbridge deadletters retry --code mail-storm');
  const deletions = await slotbridge('approve', 'deletions', ANNA);
  expect(deletions.stdout).toContain('slotbridge deadletters retry --code mass-deletion');
  const { stdout } = await slotbridge('deadletters', 'retry', '--code', 'mail-storm', '--json');
  expect(JSON.parse(stdout)).toEqual({ retried: [`appointment/${id}`] });
});

test('what people typed in bulk is approved or declined as it waits; check and plan name the bound', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'slotbridge-test-')), 'slotbridge.yaml');
  const carried = ', edited: carry, answers: Answer, edits_per_hour: 7 }';
  const yaml = readFileSync(config, 'utf8').replace('tab: Contacts }', `tab: Contacts${carried}`);
  // Keys of their own: the running worker would take up what is approved.
  writeFileSync(file, yaml.replace('redis: { ', 'redis: { prefix: apart, '));
  const run = (...args: string[]) => runHere([...args, '--config', file]);
  const bound = 'contacts: 7 rows edited an hour, further ones wait for approval';
  for (const command of ['check', 'plan']) expect((await run(command)).stdout, command).toContain(bound);
  const store = openTestStore(world.redis.url, { prefix: 'apart' });
  await store.ready();
  const park = (key: string) =>
    store.memory.set(
      parkedRow({ kind: 'edits', place: 'contacts', key }),
      JSON.stringify({ atMs: Date.now(), of: key }),
    );
  const verdictOf = async (key: string) =>
    JSON.parse((await store.memory.get(parkedRow({ kind: 'edits', place: 'contacts', key }))) ?? '{}')
      .verdict;
  await park('contact/a');
  const approved = await run('approve', 'edits', 'contacts', '--json');
  expect(JSON.parse(approved.stdout)).toMatchObject({ members: ['contact/a'] });
  await park('contact/b');
  const declined = await run('decline', 'edits', 'contacts');
  expect(declined.stdout).toContain('contact/b');
  expect([await verdictOf('contact/a'), await verdictOf('contact/b')]).toEqual(['approved', 'declined']);
  for (const act of ['approve', 'decline'])
    expect((await run(act, 'bookings', 'nowhere')).stderr).toContain('(place-unknown)');
  await store.memory.forget(parkedRow({ kind: 'edits', place: 'contacts', key: 'contact/a' }));
  await store.memory.forget(parkedRow({ kind: 'edits', place: 'contacts', key: 'contact/b' }));
  store.close();
});

test('an act by a command is an entry of the audit log, and a line of the log of a worker without a name', async () => {
  const [id, given] = [world.book({ hours: 80 }), world.book({ hours: 81 })];
  await world.untilIdle(worker.url);
  const keys = [`appointment/${id}`, `appointment/${given}`];
  const as = (...args: string[]) => runHere([...args, '--config', config], { env: { USER: 'vera.orlova' } });
  await deadLetter(id, 'one-cause');
  await deadLetter(given, 'another-cause');
  await as('deadletters', 'retry', '--code', 'one-cause');
  await as('deadletters', 'discard', given, '--why', 'Vera Orlova called');
  await as('replay', '--object', keys[0] ?? '', '--object', keys[1] ?? '');
  await as('resync', 'contacts', '--force');
  await as('approve', 'deletions', ANNA);
  const { stdout } = await slotbridge('acts', '--limit', '5', '--json');
  const { acts } = JSON.parse(stdout) as { acts: readonly Act[] };
  const about = { role: 'ops', who: 'vera.orlova' };
  expect(acts.toReversed()).toMatchObject([
    { ...about, what: 'letters-retried', about: { objects: keys[0] }, chosen: 1, done: 1 },
    { ...about, what: 'letters-discarded', about: { objects: keys[1] }, why: 'Vera Orlova called', done: 1 },
    { ...about, what: 'replayed', about: { objects: keys.join(', ') }, chosen: 2, done: 2 },
    { ...about, what: 'resync', about: { lists: 'contacts', force: 'yes' } },
    { ...about, what: 'approved', about: { approval: `approved-deletions:${ANNA}` } },
  ]);
  const ids = new Set(acts.map((act) => act.id));
  const lines = () =>
    log.lines.filter(
      ({ fields, message }) =>
        message === 'act by a command' && ids.has((fields as { readonly act: string }).act),
    );
  await expect.poll(lines).toHaveLength(9);
  expect(lines().map(({ fields }) => fields)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ what: 'letters-retried', role: 'ops', objects: [keys[0]], done: 1 }),
      expect.objectContaining({ what: 'letters-discarded', objects: [keys[1]], done: 1 }),
      expect.objectContaining({ what: 'replayed', objects: keys, chosen: 2, done: 2 }),
      expect.objectContaining({ what: 'approved', who: expect.stringMatching(/^[0-9a-f]{6}$/) }),
    ]),
  );
  expect(JSON.stringify(lines())).not.toMatch(/orlova/i);
});
