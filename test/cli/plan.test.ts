import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../stand/command.ts';
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

test('what is told to people has a sign for each change', async () => {
  options.mirrors = MIRRORS.replace(ANNA, 'nobody@clinic.example');
  const config = world.writeConfig(port);
  const { code, stdout } = await runHere(['plan', '--config', config]);
  expect(code).toBe(0);
  expect(stdout).toContain('4 objects looked at; nothing was written.');
  expect(stdout).toMatch(/> staff-calendars: 1 would move to another calendar\n {4}> appointment\//);
});
