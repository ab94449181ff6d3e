import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { addGoogle } from '../../src/cli/google.ts';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { openCalendarAccess } from '../../src/operate/live-check/live-check.ts';
import { openConsentRemoval, openConsentSession } from '../../src/worker/google-consent.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

const ANNA = 'anna@clinic.example';
const NEW = 'new@clinic.example';
const BRANCH = 'branch@two.iam.gserviceaccount.com';

const KEY = randomBytes(32).toString('base64');

let google: GoogleSandbox;
let folder: string;
let yaml: string;
beforeEach(async () => {
  google = await GoogleSandbox.start();
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-invite-'));
  const key = (name: string, email: string) => {
    writeFileSync(join(folder, name), JSON.stringify(google.serviceAccountKey(email)));
    return join(folder, name);
  };
  yaml = join(folder, 'slotbridge.yaml');
  writeFileSync(
    yaml,
    `platform: { base_url: "https://api.example.com/v1", api_key: k }
google:
  credentials: ${key('office.json', defaultAccount)}
  accounts: { branch: { credentials: ${key('branch.json', BRANCH)} } }
  calendar_root_url: ${google.url}/
  sheets_root_url: ${google.url}/
  token_url: ${google.tokenUrl}
mirrors:
  staff:
    from: appointments
    calendars: { map: { Anna: Anna@clinic.example, Boris: { id: boris@clinic.example, account: branch } } }
    event: { title: "{{ service_name }}" }
`,
  );
});
afterEach(async () => {
  await google.close();
  rmSync(folder, { recursive: true, force: true });
});

const invite = (args: readonly string[], patience?: { everyMs: number; forMs: number }) =>
  run('invite', args, patience);
const forget = (args: readonly string[]) => run('forget', args);

function run(command: string, args: readonly string[], patience = { everyMs: 20, forMs: 20_000 }) {
  const printed: string[] = [];
  const sink = { write: (text: string) => printed.push(text) };
  const program = new Command('slotbridge').exitOverride().configureOutput({ writeErr: () => {} });
  const unasked = () => Promise.reject(new Error('not asked for'));
  addGoogle(program, {
    io: { stdout: sink, stderr: sink, env: {} },
    wiring: { beginLogin: unasked, assertCredentialFileIsFree: unasked },
    invite: {
      clock: { now: Date.now },
      checks: async () => ({ checkTemplate, compileCondition }),
      openAccess: async (config, about) => openCalendarAccess(config, about, { now: Date.now }),
      openConsents: async (config) => openConsentSession(config, { now: Date.now }),
      openRemoval: async (config) => openConsentRemoval(config, { now: Date.now }),
      patience,
    },
  });
  const ended = program.parseAsync(['google', command, ...args, '--config', yaml], { from: 'user' });
  ended.catch(() => undefined);
  return { ended, text: () => printed.join('') };
}

test('prints the steps with the address of the account that the calendar has, and how it stands', async () => {
  const { ended, text } = invite(['boris@clinic.example']);
  await ended;
  expect(text()).toContain(`reached by the account branch: ${BRANCH}`);
  expect(text()).toContain(`4. Enter ${BRANCH}\n`);
  expect(text()).toContain('"Make changes to events"');
  expect(text()).toMatch(/Not yet: .*\(calendar-not-shared\)\.\n$/);
  expect(text()).not.toContain('does not name this calendar');
});

test('waits until the calendar is shared with the right to write, and tells each state once', async () => {
  const { ended, text } = invite([ANNA.toUpperCase(), '--wait']);
  await vi.waitFor(() => expect(text()).toContain('calendar-not-shared'), { timeout: PATIENCE_MS });
  google.addCalendar('Anna@clinic.example', { shareWith: [] });
  google.grantAccess('Anna@clinic.example', defaultAccount, 'reader');
  await vi.waitFor(() => expect(text()).toContain('calendar-read-only'), { timeout: PATIENCE_MS });
  google.grantAccess('Anna@clinic.example', defaultAccount, 'writer');
  await ended;
  expect(text()).toMatch(/It works: can be written \(writer\)\.\n$/);
  expect(text().match(/Not yet:/g)).toHaveLength(2);
});

