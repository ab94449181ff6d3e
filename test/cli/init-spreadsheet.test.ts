import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { initHere } from '../stand/init.ts';
import { startWorld, type World } from '../stand/world.ts';

const OWNER = 'owner@clinic.example';
const SCOPES = ['https://www.googleapis.com/auth/spreadsheets'];

let world: World;
let dir: string;

beforeAll(async () => {
  world = await startWorld();
  await world.subscribe(await world.door());
});
afterAll(() => world.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-init-'));
  const signIn = { type: 'authorized_user', ...world.google.oauthGrant(OWNER, SCOPES) };
  writeFileSync(join(dir, 'person.json'), JSON.stringify(signIn));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const NOTE = 'config/slotbridge.yaml.spreadsheet';
const isThere = (file: string) => existsSync(join(dir, file));
const made = () => world.google.truth.spreadsheetIds().filter((id) => id.startsWith('made-'));
const written = () => readFileSync(join(dir, 'config/slotbridge.yaml'), 'utf8');

function init(flags: readonly string[], credentials = 'person.json', lines: readonly string[] = []) {
  const account = ['--platform-url', world.platform.url, '--credentials', credentials];
  return initHere({ world, dir, lines, args: [...account, ...flags] });
}

test('a spreadsheet is made for a person, with its tabs, and the YAML names it', async () => {
  const before = made();
  const { code, stdout, stderr } = await init(['--yes', '--create-spreadsheet']);
  expect([stderr, code]).toEqual(['', 0]);
  const [id = ''] = made().filter((each) => !before.includes(each));
  expect(stdout).toMatch(
    new RegExp(`Created the spreadsheet Slotbridge .*: https://docs.google.com/spreadsheets/d/${id}`),
  );
  expect(written()).toContain(`spreadsheet: "${id}"`);
  expect(world.google.truth.values(id, 'Contacts')[0]?.slice(0, 2)).toEqual(['ID', 'Name']);
  expect(world.google.truth.values(id, 'Appointments')[0]?.slice(0, 2)).toEqual(['ID', 'Start']);
  expect(isThere(NOTE)).toBe(false);
});

test('whoever is asked may answer new, and nothing is made before everything is settled', async () => {
  const before = made();
  const lines = ['', '', '', '', 'new', '', 'n'];
  const { code, stdout } = await init([], 'person.json', lines);
  expect(code).toBe(1);
  expect(stdout).toContain('new to create one');
  expect(stdout).toContain('spreadsheet: "a-new-spreadsheet"');
  expect(made()).toEqual(before);
  expect(isThere(NOTE)).toBe(false);
});

test('after a lost answer there is one spreadsheet, however often the command runs', async () => {
  const before = made();
  world.google.faults.add({
    ...{ method: 'POST', path: /\/v4\/spreadsheets(?:\?|$)/, times: 1 },
    fault: { kind: 'commit-then-reset' },
  });
  const lost = await init(['--yes', '--create-spreadsheet']);
  expect(lost.code).toBe(1);
  expect(lost.stderr).toMatch(/spreadsheet "Slotbridge .*it may exist/);
  expect(lost.stderr).toContain('--spreadsheet');
  const again = await init(['--yes', '--create-spreadsheet']);
  expect([again.code, again.stderr]).toEqual([1, lost.stderr]);
  const [id = '', ...others] = made().filter((each) => !before.includes(each));
  expect(others).toEqual([]);
  expect(isThere('config/slotbridge.yaml')).toBe(false);

  // A person has found it.
  const found = await init(['--yes', '--spreadsheet', id, '--create-tabs']);
  expect([found.stderr, found.code]).toEqual(['', 0]);
  expect(written()).toContain(`spreadsheet: "${id}"`);
  expect(isThere(NOTE)).toBe(false);
});

test('what dies after the spreadsheet is made uses it at the next run', async () => {
  const before = made();
  world.google.faults.add({
    ...{ method: 'POST', path: /:batchUpdate/, times: 1 },
    fault: { kind: 'status', status: 403 },
  });
  const died = await init(['--yes', '--create-spreadsheet']);
  expect(died.code).toBe(1);
  const [id = ''] = made().filter((each) => !before.includes(each));
  expect(died.stdout).toContain(id);
  const again = await init(['--yes', '--create-spreadsheet']);
  expect([again.stderr, again.code]).toEqual(['', 0]);
  expect(made().filter((each) => !before.includes(each))).toEqual([id]);
  expect(written()).toContain(`spreadsheet: "${id}"`);
  expect(isThere(NOTE)).toBe(false);
});

test('P2: on a disk that is full by now, the id of the new spreadsheet is told, and the next run makes no other one', async () => {
  const before = made();
  const note = join(dir, NOTE);
  const fill = () => {
    rmSync(note);
    symlinkSync('/dev/full', note);
  };
  world.google.faults.add({
    ...{ method: 'POST', path: /\/v4\/spreadsheets(?:\?|$)/, times: 1, onStrike: fill },
    fault: { kind: 'delay', ms: 0 },
  });
  const full = await init(['--yes', '--create-spreadsheet']);
  const [id = ''] = made().filter((each) => !before.includes(each));
  expect(full.code).toBe(1);
  expect(full.stderr).toMatch(
    /^slotbridge: the spreadsheet ".*" was created, but .*\(ENOSPC\): .*\(spreadsheet-unkept\)/,
  );
  expect(full.stderr).toContain(`--spreadsheet ${id} --create-tabs`);
  rmSync(note);
  const again = await init(['--yes', '--spreadsheet', id, '--create-tabs']);
  expect([again.stderr, again.code]).toEqual(['', 0]);
  expect(made().filter((each) => !before.includes(each))).toEqual([id]);
});

test('the note of the request is replaced as a whole: a disk that fills up leaves the old one', async () => {
  const witness = join(dir, 'witness');
  world.google.faults.add({
    ...{ method: 'POST', path: /\/v4\/spreadsheets(?:\?|$)/, times: 1 },
    ...{ onStrike: () => linkSync(join(dir, NOTE), witness), fault: { kind: 'delay', ms: 0 } },
  });
  expect((await init(['--yes', '--create-spreadsheet'])).code).toBe(0);
  expect(Object.keys(JSON.parse(readFileSync(witness, 'utf8')))).toEqual(['title']);
});

test('what Google refuses is no doubt: the next run may ask again', async () => {
  world.google.faults.add({
    ...{ method: 'POST', path: /\/v4\/spreadsheets(?:\?|$)/, times: 1 },
    fault: { kind: 'status', status: 403 },
  });
  expect((await init(['--yes', '--create-spreadsheet'])).code).toBe(1);
  expect(isThere(NOTE)).toBe(false);
});

test('a service account has no Drive: nothing is made, and the way is told', async () => {
  const before = made();
  const { code, stderr } = await init(['--yes', '--create-spreadsheet'], join(world.dir, 'google-key.json'));
  expect(code).not.toBe(0);
  expect(stderr).toContain('https://sheets.new');
  expect(stderr).toContain(String(world.google.serviceAccountKey()['client_email']));
  expect(made()).toEqual(before);
});
