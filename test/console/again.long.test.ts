import { beforeEach, expect, test } from 'vitest';
import { atLength } from '../stand/runs.ts';
import { formFields, VERA } from './objects.ts';
import { type Browser, type ConsoleStand, HOUR_MS, useConsole } from './stand.ts';

const openConsole = useConsole();

let stand: ConsoleStand;
let browser: Browser;
beforeEach(async () => {
  stand = await openConsole();
  // The journal goes by the clock of Redis.
  stand.clock.advance(Date.now() - stand.clock.now());
  browser = await stand.signIn('ops', 'boris');
});

/** So many appointments that were heard of just now, and that are mirrored by now. */
async function heard(count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, at) => `appointment-${String(at).padStart(4, '0')}`);
  for (const id of ids) {
    const key = { kind: 'appointment', id } as const;
    const event = { eventId: `event-${id}`, eventType: 'appointment.updated' };
    const seen = { as: 'snapshot', snapshot: { ...VERA, id } } as const;
    await stand.store.intake.observe({
      key,
      source: 'webhook',
      occurredAtMs: stand.clock.now(),
      seen,
      ...event,
    });
    const claim = await stand.store.work.claim(key);
    if (claim !== undefined) await stand.store.work.settle(claim);
  }
  stand.clock.advance(Math.max(0, Date.now() - stand.clock.now()) + 1_000);
  return ids.map((id) => `appointment/${id}`);
}

async function count(query = 'span=1h&type='): Promise<Record<string, string>> {
  const page = await browser.get(`/console/again/replay?${query}`);
  expect(page.status).toBe(200);
  return formFields(page.text);
}

const replay = (fields: Record<string, string>, by = browser) =>
  by.post('/console/again/replay', { why: 'mended', ...fields });

/** What the worker does once a second. */
async function advance(): Promise<void> {
  await stand.store.leases.hold('replay', (lease) => stand.replays.advance(lease));
}

async function workDown(isMeant: (id: string) => boolean = () => true): Promise<void> {
  for (const name of await stand.store.work.due(Number.MAX_SAFE_INTEGER, 1_000)) {
    const [, id = ''] = name.split('/');
    if (!isMeant(id)) continue;
    const claim = await stand.store.work.claim({ kind: 'appointment', id });
    if (claim !== undefined) await stand.store.work.settle(claim);
  }
}

test('a replay says how many, gives 200 at a time a turn behind the live work, and ends in the audit log', async () => {
  const keys = await heard(450);
  const fields = await count();
  expect(fields['count']).toBe('450');
  expect((await replay(fields)).headers['location']).toBe('/console/again?told=started');
  const handed: number[] = [];
  for (let step = 0; step < 5; step += 1) {
    await advance();
    // Nothing more follows while those wait.
    await advance();
    handed.push((await stand.replays.current())?.handed ?? 0);
    await workDown();
  }
  expect(handed).toEqual([200, 400, 450, 450, 450]);
  expect(stand.queued).toEqual(keys);
  const page = (await browser.get('/console/again')).text;
  expect(page).toContain('450 objects checked again.');
  expect(page).toMatch(/<progress max="450" value="450"/);
  expect((await stand.store.acts.newest(1))[0]).toMatchObject({
    ...{ who: 'boris', what: 'replayed', why: 'mended', chosen: 450, done: 450 },
  });
  const lines = stand.log.lines.map(({ fields: told }) => told as Record<string, unknown>);
  expect(
    lines.flatMap(({ what, chosen, done, objects }) =>
      what === 'replayed' ? [{ chosen, done, objects }] : [],
    ),
  ).toEqual([
    { chosen: 450, done: undefined, objects: keys.slice(0, 20) },
    { chosen: 450, done: 450, objects: keys.slice(0, 20) },
  ]);
  expect([...(await stand.store.memory.all('replay-keys '))]).toEqual([]);
});

