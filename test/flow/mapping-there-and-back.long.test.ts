/** What was to leave a place while no mirror wrote to it leaves once a mirror does again. */

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { expect, type TestContext, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { rowsOf } from '../stand/runs.ts';
import { openTestStore } from '../stand/store.ts';
import { ANNA, BOOK, BORIS, slot, startWorld, type WorldOptions } from '../stand/world.ts';

const OTHER = 'second-book';
const CONTACTS = (place: string, name = 'contacts') => `
  ${name}:
    from: contacts
    sheet: { ${place}, deleted: clear }
    columns: { ID: "{{ id }}", Name: "{{ name }}" }`;
const STAFF = (lines: string, edits = '') => `
  staff:
    from: appointments
    where: { since: 1h, status: [pending, confirmed] }
    calendars: { map: { ${lines} } }
    event: { title: "{{ service_name }}" }
    staff_edits: { ${edits} }`;
const SHOWN = (place: string) => `
  visits:
    from: appointments
    where: { since: 1h, status: [pending, confirmed] }
    sheet: { ${place} }
    columns: { ID: "{{ id }}", Status: "{{ status }}" }`;
const BOTH = `Anna Petrova: ${ANNA}, Boris Ivanov: ${BORIS}`;
const HERE = `spreadsheet: ${BOOK}, tab: Contacts`;
const THERE = `spreadsheet: ${OTHER}, tab: People`;
const yaml = (...mirrors: string[]) => `mirrors:${mirrors.join('')}\n`;

async function begin({ onTestFinished }: TestContext, first: string) {
  const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {
    mirrors: first,
    watch: '{ every: 5s, settle: 100ms }',
  };
  const world = await startWorld(options);
  onTestFinished(() => world.close());
  world.google.addSpreadsheet(OTHER, { shareWith: [defaultAccount], tabs: [{ title: 'People' }] });
  const port = await world.door();
  await world.subscribe(port);
  let worker = await world.startWorker(port);
  return {
    world,
    /** Until everything known is mirrored. */
    idle: () => world.untilIdle(worker.url),
    stop: () => world.stopWorker(worker),
    async go(mirrors: string) {
      options.mirrors = mirrors;
      worker = await world.startWorker(port);
    },
  };
}

const keysIn = (values: readonly (readonly unknown[])[]) =>
  values.slice(1).map((row) => String(row[0] ?? ''));

const BETWEEN: readonly (readonly [string, string, string])[] = [
  ['its mirror writes to another tab', yaml(CONTACTS(THERE)), yaml(CONTACTS(HERE))],
  ['no mirror writes to its tab', yaml(STAFF(BOTH)), yaml(STAFF(BOTH), CONTACTS(HERE))],
  ['another mirror writes elsewhere', yaml(CONTACTS(THERE, 'others')), yaml(CONTACTS(HERE, 'others'))],
];

test.concurrent.for(rowsOf(BETWEEN, 3))(
  'P1, P3: a contact deleted while %s has no row when its tab is named again',
  async ([_, between, last], context) => {
    const { world, idle, stop, go } = await begin(context, yaml(CONTACTS(HERE)));
    const create = (name: string) =>
      world.platform.dashboard.createContact({ projectId: world.company.projectId, name });
    const [gone, stays] = [create('Emma'), create('Flora')];
    await vi.waitFor(() => expect(world.rows('Contacts').length).toBe(3), { timeout: PATIENCE_MS });
    await idle();
    await stop();
    await go(between);
    await idle();
    world.platform.dashboard.deleteContact(gone);
    await idle();
    await stop();
    await go(last);
    await vi.waitFor(() => expect(keysIn(world.rows('Contacts')).filter(Boolean)).toEqual([stays]), {
      timeout: PATIENCE_MS,
    });
    expect((await idle()).problems).toEqual([]);
  },
);

test.concurrent('P1: a clearing that waited when its mirror left the YAML is made when it is back', async (context) => {
  const { world, idle, stop, go } = await begin(context, yaml(CONTACTS(HERE)));
  const id = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  await vi.waitFor(() => expect(world.rows('Contacts').length).toBe(2), { timeout: PATIENCE_MS });
  await idle();
  const away = world.google.faults.add({ path: /spreadsheets/, fault: { kind: 'status', status: 503 } });
  world.platform.dashboard.deleteContact(id);
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  context.onTestFinished(() => store.close());
  await store.ready();
  await vi.waitFor(
    async () => expect(await store.outbox.pending(BOOK, 9)).toMatchObject([{ rowKey: id, hash: 'cleared' }]),
    { timeout: PATIENCE_MS },
  );
  await stop();
  away();
  await go(yaml(STAFF(BOTH)));
  await idle();
  await stop();
  await go(yaml(STAFF(BOTH), CONTACTS(HERE)));
  await vi.waitFor(() => expect(keysIn(world.rows('Contacts')).filter(Boolean)).toEqual([]), {
    timeout: PATIENCE_MS,
  });
});

test.concurrent('P1: an appointment cancelled while no mirror had its calendar or tab has neither event nor row when they are back, also if it is over by then', async (context) => {
  const all = yaml(STAFF(BOTH), SHOWN(`spreadsheet: ${BOOK}, tab: Visits`));
  const { world, idle, stop, go } = await begin(context, all);
  const { dashboard } = world.platform;
  const book = (startsAt: string) =>
    dashboard.bookAs('lk', {
      ...{ serviceId: world.company.haircut, resourceId: world.company.anna },
      ...{ startsAt, customerName: 'Emma' },
    });
  const ids = [book(slot(20)), book(slot(24))];
  await vi.waitFor(() => expect(keysIn(world.rows('Visits')).sort()).toEqual([...ids].sort()), {
    timeout: PATIENCE_MS,
  });
  await idle();
  expect(world.events(ANNA)).toHaveLength(2);
  await stop();
  await go(yaml(STAFF(`Boris Ivanov: ${BORIS}`), SHOWN(THERE)));
  await idle();
  // It was held earlier than planned, and then turned out to have been cancelled: no list from now on shows it.
  dashboard.reschedule(ids[0] ?? '', { startsAt: slot(-60) });
  await idle();
  for (const id of ids) dashboard.cancel(id);
  await idle();
  await stop();
  await go(all);
  await vi.waitFor(() => expect(world.events(ANNA)).toEqual([]), { timeout: PATIENCE_MS });
  await vi.waitFor(() => expect(keysIn(world.rows('Visits')).filter(Boolean)).toEqual([]), {
    timeout: PATIENCE_MS,
  });
  expect((await idle()).problems).toEqual([]);
});

test.concurrent('E68, P7: events that people deleted while no mirror had their calendar cancel nothing when it is back; their later deletions do', async (context) => {
  const edits = 'moved: reschedule, deleted: cancel, grace: 0s';
  const first = yaml(STAFF(BOTH, edits));
  const { world, idle, stop, go } = await begin(context, first);
  const { dashboard, truth } = world.platform;
  const book = (startsAt: string) =>
    dashboard.bookAs('lk', {
      ...{ serviceId: world.company.haircut, resourceId: world.company.anna },
      ...{ startsAt, customerName: 'Emma' },
    });
  const ids = [book(slot(20)), book(slot(24))] as const;
  const [gone, moved] = ids.map((id) => ({ calendarId: ANNA, eventId: `sb${id.replaceAll('-', '')}` }));
  if (gone === undefined || moved === undefined) throw new Error('nothing was booked');
  await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(2), { timeout: PATIENCE_MS });
  await idle();
  await stop();
  await go(yaml(STAFF(`Boris Ivanov: ${BORIS}`, edits)));
  await idle();
  world.google.staff.calendar.remove(gone);
  world.google.staff.calendar.move({ ...moved, start: slot(40) });
  await idle();
  await stop();
  await go(first);
  await vi.waitFor(() => expect(world.events(ANNA)).toHaveLength(2), { timeout: PATIENCE_MS });
  await vi.waitFor(
    () => expect(Date.parse(String(truth.appointment(ids[1])?.['starts_at']))).toBe(Date.parse(slot(40))),
    { timeout: PATIENCE_MS },
  );
  await idle();
  expect(truth.appointments().map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
  world.google.staff.calendar.remove(gone);
  await vi.waitFor(() => expect(truth.appointment(ids[0])?.['status']).toBe('cancelled'), {
    timeout: PATIENCE_MS,
  });
});
