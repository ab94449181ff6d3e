import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { initHere, startInit } from '../stand/init.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BORIS, startWorld, type World } from '../stand/world.ts';

let world: World;
let dir: string;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-init-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const account = () => String(world.google.serviceAccountKey()['client_email']);
const book = (id: string, tabs: readonly string[], role: 'writer' | 'reader' = 'writer') => {
  world.google.addSpreadsheet(id, { tabs: tabs.map((title) => ({ title })), shareWith: [account()], role });
  return id;
};

const init = (flags: readonly string[], lines: readonly string[] = [], key = world.apiKey) =>
  initHere({ world, dir, args: flags, lines, key });

const base = () => [
  '--platform-url',
  world.platform.url,
  '--credentials',
  join(world.dir, 'google-key.json'),
];
const written = () => readFileSync(join(dir, 'config/slotbridge.yaml'), 'utf8');

test('the questions lead to a YAML that works, and the key stands nowhere', async () => {
  const id = book('asked-book', ['Contacts']);
  const lines = [
    'y', // an account
    world.platform.url,
    world.apiKey, // the key is typed
    join(world.dir, 'google-key.json'),
    `${ANNA}, boris.ivanov@clinic.example`, // addresses
    '', // Boris: sure
    'y', // Anna: likely
    '', // Room 1: no calendar
    'y', // staff move appointments
    `https://docs.google.com/spreadsheets/d/${id}/edit#gid=0`,
    'y', // create Appointments
    'http://127.0.0.1:8080/', // public address
    'y', // write
  ];
  world.google.addCalendar('boris.ivanov@clinic.example', {
    shareWith: [account()],
  });
  // As a process, like people: with its own standard input.
  const { code, stdout, stderr } = await startInit({ world, dir, args: [], lines, key: '' });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const yaml = written();
  expect(yaml).toContain(`"Anna Petrova": "${ANNA}"  # ${world.company.anna}`);
  expect(yaml).toContain('staff_edits: { moved: reschedule }');
  expect(yaml.length).toBeLessThan(3_000);
  expect(stdout + yaml).not.toContain(world.apiKey);
  const [headers] = world.google.truth.values(id, 'Appointments');
  expect(headers?.slice(0, 3)).toEqual(['ID', 'Start', 'Status']);
  expect(stdout).toContain('Created in the spreadsheet: Appointments.');
  expect(stdout).toContain('Everything can work.');
  expect(stdout).toContain('nothing was written.');
  expect(stdout).toContain("Next: set PLATFORM_API_KEY to the platform's key, then slotbridge start");
});

test('with --yes nothing is asked: what is not sure is left open and said', async () => {
  const { code, stdout } = await init([...base(), '--yes', '--calendar', `Boris Ivanov=${BORIS}`]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Anna Petrova \(.+\) is left open: no calendar fits the name/);
  expect(written()).toContain(BORIS);
  expect(written()).not.toContain('Anna');
});

atLength.test('answers may stand in a file, and a public address registers the webhook', async () => {
  const port = await world.door();
  const publicUrl = `http://127.0.0.1:${port}`;
  const lines = [
    `platform_url: ${world.platform.url}`,
    `credentials: ${join(world.dir, 'google-key.json')}`,
    `calendars: { Anna Petrova: ${ANNA} }`,
    `public_url: ${publicUrl}`,
  ];
  writeFileSync(join(dir, 'answers.yaml'), lines.join('\n'));
  const { code, stdout } = await init(['--yes', '--answers', 'answers.yaml']);
  expect(code).toBe(0);
  expect(stdout).toContain('Its secret is saved in ./data/webhook-secret.');
  writeFileSync(join(dir, 'answers.yaml'), 'platform_adress: x');
  const other = await init(['--yes', '--answers', 'answers.yaml', '--config', 'other.yaml']);
  expect(other.code).toBe(1);
  expect(other.stderr).toContain('platform_adress');
});

atLength.test('input that ends in the middle leaves nothing: no file and no tab', async () => {
  const id = book('left-book', ['Other']);
  const { code, stderr } = await init(base().slice(0, 4), [ANNA, 'y', '', '', 'n', id, 'y']);
  expect(code).toBe(1);
  expect(stderr).toContain('interrupted');
  expect(readdirSync(dir)).toEqual([]);
  expect(() => world.google.truth.values(id, 'Contacts')).toThrow();
});

atLength.test('a spreadsheet that may only be read is told, and nothing is written', async () => {
  const id = book('read-book', ['Other'], 'reader');
  const { code, stderr } = await init([...base(), '--yes', '--spreadsheet', id, '--create-tabs']);
  expect(code).toBe(1);
  expect(stderr).toContain('spreadsheet');
  expect(existsSync(join(dir, 'config/slotbridge.yaml'))).toBe(false);
});

atLength.test('a key that the platform refuses is told with advice, and nothing is written', async () => {
  const { code, stderr } = await init([...base(), '--yes', '--spreadsheet', 'x'], [], 'wrong-key');
  expect(code).toBe(1);
  expect(stderr).toContain('platform-unauthenticated');
  expect(readdirSync(dir)).toEqual([]);
});

test('on an existing YAML only what is new is added, and nothing that people wrote changes', async () => {
  const given = [...base(), '--yes'];
  await init([...given, '--calendar', `Boris Ivanov=${BORIS}`]);
  const before = `# ours\n${written().replace('from: appointments', 'from:   appointments  # spaced')}`;
  writeFileSync(join(dir, 'config/slotbridge.yaml'), before);
  const { stdout } = await init([...given, '--calendar', `Anna Petrova=${ANNA}`]);
  const line = `        "Anna Petrova": "${ANNA}"  # ${world.company.anna}\n`;
  expect(stdout).toContain(`+ ${line}`);
  expect(written().replace(line, '')).toBe(before);
  const after = written();
  const again = await init(given);
  expect(again.stdout).toContain('Nothing was added.');
  expect(written()).toBe(after);
});

atLength.test(
  'the same command runs again without harm, and answers that the YAML has otherwise are told, not passed over',
  async () => {
    const id = 'elsewhere.json';
    const given = [...base(), '--yes', '--calendar', `Anna Petrova=${ANNA}`];
    await init(given);
    const before = written();
    expect(await init(given)).toMatchObject({ code: 0, stderr: '' });
    const other = await init([
      ...given.slice(2),
      '--platform-url',
      'http://127.0.0.1:1',
      '--credentials',
      id,
    ]);
    expect(other.stdout).toContain(
      'Ignored: --platform-url, --credentials. config/slotbridge.yaml has other values',
    );
    const moved = await init([...base(), '--yes', '--calendar', `Anna Petrova=${BORIS}`]);
    expect([moved.code, moved.stderr]).toEqual([
      2,
      expect.stringContaining(`the YAML already has ${ANNA} for Anna Petrova`),
    ]);
    expect(written()).toBe(before);
  },
);