test('gives up in the end, with what is still missing', async () => {
  const { ended } = invite([ANNA, '--wait'], { everyMs: 1, forMs: 0 });
  await expect(ended).rejects.toMatchObject({
    code: 'google-invite-late',
    message: expect.stringContaining('calendar-not-shared'),
  });
});

test('a calendar that the YAML does not name yet has the account of the command line, and says what comes next', async () => {
  google.addCalendar(NEW, { shareWith: [BRANCH] });
  const { ended, text } = invite([NEW, '--account', 'branch', '--json']);
  await ended;
  expect(JSON.parse(text())).toMatchObject({
    calendar: NEW,
    account: 'branch',
    in_yaml: false,
    share_with: BRANCH,
    works: true,
  });
  const plain = invite([NEW]);
  await plain.ended;
  expect(plain.text()).toContain('The YAML does not name this calendar yet');
});

test('an account that is dead is told at once, and not waited for', async () => {
  google.revokeGrants(BRANCH);
  await expect(invite(['boris@clinic.example', '--wait']).ended).rejects.toMatchObject({
    code: 'google-token-dead',
    target: 'google:branch',
  });
});

test.each([
  [['anna'], 'address-unusable'],
  [[`${'a'.repeat(400)}@clinic.example`], 'address-unusable'],
  [[NEW, '--account', 'brunch'], 'account-unknown'],
  [[ANNA, '--account', 'branch'], 'account-named'],
])('%j is refused before Google is asked', async (args, code) => {
  await expect(invite(args).ended).rejects.toMatchObject({ code });
  expect(google.stats().tokenRequests).toBe(0);
});