test('another worker goes on where one was killed; what it had begun is only done again', async () => {
  const keys = await heard(250);
  await replay(await count());
  // The first batch was given its turn, and the process died before it was noted.
  await stand.store.dirtyMarks.markDirty(
    keys.slice(0, 50).map((key) => ({ kind: 'appointment', id: key.slice('appointment/'.length) })),
    { read: true },
  );
  for (let step = 0; step < 4; step += 1) {
    await advance();
    await workDown();
  }
  expect(await stand.replays.current()).toMatchObject({ objects: 250, handed: 250, batch: 2 });
  expect([...stand.queued].sort()).toEqual([...keys].sort());
});

test('objects that wait for a calendar nobody can write to keep no replay from its end', async () => {
  const keys = await heard(350);
  const stuck = keys
    .slice(0, 120)
    .map((key) => ({ kind: 'appointment', id: key.split('/')[1] ?? '' }) as const);
  await stand.store.dirtyMarks.markDirty(stuck, { read: false });
  await replay(await count());
  const handed: number[] = [];
  for (let step = 0; step < 4; step += 1) {
    await advance();
    handed.push((await stand.replays.current())?.handed ?? 0);
    // The others are worked down, these stay.
    await workDown((id) => !stuck.some((key) => key.id === id));
    await advance();
    stand.clock.advance(31_000);
  }
  expect(handed).toEqual([0, 200, 350, 350]);
  expect(await stand.replays.current()).toMatchObject({ handed: 350, endedAtMs: expect.any(Number) });
});

