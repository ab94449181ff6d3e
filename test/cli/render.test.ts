import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { MAIN } from '../stand/worker-process.ts';
import { ANNA, BOOK, MIRRORS, startWorld, type World } from '../stand/world.ts';

/** Nobody listens there, and no Redis is named that answers. */
const NOWHERE = `platform: { base_url: "http://127.0.0.1:1/v1", api_key: key }
google: { calendar_root_url: "http://127.0.0.1:1/", sheets_root_url: "http://127.0.0.1:1/" }
redis: { url: "redis://127.0.0.1:1" }
`;

function written(mirrors: string, head = NOWHERE): string {
  const dir = mkdtempSync(join(tmpdir(), 'slotbridge-render-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'slotbridge.yaml');
  writeFileSync(path, `${head}${mirrors}`);
  return path;
}

const sample = (mirror: string, path: string, ...more: string[]) =>
  runHere(['render', mirror, '--sample', '--config', path, ...more]);

describe('a sample needs neither the platform nor Redis', () => {
  test('an event is shown with its times in the zone of the branch, and every field of its templates', async () => {
    const { code, stdout } = await sample('staff-calendars', written(MIRRORS));
    expect(code).toBe(0);
    expect(stdout).toContain(`calendar:${ANNA}`);
    expect(stdout).toMatch(/^ {2}title +First consultation, Jane Example$/m);
    expect(stdout).toMatch(/^ {2}start +Mon 6 May 2030, 10:00 Europe\/Berlin$/m);
    expect(stdout).toMatch(/^ {2}starts_at +2030-05-06T10:00:00\+02:00$/m);
    expect(stdout).toMatch(/^ {2}price +4500$/m);
    expect(stdout).toMatch(/^ {2}cancel_reason +null$/m);
  });

  test('a calendar that shows less is shown as it would be', async () => {
    const busy = MIRRORS.replace(`Boris Ivanov: ${ANNA}`, '').replace(
      'Room 1: room1@group.calendar.google.com',
      'Room 1: { id: room1@group.calendar.google.com, show: busy, title: Taken }',
    );
    const { stdout } = await sample('staff-calendars', written(busy), '--json');
    const { shown } = JSON.parse(stdout) as {
      shown: { place: string; values: { name: string; value: unknown }[] }[];
    };
    const titles = shown.map(({ place, values }) => [
      place,
      values.find(({ name }) => name === 'title')?.value,
    ]);
    expect(titles).toEqual([
      [`calendar:${ANNA}`, 'First consultation, Jane Example'],
      ['calendar:room1@group.calendar.google.com', 'Taken'],
    ]);
  });

  test('a row is shown by its headers, dates as people see them', async () => {
    const mirrors = `mirrors:
  visits:
    from: appointments
    where: { status: [arrived] }
    sheet: { spreadsheet: ${BOOK}, tab: Visits }
    columns:
      ID: "{{ id }}"
      Start: { value: "{{ starts_at }}", as: datetime }
      Price: { value: "{{ price }}", as: money, currency: "{{ price_currency }}" }
      Status: "{{ status }}"
`;
    const { stdout } = await sample('visits', written(mirrors));
    expect(stdout).toContain(`spreadsheet:${BOOK}/Visits`);
    expect(stdout).toMatch(/^ {2}Start +2030-05-06 10:00 {2}\(yyyy-mm-dd hh:mm\)$/m);
    expect(stdout).toMatch(/^ {2}Price +4500 {2}\(#,##0\.00" EUR"\)$/m);
    expect(stdout).toMatch(/^ {2}Status +arrived$/m);
    expect(stdout).toContain('in the sheet they stand in its own time zone');
  });

  test.each(['contacts', 'leads', 'conversations', 'messages'])('there is one of %s', async (from) => {
    const mirrors = `mirrors:\n  them:\n    from: ${from}\n    sheet: { spreadsheet: b, tab: T }\n    columns: { ID: "{{ id }}", Made: "{{ created_at }}" }\n`;
    const { code, stdout } = await sample('them', written(mirrors));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}Made +2030-05-01T/m);
  });
});

describe('what cannot be meant', () => {
  test.each([
    [
      'an unknown mirror',
      { args: ['render', 'contact', '--sample'], exitCode: 2 },
      'Did you mean contacts? It has: staff-calendars, contacts, visits.',
    ],
    ['neither an object nor a sample', { args: ['render', 'contacts'], exitCode: 2 }, '(nothing-chosen)'],
    ['both', { args: ['render', 'contacts', 'abc', '--sample'], exitCode: 2 }, '(nothing-chosen)'],
    [
      'an object of another kind',
      { args: ['render', 'contacts', 'appointment/abc'], exitCode: 2 },
      'mirror contacts takes contacts, not appointments',
    ],
    [
      'a platform that is away',
      { args: ['render', 'contacts', '00000000-0000-4000-8000-000000000001'], exitCode: 1 },
      'slotbridge: ',
    ],
  ])('%s is told, and what to do', async (_, { args, exitCode }, told) => {
    const { code, stdout, stderr } = await runHere([...args, '--config', written(MIRRORS)]);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(told);
  });

  test('a template that does not parse is told by line and column', async () => {
    const path = written(MIRRORS.replace('{{ customer_phone }}', 'Call {% nope %}'));
    const { code, stderr } = await sample('staff-calendars', path);
    expect(code).toBe(78);
    expect(stderr).toMatch(/slotbridge\.yaml:16:26 {2}mirrors\.staff-calendars\.event\.description/);
  });

  test('so is one that parses and cannot be rendered, in a column as well', async () => {
    const endless = '{% for i in (1..100000000) %}{{ i }}{% endfor %}';
    const path = written(
      MIRRORS.replace('Phone: "{{ phone }}"', `Phone: { value: "{{ id }} ${endless}", as: text }`),
    );
    const { code, stdout, stderr } = await sample('contacts', path);
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/slotbridge\.yaml:21:\d+ {2}mirrors\.contacts\.columns\.Phone\.value/);
  });
});

describe('an object of the platform', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  test('is read there and shown without anything personal, unless that is asked for', async () => {
    const id = world.platform.dashboard.createContact({
      projectId: world.company.projectId,
      name: 'Emma Stone',
      phone: '+15550107788',
    });
    const args = ['render', 'contacts', id, '--config', world.writeConfig(0)];
    const { code, stdout } = await runHere(args);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/Emma|0107788/);
    expect(stdout).toMatch(/^ {2}Name +‹name›$/m);
    expect(stdout).toContain(`contact/${id} in contacts\n  taken: `);
    expect((await runHere([...args, '--show-people'])).stdout).toMatch(/^ {2}Name +Emma Stone$/m);
    const json = JSON.parse((await runHere([...args, '--json'])).stdout) as { masked: boolean };
    expect(json.masked).toBe(true);
    expect(JSON.stringify(json)).not.toMatch(/Emma|0107788/);
  });

  test('that is not there is told', async () => {
    const id = '00000000-0000-4000-8000-00000000dead';
    const { code, stderr } = await runHere(['render', 'contacts', id, '--config', world.writeConfig(0)]);
    expect(code).toBe(1);
    expect(stderr).toContain(`the platform does not show contact/${id} (object-unknown)`);
  });
});

test('--watch renders again on each save, and goes on after a mistake', async () => {
  const path = written(MIRRORS);
  const child = spawn(process.execPath, [
    MAIN,
    'render',
    'contacts',
    '--sample',
    '--watch',
    '--config',
    path,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (told += String(text)));
  const hears = (text: string) =>
    vi.waitFor(() => expect(told).toContain(text), { timeout: PATIENCE_MS, interval: 50 });
  await hears('Jane Example');
  writeFileSync(path, `${NOWHERE}${MIRRORS.replace('"{{ name }}"', '"{{ name"')}`);
  await hears('the template cannot be used');
  writeFileSync(path, `${NOWHERE}${MIRRORS.replace('"{{ name }}"', '"Frau {{ last_name }}"')}`);
  await hears('Frau Example');
  const ended = new Promise((done) => child.on('close', done));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});
