import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test } from 'vitest';
import type { Difference } from '../../src/engine/finding.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import { ANNA, BOOK, MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
let options: { mirrors: string };
afterEach(() => world.close());

async function startWith(mirrors: string): Promise<void> {
  options = { mirrors };
  world = await startWorld(options);
}

/** A worker mirrors everything, and ends. */
async function mirrorAll(): Promise<void> {
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
}

/** A minute later, when nothing is under way. */
async function audit() {
  const desk = await openSession(world.config(), { now: () => Date.now() + 60_000 });
  try {
    const told: string[] = [];
    const tell = ({ what, why, mirror }: Difference) => told.push(`${mirror}: ${what}, ${why}`);
    const { unread, unjudged, standing, standingIn } = await desk.audit({ tell, progress() {} });
    return { told, unread: [...unread.keys()], unjudged: [...unjudged.values()], standing, standingIn };
  } finally {
    await desk.close();
  }
}

test('a row of a mirror with an archive is read once: it is not reported as doubled, and the guard counts it once (P7)', async () => {
  await startWith(`
mirrors:
  rows:
    from: appointments
    where: { since: 30d }
    sheet: { spreadsheet: ${BOOK}, tab: Contacts, archive: { after: 2d, tab: Old, spreadsheet: cellar } }
    columns: { ID: "{{ id }}", Status: "{{ status }}" }
`);
  world.google.addSpreadsheet('cellar', { shareWith: [defaultAccount], tabs: [{ title: 'Old' }] });
  world.book();
  await mirrorAll();
  expect(await audit()).toMatchObject({ told: [], standing: 1 });
});

test('a calendar with an unread page is named, and the audit concludes nothing from the pages before it (P7, P8)', async () => {
  await startWith(MIRRORS);
  const id = world.book();
  await mirrorAll();
  const eventId = `sb${id.replaceAll('-', '')}`;
  // People's copies fill more than one page.
  for (let n = 0; n < 260; n += 1) world.google.staff.calendar.duplicate({ calendarId: ANNA, eventId });
  world.google.faults.add({ path: /pageToken=/, fault: { kind: 'status', status: 503 } });
  const { standingIn, ...found } = await audit();
  expect(found).toEqual({ told: [], unread: [`calendar:${ANNA}`], unjudged: [], standing: 1 });
  expect(standingIn.has(`calendar:${ANNA}`)).toBe(false);
});

test('an event is not reported as orphaned because its mirror cannot judge the appointment (P7)', async () => {
  await startWith(MIRRORS);
  world.platform.dashboard.bookAs('lk', {
    serviceId: world.company.haircut,
    resourceId: world.company.anna,
    startsAt: slot(24),
    comment: 'x'.repeat(100_000),
  });
  await mirrorAll();
  expect(world.events(ANNA)).toHaveLength(1);
  // This needs more memory than a condition may use.
  const condition = `comment${' | append: comment'.repeat(5)}`;
  options.mirrors = MIRRORS.replace('where: { since: 7d }', `where: { since: 7d, if: '${condition}' }`);
  expect(await audit()).toMatchObject({ told: [], unjudged: ['condition-failed'] });
});

test('an event to which people gave a label of the calendar is right in any colour: the worker writes none over it (P6)', async () => {
  await startWith(MIRRORS.replace('no_show: tomato', 'confirmed: tomato'));
  const id = world.book();
  await mirrorAll();
  const event = { calendarId: ANNA, eventId: `sb${id.replaceAll('-', '')}` };
  world.google.staff.calendar.edit({ ...event, patch: { colorId: '5' } });
  expect((await audit()).told).toEqual(['staff-calendars: stale, foreign-edit']);
  world.google.staff.calendar.edit({ ...event, patch: { eventLabelId: 'label-1' } });
  expect((await audit()).told).toEqual([]);
});