describe('--consent', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startTestRedis();
    const client = google.consent.registerClient(['https://bridge.example.com/google/consent']);
    const web = { ...client, auth_uri: google.authUrl, token_uri: google.tokenUrl };
    writeFileSync(join(folder, 'web.json'), JSON.stringify({ web }));
    writeFileSync(
      yaml,
      readFileSync(yaml, 'utf8')
        .replace('api_key: k }', 'api_key: k, webhook: { public_url: "https://bridge.example.com" } }')
        .replace('  accounts: { ', `  accounts: { colleague: { consent: ${ANNA} }, `)
        .replace(
          'google:\n',
          `redis: { url: "${redis.url}" }\ngoogle:\n  consent: { client: ${join(folder, 'web.json')}, keys: ["${KEY}"] }\n`,
        )
        .replace(
          'Anna: Anna@clinic.example',
          'Anna: { id: team@group.calendar.google.com, account: colleague }',
        ),
    );
  });
  afterEach(() => redis.stop());

  test.each([ANNA, 'team@group.calendar.google.com'])(
    'prints a link for the person of the account, found by %s, that Google takes',
    async (address) => {
      const { ended, text } = invite([address, '--consent']);
      await ended;
      const link = new URL(/http\S+auth\?\S+/.exec(text())?.[0] ?? '');
      expect(link.searchParams.get('login_hint')).toBe(ANNA);
      expect(link.searchParams.get('redirect_uri')).toBe('https://bridge.example.com/google/consent');
      const sent = await fetch(link, { redirect: 'manual' });
      expect([sent.status, sent.headers.get('location')]).toEqual([302, expect.stringContaining('code=4')]);
      expect(text()).toContain('Send this link only to that person');
    },
  );

  test('waits until that person has agreed', async () => {
    const { ended, text } = invite([ANNA, '--consent', '--wait']);
    await vi.waitFor(() => expect(text()).toContain('It works once'), { timeout: PATIENCE_MS });
    const store = openTestStore(redis.url, { prefix: 'slotbridge' });
    await store.redis.hset(store.keys.googleConsents, 'colleague', JSON.stringify({ sealed: '', atMs: 1 }));
    store.close();
    await ended;
    expect(text()).toMatch(/the person has consented\.\n$/);
  });

  test('google forget says what there was, removes it with the link that was sent, and refuses what is no address', async () => {
    await invite([ANNA, '--consent']).ended;
    const store = openTestStore(redis.url, { prefix: 'slotbridge', consentKeys: [KEY] });
    const owner = { account: 'colleague', address: ANNA };
    await store.consents.keep(owner, { token: '1//unknown-to-google', atMs: 1 });
    const { ended, text } = forget([ANNA]);
    await ended;
    expect(text()).toContain('The consent for colleague is removed. Google no longer knew it');
    expect(text()).toContain('Links that were sent and no longer work: 1.');
    expect(text()).toContain(`The YAML still names ${ANNA} at colleague.`);
    expect(await store.redis.keys('*consent*')).toEqual([]);
    store.close();
    const again = forget([ANNA, '--json']);
    await again.ended;
    expect(JSON.parse(again.text())).toMatchObject({ address: ANNA, removed: [], links: 0 });
    await expect(forget(['anna']).ended).rejects.toMatchObject({ code: 'address-unusable' });
  });

  test.each(['seals it with a new key', 'keeps what the person agreed to by an earlier link'])(
    'google forget leaves nothing of the person when a worker %s meanwhile',
    async (what) => {
      const oldKey = randomBytes(32).toString('base64');
      writeFileSync(yaml, readFileSync(yaml, 'utf8').replace(`["${KEY}"]`, `["${KEY}", "${oldKey}"]`));
      const before = openTestStore(redis.url, { prefix: 'slotbridge', consentKeys: [oldKey] });
      const store = openTestStore(redis.url, { prefix: 'slotbridge', consentKeys: [KEY, oldKey] });
      const owner = { account: 'colleague', address: ANNA };
      await before.consents.keep(owner, { token: '1//first', atMs: 1 });
      let goOn = () => {};
      const until = new Promise<void>((done) => {
        goOn = done;
      });
      const meanwhile = async () => {
        if (what.startsWith('keeps')) await store.consents.keep(owner, { token: '1//second', atMs: 2 });
        else expect(await store.consents.token(owner)).toEqual({ token: '1//first' });
        goOn();
      };
      let done: Promise<void> | undefined;
      google.faults.add({
        ...{ path: /revoke/, times: 1, fault: { kind: 'hold', until } },
        onStrike: () => {
          done = meanwhile();
        },
      });
      const { ended, text } = forget([ANNA, '--json']);
      await ended;
      await done;
      expect(JSON.parse(text())).toMatchObject({ removed: [{ account: 'colleague', revoked: false }] });
      expect(await store.redis.keys('*consent*')).toEqual([]);
      for (const each of [before, store]) each.close();
    },
  );

  test('the audit log says that a consent was revoked, of which account, and not whose, also when Google was away', async () => {
    const store = openTestStore(redis.url, { prefix: 'slotbridge', consentKeys: [KEY] });
    const owner = { account: 'colleague', address: ANNA };
    await store.consents.keep(owner, { token: '1//unknown-to-google', atMs: 1 });
    google.faults.add({ path: /revoke/, times: 1, fault: { kind: 'status', status: 503 } });
    await expect(forget([ANNA]).ended).rejects.toMatchObject({ code: 'google-consent-not-revoked' });
    await forget([ANNA]).ended;
    await forget([ANNA]).ended;
    const acts = (await store.acts.newest(10)).toReversed();
    const begun = { role: 'ops', who: 'ops', what: 'consent-revoked', why: '', chosen: 1 };
    expect(acts.map(({ id: _, atMs: __, ...act }) => act)).toEqual([
      { ...begun, about: {} },
      { ...begun, about: { accounts: 'colleague' }, done: 1 },
      { ...begun, about: {}, done: 0 },
    ]);
    expect(await store.redis.llen(store.keys.unloggedActs)).toBe(5);
    store.close();
  });

  test.each([
    [[NEW, '--consent'], 'consent-unknown'],
    [['boris@clinic.example', '--consent'], 'consent-unknown'],
    [[ANNA, '--consent', '--account', 'colleague'], 'account-named'],
    [['team@group.calendar.google.com'], 'consent-needed'],
  ])('%j is refused, and no link is made', async (args, code) => {
    await expect(invite(args).ended).rejects.toMatchObject({ code });
    const store = openTestStore(redis.url, { prefix: 'slotbridge' });
    expect(await store.redis.keys('*consent*')).toEqual([]);
    store.close();
  });
});
