import { beforeEach, expect, test } from 'vitest';
import type { ComparisonSession, ComparisonWaiting } from '../../src/console/comparison.ts';
import { RetryableError } from '../../src/engine/errors.ts';
import type { Difference } from '../../src/engine/finding.ts';
import { type Browser, type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
const DIFFERENCE: Difference = {
  ...{ what: 'missing', why: 'failed-write', key: 'appointment/1', mirror: 'staff' },
  place: 'calendar:anna.petrova@clinic.example',
};
const SUMMARY = {
  ...{ objects: 7, standing: 5, standingIn: new Map(), unjudged: new Map() },
  unread: new Map([['calendar:boris@clinic.example', 'calendar-not-shared']]),
};

interface Gate {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

function newGate(): Gate {
  let resolve = (): void => undefined;
  let reject = (_: Error): void => undefined;
  const promise = new Promise<void>((done, fail) => {
    resolve = done;
    reject = fail;
  });
  return { promise, resolve: () => resolve(), reject: (error) => reject(error) };
}

let waiting: ComparisonWaiting | undefined;
let gate: Gate;
let closed: number;
let found: readonly Difference[];
let stand: ConsoleStand;
let browser: Browser;

const session: ComparisonSession = {
  auditCost: async () => ({ platform: 700, minutes: 15 }),
  async audit({ tell, progress }) {
    progress({ reading: 'appointments', objects: 3 });
    waiting?.onWait({ whose: 'platform', ms: 31_000 });
    await gate.promise;
    for (const each of found) tell(each);
    return SUMMARY;
  },
  async close() {
    closed += 1;
  },
};

beforeEach(async () => {
  gate = newGate();
  closed = 0;
  found = [DIFFERENCE];
  stand = await openConsole({
    parts: () => ({
      openAudit: async (given) => {
        waiting = given;
        return session;
      },
    }),
  });
  browser = await stand.signIn('ops', 'boris');
});

const start = (by = browser) => by.post('/console/compare', { why: 'after the weekend' });

/** The page, once it says so. */
async function until(pattern: RegExp, by = browser): Promise<string> {
  for (;;) {
    const { text } = await by.get('/console/compare');
    if (pattern.test(text)) return text;
    await new Promise((done) => setTimeout(done, 20));
  }
}

test('nothing was compared yet: the page says so and offers to', async () => {
  expect((await browser.get('/console/compare')).text).toContain('Nothing has been compared');
});

test('a comparison goes on without its page, and shows what it found, once it has ended', async () => {
  expect((await start()).headers['location']).toBe('/console/compare');
  const running = await until(/3 objects compared/);
  expect(running).toContain('<progress');
  expect(running).toContain('About 700 requests to the platform, at least 15 min');
  expect(running).toMatch(/Waits 3[01] s for the platform’s limit/);
  gate.resolve();
  const text = await until(/1 difference</);
  expect(text).toContain('appointment/1');
  expect(text).toContain('calendar boris@clinic.example could not be read');
  expect(text).toContain('not shared (calendar-not-shared)');
  expect(closed).toBe(1);
  expect((await stand.store.acts.newest(1))[0]).toMatchObject({ what: 'compared', why: 'after the weekend' });
});

test('whoever starts one while another goes on looks at that one', async () => {
  await start();
  await start(await stand.signIn('ops', 'anna'));
  expect(await until(/3 objects compared/)).toContain('boris');
  gate.resolve();
  await until(/1 difference</);
  expect((await stand.store.acts.newest(9)).filter(({ what }) => what === 'compared')).toHaveLength(1);
  expect(closed).toBe(1);
});

test('one that fails says why, closes its session, and can be started again', async () => {
  gate.reject(new RetryableError('platform-unavailable', 'away'));
  gate.promise.catch(() => undefined);
  await start();
  await until(/platform-unavailable/);
  expect(closed).toBe(1);
  gate = newGate();
  gate.resolve();
  await start();
  await until(/1 difference</);
});

test('another worker that compares is not disturbed', async () => {
  await stand.store.leases.hold('audit', async () => {
    await start();
    expect(await until(/Another worker is comparing/)).not.toContain('1 difference');
  });
  expect((await stand.store.acts.newest(9)).map(({ what }) => what)).not.toContain('compared');
});

test('without a reason nothing is compared', async () => {
  expect((await browser.post('/console/compare', { why: '' })).status).toBe(409);
  expect((await browser.get('/console/compare')).text).toContain('Nothing has been compared');
});

test('the table can be taken along, without a formula in it', async () => {
  found = [DIFFERENCE, { ...DIFFERENCE, key: 'appointment/2', place: '=HYPERLINK("http://evil.example")' }];
  await start();
  gate.resolve();
  await until(/2 differences</);
  const file = await browser.get('/console/compare.csv');
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(file.headers['content-disposition']).toBe('attachment; filename="differences.csv"');
  expect(file.text.split('\r\n')).toEqual([
    'what,why,object,mirror,place,name',
    'missing,failed-write,appointment/1,staff,calendar:anna.petrova@clinic.example,',
    `missing,failed-write,appointment/2,staff,"'=HYPERLINK(""http://evil.example"")",`,
    '',
  ]);
});

test('a viewer sees differences by ids, and no address of a person, also in the file', async () => {
  await start();
  gate.resolve();
  await until(/1 difference</);
  const viewer = await stand.signIn('viewer');
  for (const path of ['/console/compare', '/console/compare.csv']) {
    const { text } = await viewer.get(path);
    expect(text).toContain('appointment/1');
    expect(text).not.toMatch(/anna\.petrova|boris@/);
  }
});

test('a worker that ends closes the session of what goes on', async () => {
  await start();
  await until(/3 objects compared/);
  await stand.close();
  expect(closed).toBe(1);
  gate.resolve();
});

test('the audit log can be taken along as well, without a formula in it', async () => {
  const act = { id: 'x', atMs: stand.clock.now(), role: 'ops', who: '@boris', what: 'compared' } as const;
  await stand.store.acts.note({ ...act, why: '\t=1+1', about: { code: 'a,b' }, chosen: 2 });
  const { text } = await browser.get('/console/acts.csv');
  expect(text).toContain(`'@boris,ops,compared,'\t=1+1,"code=a,b",2,`);
});

test('a viewer does not read who has started it; the desk does', async () => {
  gate.resolve();
  await start();
  const seen = await until(/1 difference/, await stand.signIn('desk'));
  expect(seen).toContain('boris,');
  // The calendar of somebody of that name is masked as an address.
  expect(await until(/1 difference/, await stand.signIn('viewer'))).not.toContain('boris,');
});
