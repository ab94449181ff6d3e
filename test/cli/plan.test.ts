import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../stand/command.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BOOK, MIRRORS, startWorld, type World } from '../stand/world.ts';

let world: World;
let options: { mirrors: string };
let port: number;

beforeAll(async () => {
  options = { mirrors: MIRRORS };
  world = await startWorld(options);
  port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  const projectId = world.company.projectId;
  world.platform.dashboard.createContact({ projectId, name: 'Emma' });
  world.platform.dashboard.createContact({ projectId, name: 'Olga', lifecycle: 'customer' });
  world.book();
  world.book({ hours: 30, resourceId: world.company.boris });
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
});
afterAll(() => world.close());

interface Plan {
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly leftovers: readonly { readonly mirror: string; readonly place: string; readonly count: number }[];
}

async function plan(mirrors: string): Promise<Plan> {
  options.mirrors = mirrors;
  const config = world.writeConfig(port);
  const { stdout, stderr } = await runHere(['plan', '--json', '--config', config]);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Plan;
}

test('the YAML that is at work would change nothing', async () => {
  expect(await plan(MIRRORS)).toMatchObject({ counts: {}, leftovers: [] });
});

test('another title, a narrower filter, a new tab and a removed mirror are told before anything is written (case 73)', async () => {
  const before = [world.events(ANNA), world.rows('Contacts'), world.rows('Visits')];
  const edited = MIRRORS.replace('{{ service_name }}, {{ customer_name }}', '{{ service_name }}')
    .replace('from: contacts\n', 'from: contacts\n    where: { lifecycle: [customer] }\n')
    .replace('  visits:', '  meetings:')
    .replace('tab: Visits', 'tab: Meetings');
  expect(await plan(edited)).toMatchObject({
    counts: { 'staff-calendars': { updated: 2 }, contacts: { kept: 1 }, meetings: { created: 2 } },
    leftovers: [{ mirror: 'visits', place: `spreadsheet:${BOOK}/Visits`, count: 2 }],
  });
  expect([world.events(ANNA), world.rows('Contacts'), world.rows('Visits')]).toEqual(before);
  // Nor has the look left anything behind that the next one would see.
  expect(await plan(MIRRORS)).toMatchObject({ counts: {}, leftovers: [] });
});

atLength.test('what is told to people has a sign for each change', async () => {
  options.mirrors = MIRRORS.replace(ANNA, 'nobody@clinic.example');
  const config = world.writeConfig(port);
  const { code, stdout } = await runHere(['plan', '--config', config]);
  expect(code).toBe(0);
  expect(stdout).toContain('4 objects checked; nothing was written.');
  expect(stdout).toContain('  create 0, change 0, move 1, remove 0, keep 5');
  expect(stdout).toMatch(
    /calendar:nobody@clinic\.example {2}\(staff-calendars\): 1 move\n {4}> \w+ \d+ \w+ \d{4}, \d\d:\d\d Europe\/Moscow, Haircut, Anna Petrova, from calendar:anna@clinic\.example/,
  );
  // What moves is not what stays in a place that the YAML does not name.
  expect(stdout).not.toContain('they stay');
});

test('a mirror that was renamed changes nothing: its events and rows are gone on with', async () => {
  const renamed = MIRRORS.replace('  visits:', '  meetings:').replace('  staff-calendars:', '  calendars:');
  expect(await plan(renamed)).toMatchObject({ counts: {}, leftovers: [] });
});

async function told(mirrors: string, ...args: string[]) {
  options.mirrors = mirrors;
  return runHere(['plan', ...args, '--config', world.writeConfig(port)]);
}

const RETITLED = MIRRORS.replace(
  '{{ service_name }}, {{ customer_name }}',
  '{{ customer_name }}: {{ service_name }}',
);

atLength.test(
  'each object is told by what people know it by, each field old → new, and nothing personal unless that is asked for',
  async () => {
    const { stdout } = await told(RETITLED, '--detail');
    expect(stdout).toContain('create 0, change 2, move 0, remove 0, keep 4');
    expect(stdout).toMatch(
      / {4}~ .* Europe\/Moscow, Haircut, Anna Petrova\n {8}appointment\/[-0-9a-f]{36}\n {8}title: text differs/,
    );
    const name = /Emma|Olga|Maria|customer/i;
    expect(stdout.replace(/--show-people/g, '')).not.toMatch(name);
    const shown = await told(RETITLED, '--detail', '--show-people');
    const [title] = world.events(ANNA).map(({ summary }) => String(summary));
    const [service, who] = title?.split(', ') ?? [];
    expect(service).toBe('Haircut');
    expect(shown.stdout).toContain(`        title: ${title} → ${who}: Haircut\n`);
    const json = JSON.parse((await told(RETITLED, '--json')).stdout) as {
      changes: { fields: unknown[]; object: object }[];
    };
    expect(json.changes[0]).toMatchObject({
      action: 'updated',
      fields: [{ field: 'title', personal: true }],
    });
    expect(json.changes.flatMap(({ object }) => Object.keys(object))).not.toContain('name');
  },
);