atLength.test('two people who start one at the same moment begin one run', async () => {
  await heard(3);
  const other = await stand.signIn('ops', 'anna');
  const fields = await count();
  const answers = await Promise.all([replay(fields), replay(fields, other)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
  expect(answers.find(({ status }) => status === 409)?.text).toContain('Nothing was started');
  const acts = (await stand.store.acts.newest(9)).filter(({ what }) => what === 'replayed');
  expect(acts).toHaveLength(1);
});

atLength.test('a run can be stopped: what was handed over stays so, and the rest is left', async () => {
  await heard(250);
  await replay(await count());
  await advance();
  expect((await browser.get('/console/again')).text).toContain('/console/again/stop');
  expect((await browser.post('/console/again/stop')).headers['location']).toContain('told=stopped');
  await workDown();
  await advance();
  expect(await stand.replays.current()).toMatchObject({ handed: 200, isStopped: true });
  const acts = await stand.store.acts.newest(2);
  expect(acts.find(({ what }) => what === 'replayed')).toMatchObject({ chosen: 250, done: 200 });
  // Whoever stops it once more changes nothing, and the next one may begin.
  expect((await browser.post('/console/again/stop')).headers['location']).toBe('/console/again');
  expect((await replay(await count())).status).toBe(303);
});

atLength.test('a batch of which every object was forgotten meanwhile does not end the run', async () => {
  await heard(250);
  await replay(await count());
  await stand.store.memory.forget('replay-keys 0');
  for (let step = 0; step < 3; step += 1) await advance();
  expect(stand.queued).toHaveLength(50);
  expect(await stand.replays.current()).toMatchObject({ handed: 50, endedAtMs: expect.any(Number) });
});

atLength.test('an object that nobody knows any more is counted, and stops nothing', async () => {
  const [first = ''] = await heard(2);
  await replay(await count());
  await stand.store.redis.del(stand.store.keys.object(first));
  await advance();
  await advance();
  expect(await stand.replays.current()).toMatchObject({ handed: 1, unknown: 1 });
});

test.each([
  ['a time that is none', 'span=5y&type='],
  ['events that are none', 'span=1h&type=*'],
  ['moments in the wrong order', 'from=9&to=8'],
  ['moments that are none', 'from=x&to=y'],
])('%s: nothing is counted and nothing is started', async (_, query) => {
  const answer = await browser.get(`/console/again/replay?${query}`);
  expect([answer.status, answer.text.includes('Nothing was started')]).toEqual([409, true]);
});

test.each([
  ['no reason', { why: '' }],
  ['fewer than there are', { count: '1' }],
  ['no count', { count: '' }],
])('%s: nothing is started', async (_, wrong) => {
  await heard(2);
  expect((await replay({ ...(await count()), ...wrong })).status).toBe(409);
  expect(await stand.replays.current()).toBeUndefined();
});

test('nothing that was heard of: the page says so', async () => {
  expect((await browser.get('/console/again/replay?span=1h&type=')).text).toContain('Nothing was reported');
});

const LISTS = { list: 'appointment', from: '2026-11-01', to: '2026-11-30', why: 'imported' };

test('a resync is asked for as the command does, and shows how far it is', async () => {
  await heard(4);
  const answer = await browser.post('/console/again/resync', LISTS);
  expect(answer.headers['location']).toBe('/console/again?told=started');
  const [hole] = await stand.store.coverage.holes();
  expect(hole).toMatchObject({
    cause: 'operator',
    request: {
      ...{ kinds: ['appointment'], fromMs: Date.parse('2026-11-01T00:00:00Z') },
      toMs: Date.parse('2026-12-01T00:00:00Z') - 1,
    },
  });
  const { text } = await browser.get('/console/again');
  expect(text).toContain('Reading appointments again');
  expect(text).toContain('begins in a moment');
  expect((await stand.store.acts.newest(1))[0]).toMatchObject({ what: 'resync', why: 'imported' });
});

atLength.test(
  'the same resync asked for by two people at the same moment is one walk, and noted once',
  async () => {
    const other = await stand.signIn('ops', 'anna');
    const answers = await Promise.all([
      browser.post('/console/again/resync', LISTS),
      other.post('/console/again/resync', LISTS),
    ]);
    expect(answers.map(({ headers }) => headers['location']).sort()).toEqual([
      '/console/again?told=known',
      '/console/again?told=started',
    ]);
    expect(await stand.store.coverage.holes()).toHaveLength(1);
    expect((await stand.store.acts.newest(9)).filter(({ what }) => what === 'resync')).toHaveLength(1);
  },
);

test.each([
  ['no list', { list: '' }],
  ['a list that is none', { list: 'leads' }],
  ['a day that is none', { from: '2026-13-45' }],
  ['days in the wrong order', { from: '2026-12-24' }],
  ['no reason', { why: ' ' }],
])('%s: no resync is asked for', async (_, wrong) => {
  expect((await browser.post('/console/again/resync', { ...LISTS, ...wrong })).status).toBe(409);
  expect(await stand.store.coverage.holes()).toEqual([]);
});

test('a viewer sees how far it is, and no form', async () => {
  await heard(2);
  await replay(await count());
  const { text } = await (await stand.signIn('viewer')).get('/console/again');
  expect(text).toContain('2 objects to check again');
  expect(text).not.toMatch(/again\/(?:stop|resync|replay)"/);
});

atLength.test('what ended hours ago is still the last one', async () => {
  await heard(1);
  await replay(await count());
  await advance();
  await workDown();
  await advance();
  stand.clock.advance(5 * HOUR_MS);
  browser = await stand.signIn('ops');
  expect((await browser.get('/console/again')).text).toContain('ended 5 h ago');
});

test('P1: a replay whose process froze at its start does not overwrite the one that another operator started meanwhile', async () => {
  const { store, replays } = stand;
  const act = (who: string) => ({
    ...({ role: 'ops', who, id: who, atMs: 1, what: 'replayed', why: 'mended' } as const),
    about: {},
  });
  const keys = (id: string) => [{ kind: 'appointment', id }] as const;
  const started = await replays.start(keys('of-boris'), async () => {
    // As if the lease had expired meanwhile.
    await store.redis.del(store.keys.lease('replay'));
    expect(await replays.start(keys('of-anna'), async () => act('anna'))).toBe('started');
    return act('boris');
  });
  expect(started).toBe('busy');
  expect(await replays.current()).toMatchObject({ who: 'anna', objects: 1 });
  expect([...(await store.memory.all('replay-keys '))]).toEqual([['0', 'appointment/of-anna']]);
});
