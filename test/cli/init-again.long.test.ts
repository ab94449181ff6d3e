import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { initHere } from '../stand/init.ts';
import { ANNA, BORIS, startWorld, type World } from '../stand/world.ts';

let world: World;
let dir: string;

beforeAll(async () => {
  world = await startWorld();
  await world.subscribe(await world.door());
});
afterAll(() => world.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-init-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const file = () => join(dir, 'config/slotbridge.yaml');
const written = () => readFileSync(file(), 'utf8');

function book(id: string, tabs: readonly string[]): string {
  const shareWith = [String(world.google.serviceAccountKey()['client_email'])];
  world.google.addSpreadsheet(id, { tabs: tabs.map((title) => ({ title })), shareWith, role: 'writer' });
  return id;
}

function init(flags: readonly string[], lines: readonly string[] = []) {
  const account = ['--platform-url', world.platform.url, '--credentials', join(world.dir, 'google-key.json')];
  return initHere({ world, dir, args: [...account, ...flags], lines });
}

/** Every line of the former text is there, in its order. */
function isKept(before: string, after: string): boolean {
  const lines = after.split('\n');
  return before.split('\n').every((line) => {
    const at = lines.indexOf(line);
    return at >= 0 && lines.splice(0, at + 1).length > 0;
  });
}

test('a spreadsheet comes later: its tabs are made and mirrored, and nothing that people wrote changes', async () => {
  const id = book('later-book', ['Contacts']);
  await init(['--yes', '--calendar', `Boris Ivanov=${BORIS}`]);
  writeFileSync(file(), `${written()}# ours, at the end\nlog: { level: warn }\n`);
  const before = written();
  const first = await init(['--yes', '--spreadsheet', id]);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('Skipped because their tabs are missing: Appointments.');
  expect(first.stdout).toContain(`+     sheet: { spreadsheet: "${id}", tab: "Contacts" }`);
  const second = await init(['--yes', '--spreadsheet', id, '--create-tabs']);
  expect(second).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).toContain('Created in the spreadsheet: Appointments.');
  expect(second.stdout).toContain('Everything can work.');
  expect(isKept(before, written())).toBe(true);
  const after = written();
  const again = await init(['--yes', '--spreadsheet', id, '--create-tabs']);
  expect(again.stdout).toContain('Nothing was added.');
  expect(written()).toBe(after);
});

test('a YAML behind a link that only its owner may read stays behind the link, and only its owner may read it', async () => {
  const id = book('linked-book', ['Contacts']);
  await init(['--yes', '--calendar', `Boris Ivanov=${BORIS}`]);
  const kept = join(dir, 'kept.yaml');
  renameSync(file(), kept);
  chmodSync(kept, 0o600);
  symlinkSync(kept, file());
  expect(await init(['--yes', '--spreadsheet', id])).toMatchObject({ code: 0, stderr: '' });
  expect(readlinkSync(file())).toBe(kept);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  expect(readFileSync(kept, 'utf8')).toContain(id);
});

test('a YAML in which a secret stands is private after lines were added, and one without keeps its mode', async () => {
  const id = book('secret-book', ['Contacts', 'Appointments']);
  const modeOf = () => statSync(file()).mode & 0o777;
  await init(['--yes', '--calendar', `Boris Ivanov=${BORIS}`]);
  chmodSync(file(), 0o644);
  await init(['--yes', '--calendar', `Anna Petrova=${ANNA}`]);
  expect([modeOf(), written().includes(ANNA)]).toEqual([0o644, true]);
  writeFileSync(file(), written().replace(/\$\{PLATFORM_API_KEY\}/, world.apiKey));
  const { code, stdout } = await init(['--yes', '--spreadsheet', id]);
  expect([code, stdout.includes('Only its owner can read it')]).toEqual([0, true]);
  expect([modeOf(), written().includes(id)]).toEqual([0o600, true]);
});

test('a new YAML is private when an answer holds a secret, and otherwise as other files of the user', async () => {
  const modes: number[] = [];
  for (const path of ['', `/${world.apiKey}`]) {
    await init(['--yes', '--calendar', `Boris Ivanov=${BORIS}`, '--public-url', `http://127.0.0.1:1${path}`]);
    expect(written()).toContain(`http://127.0.0.1:1${path}"`);
    modes.push(statSync(file()).mode & 0o777);
    rmSync(file());
  }
  expect(modes).toEqual([0o666 & ~process.umask(), 0o600]);
});

test('the first calendar comes later, with a mirror of its own under a name that is free', async () => {
  const id = book('sheets-first', ['Contacts', 'Appointments']);
  await init(['--yes', '--spreadsheet', id]);
  writeFileSync(file(), written().replace('  contacts:  #', '  staff-calendars:  #'));
  const before = written();
  const { code, stdout, stderr } = await init([
    '--yes',
    '--staff-moves',
    '--calendar',
    `Anna Petrova=${ANNA}`,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).not.toContain('Ignored:');
  expect(written()).toContain('  staff-calendars-2:  # one event per appointment\n');
  expect(written()).toContain('staff_edits: { moved: reschedule }');
  expect(isKept(before, written())).toBe(true);
});

test('asked, a person may add all of it at once; who declines leaves no tab and no line', async () => {
  const id = book('asked-again', ['Other']);
  await init(['--yes', '--calendar', `Boris Ivanov=${BORIS}`]);
  const before = written();
  const answers = [ANNA, 'y', '', id, 'y', ''];
  const declined = await init([], [...answers, 'n']);
  expect(declined.stderr).toContain('nothing was written');
  expect(written()).toBe(before);
  expect(() => world.google.truth.values(id, 'Contacts')).toThrow();
  const { code, stdout } = await init([], [...answers, 'y']);
  expect(code).toBe(0);
  expect(stdout).toContain('Created in the spreadsheet: Contacts, Appointments.');
  expect(written()).toContain(`"Anna Petrova": "${ANNA}"`);
  expect(world.google.truth.values(id, 'Contacts')[0]?.slice(0, 2)).toEqual(['ID', 'Name']);
});

test('the public address comes later: it is written in the place of the hint, and registers the webhook', async () => {
  await init(['--yes', '--calendar', `Boris Ivanov=${BORIS}`]);
  const hint = '  # set webhook.public_url';
  expect(written()).toContain(hint);
  const address = `http://127.0.0.1:${await world.door()}`;
  const { stdout } = await init(['--yes', '--public-url', `${address}/`]);
  expect(written()).not.toContain(hint);
  expect(written()).toContain(`    public_url: "${address}"  # address`);
  expect(stdout).toContain('Its secret is saved in ./data/webhook-secret.');
});