test('--detail reads the events that would change: also what the worker does not remember, and what people have written since', async () => {
  const mirrors = MIRRORS.replace('{{ service_name }}, {{ customer_name }}', '{{ service_name }}').replace(
    '    event:\n',
    '    event:\n      visibility: private\n',
  );
  const { stdout } = await told(mirrors, '--detail', '--only', ANNA);
  expect(stdout).toMatch(/ {8}title: text differs .*\n {8}visibility: default → private\n/);
  const [event] = world.events(ANNA);
  const title = String(event?.summary);
  const at = { calendarId: ANNA, eventId: String(event?.id) };
  world.google.staff.calendar.retitle({ ...at, summary: 'Haircut' });
  const edited = await told(mirrors, '--detail', '--only', ANNA);
  expect(edited.stdout).not.toContain('title');
  expect(edited.stdout).toContain('        visibility: default → private\n');
  world.google.staff.calendar.retitle({ ...at, summary: title });
});

const RECOLUMNED = MIRRORS.replace(`Who: "{{ customer_name }}"`, `Who: "{{ customer_name }}!"`)
  .replace('%Y-%m-%d %H:%M', '%d.%m.%Y')
  .replace('Status: "{{ status }}"', 'Status: "{{ status | capitalize }}"');

atLength.test('--detail reads the tabs whose rows change, and shows each cell: old → new', async () => {
  const { stdout } = await told(RECOLUMNED, '--detail');
  expect(stdout).toMatch(
    / {8}Status: confirmed → Confirmed\n {8}Start: \d{4}-\d\d-\d\d \d\d:\d\d → \d\d\.\d\d\.\d{4}\n/,
  );
  expect(stdout).toContain('        Who: text differs (--show-people shows it)\n');
  const [first] = world.rows('Visits').slice(1);
  const who = String(first?.[3]);
  expect(stdout).not.toContain(who);
  const shown = await told(RECOLUMNED, '--detail', '--show-people');
  expect(shown.stdout).toContain(`        Who: ${who} → ${who}!`);
  const json = JSON.parse((await told(RECOLUMNED, '--detail', '--json')).stdout) as {
    changes: { fields: { field: string }[] }[];
  };
  expect(json.changes.map(({ fields }) => fields.map(({ field }) => field))).toEqual(
    [1, 2].map(() => ['Status', 'Start', 'Who']),
  );
  expect(json.changes[0]?.fields[0]).toEqual({ field: 'Status', old: 'confirmed', new: 'Confirmed' });
  expect(json.changes[0]?.fields[2]).toEqual({ field: 'Who', personal: true });
  expect(JSON.stringify(json)).not.toContain(who);
});

atLength.test('without --detail no tab is read, and a saved plan of either kind is the same', async () => {
  const { stdout } = await told(RECOLUMNED, '--only', 'Visits');
  expect(stdout).toMatch(/ {4}~ .*, Haircut, .*: cells\n/);
  const states = [];
  for (const detail of [[], ['--detail']]) {
    const file = join(world.dir, 'plan.json');
    await told(RECOLUMNED, '--out', file, ...detail);
    states.push((JSON.parse(readFileSync(file, 'utf8')) as { state: string }).state);
  }
  expect(states[0]).toBe(states[1]);
});

test.each([
  ['staff-calendars', 2],
  [ANNA, 1],
  ['Boris Ivanov', 1],
  ['appointments', 2],
  ['Contacts', 0],
])('--only %s tells of that alone', async (only, changes) => {
  const { stdout } = await told(RETITLED, '--only', only, '--json');
  expect((JSON.parse(stdout) as { changes: unknown[] }).changes).toHaveLength(changes);
});

test('--only something that the YAML does not have is refused', async () => {
  const { code, stdout, stderr } = await told(MIRRORS, '--only', 'contract');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('no mirror, calendar, tab or kind of object contract (scope-unknown)');
});
