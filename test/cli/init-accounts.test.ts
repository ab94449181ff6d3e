import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calendar } from 'googleapis/build/src/apis/calendar/index.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { initHere } from '../stand/init.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

const BRANCH = 'branch@two.iam.gserviceaccount.com';
const CLEO = 'cleo.orlova@clinic.example';

let world: World;
let dir: string;

beforeAll(async () => {
  world = await startWorld();
  await world.subscribe(await world.door());
  const { dashboard } = world.platform;
  const { branchId } = world.company;
  dashboard.createResource({ branchId, name: 'Cleo Orlova', kind: 'person' });
  world.google.addCalendar('boris.ivanov@clinic.example', { shareWith: [BRANCH] });
  world.google.addCalendar('both@clinic.example', { shareWith: [BRANCH, account()], summary: 'Room 1' });
  const key = join(world.dir, 'branch.json');
  writeFileSync(key, JSON.stringify(world.google.serviceAccountKey(BRANCH)));
  await list(key, ['boris.ivanov@clinic.example', 'both@clinic.example']);
  await list(join(world.dir, 'google-key.json'), ['both@clinic.example']);
});

/** Somebody has put them into the account's list: Google does not do that when a calendar is shared. */
async function list(credentialsPath: string, ids: readonly string[]) {
  const { tokenUrl, url } = world.google;
  const scopes = ['https://www.googleapis.com/auth/calendar'];
  const { auth } = createGoogleAuth({ credentialsPath, tokenUrl, scopes, timeoutMs: 10_000 });
  const { calendarList } = calendar({ version: 'v3', auth, rootUrl: `${url}/` });
  for (const id of ids) await calendarList.insert({ requestBody: { id } });
}

afterAll(() => world.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-accounts-'));
  writeFileSync(join(dir, 'branch.json'), JSON.stringify(world.google.serviceAccountKey(BRANCH)));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const account = () => String(world.google.serviceAccountKey()['client_email']);
const file = () => join(dir, 'config/slotbridge.yaml');
const written = () => readFileSync(file(), 'utf8');
const init = (...args: readonly string[]) => initHere({ world, dir, args: ['--yes', ...args] });
const base = () => [
  '--platform-url',
  world.platform.url,
  '--credentials',
  join(world.dir, 'google-key.json'),
];

test('calendars that several accounts see are proposed, each with the account that it needs', async () => {
  const { code, stdout, stderr } = await init(
    ...[...base(), '--account', 'branch=branch.json', '--calendar', `Anna Petrova=${ANNA}`],
  );
  expect([stderr, code]).toEqual(['', 0]);
  expect(stdout).toContain(`For the account branch, share them with ${BRANCH}.`);
  expect(stdout).toContain('Boris Ivanov -> boris.ivanov@clinic.example, account branch  (sure:');
  // The default account sees it as well.
  expect(stdout).toContain('Room 1 -> both@clinic.example  (sure:');
  expect(written()).toContain(
    '  accounts:  # calendars refer to these names\n    branch: { credentials: "branch.json" }  # another account\n',
  );
  expect(written()).toContain('"Boris Ivanov": { id: "boris.ivanov@clinic.example", account: branch }  # ');
  expect(written()).toContain(`"Anna Petrova": "${ANNA}"  # `);
});

test('an account that no calendar uses is not written, and one that nobody knows is refused', async () => {
  await init(...base(), '--account', 'branch=branch.json', '--calendar', 'Boris Ivanov=boris@clinic.example');
  rmSync(file());
  const given = ['--calendar', 'Boris Ivanov=brunch:boris.ivanov@clinic.example'];
  const refused = await init(...base(), '--account', 'branch=branch.json', ...given);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('unknown Google account brunch (account-unknown)');
  expect(refused.stderr).toContain('Known: branch.');
  expect(() => written()).toThrow('ENOENT');
});

/** One calendar is mapped; the rest is up to the run. */
function write(accounts: string) {
  mkdirSync(join(dir, 'config'), { recursive: true });
  const text = `# ours
platform: { base_url: "${world.platform.url}", api_key: "\${PLATFORM_API_KEY}" }
google:
  credentials: "${join(world.dir, 'google-key.json')}"
  calendar_root_url: "${world.google.url}/"
  sheets_root_url: "${world.google.url}/"
  token_url: "${world.google.url}/token"
${accounts}
mirrors:
  staff:
    from: appointments
    calendars:
      map:
        Anna Petrova: ${ANNA}
        Somebody: { id: somebody@two.example, account: branch }
    event: { title: "{{ service_name }}" }
`;
  writeFileSync(file(), text);
  return text;
}

test('the accounts of a YAML are kept and asked: only lines are added, each with its account', async () => {
  const before = write('  accounts: { branch: { credentials: ./branch.json } }');
  const { stdout } = await init();
  expect(stdout).toContain(
    '+         "Boris Ivanov": { id: "boris.ivanov@clinic.example", account: branch }',
  );
  const added = written()
    .split('\n')
    .filter((line) => !before.split('\n').includes(line));
  expect(added).toHaveLength(2);
  expect(added.join('\n')).toContain('"Room 1": "both@clinic.example"  # ');
  expect(written().replace(`${added.join('\n')}\n`, '')).toBe(before);
});

test('of an account by consent the calendar of that person is proposed, and an account that is dead is told', async () => {
  const client = world.google.consent.registerClient(['http://127.0.0.1:8080/google/consent']);
  const web = { ...client, auth_uri: world.google.authUrl, token_uri: world.google.tokenUrl };
  writeFileSync(join(dir, 'web.json'), JSON.stringify({ web }), { mode: 0o600 });
  const key = Buffer.alloc(32, 7).toString('base64');
  const before = write(`  accounts:
    branch: { credentials: ./branch.json }
    colleague: { consent: ${CLEO} }
  consent: { client: ./web.json, keys: ["${key}"] }`)
    .replace('api_key:', 'webhook: { public_url: "http://127.0.0.1:8080" }, api_key:')
    .replace(
      '        Somebody:',
      '        Other: { id: team@two.example, account: colleague }\n        Somebody:',
    );
  writeFileSync(file(), before);
  world.google.revokeGrants(BRANCH);
  const { stdout } = await init();
  expect(stdout).toContain('Calendars of the account branch cannot be listed:');
  expect(stdout).toContain(`+         "Cleo Orlova": { id: "${CLEO}", account: colleague }`);
  expect(written()).not.toContain('Boris');
});
