/** An entry of `bookings` leaves the YAML, or gets another name, while people's events or rows wait, or were refused. */
import { expect, type TestContext, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { combined, rowsOf } from '../stand/runs.ts';
import { ANNA, BOOK, BORIS, slot, startWorld, type WorldOptions } from '../stand/world.ts';

const MIRROR = `
mirrors:
  staff:
    from: appointments
    where: { since: 7d }
    calendars: { map: { Anna Petrova: ${ANNA}, Boris Ivanov: ${BORIS} } }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
`;
const HEADERS = ['Service', 'Start', 'Name', 'Phone', 'With', 'Ready', 'ID', 'Status', 'Appointment'];
const INTAKE = { spreadsheetId: BOOK, tab: 'Intake' };
const OTHER_TAB = 'Second';
const entryOf = (name: string, kind: 'event' | 'row', isFirst: boolean) =>
  kind === 'event'
    ? `  ${name}:
    from: { calendar: ${isFirst ? ANNA : BORIS} }
    when: { title: "#book *" }
    service: Haircut
    customer: { name: "{{ title | remove_first: '#book ' }}", phone: "{{ description | phone }}" }
    still_for: 1s
`
    : `  ${name}:
    from: { spreadsheet: ${BOOK}, tab: ${isFirst ? 'Intake' : OTHER_TAB}, every: 5s, timezone: Europe/Moscow }
    region: RU
    columns: { service: Service, starts_at: Start, name: Name, phone: Phone, resource: With, ready: Ready, id: ID, status: Status, appointment: Appointment }
`;
const pair =
  (kind: 'event' | 'row') =>
  (first: string, second = 'other') =>
    `${MIRROR}bookings:
${entryOf(first, kind, true)}${entryOf(second, kind, false)}`;
const ENTRIES = { event: pair('event'), row: pair('row') };
type Kind = keyof typeof ENTRIES;
type Entry = (first: string, second?: string) => string;
const EDITS: Readonly<Record<string, (entry: Entry) => readonly string[]>> = {
  'leaves, and comes back': (entry) => [MIRROR, entry('desk')],
  'gets another name': (entry) => [entry('front')],
  'gets another name, and its own again': (entry) => [entry('front'), entry('desk')],
  'exchanges its name with another one': (entry) => [entry('other', 'desk')],
  'gets the name of another one, which gets a new one': (entry) => [entry('other', 'third')],
};

async function begin({ onTestFinished }: TestContext, kind: Kind) {
  const entry = ENTRIES[kind];
  const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {
    mirrors: entry('desk'),
    watch: '{ every: 5s, settle: 100ms }',
  };
  const world = await startWorld(options);
  onTestFinished(() => world.close());
  const { calendar, sheets } = world.google.staff;
  sheets.addTab({ ...INTAKE, columns: HEADERS.length });
  sheets.setRow({ ...INTAKE, row: 1, values: HEADERS });
  sheets.addTab({ ...INTAKE, tab: OTHER_TAB, columns: HEADERS.length });
  sheets.setRow({ ...INTAKE, tab: OTHER_TAB, row: 1, values: HEADERS });
  const port = await world.door();
  await world.subscribe(port);
  let worker = await world.startWorker(port);
  const wish = () => {
    const zoned = (hours: number) => ({ dateTime: slot(hours), timeZone: 'UTC' });
    const start = zoned(24);
    if (kind === 'row')
      sheets.addRow({
        ...INTAKE,
        values: ['Haircut', `'${slot(24)}`, 'Vera Orlova', '8 495 000-11-01', 'Anna Petrova', true],
      });
    else
      calendar.add({
        calendarId: ANNA,
        event: { summary: '#book Vera Orlova', description: '+7 495 000-11-01', start, end: zoned(25) },
      });
  };
  /** What its author reads. */
  const said = () =>
    kind === 'row'
      ? String(world.rows('Intake')[1]?.[7] ?? '')
      : world
          .events(ANNA)
          .map((event) => String(event['description'] ?? ''))
          .join('\n');
  return {
    ...{ world, wish, said },
    idle: () => world.untilIdle(worker.url),
    async go(mirrors: string) {
      options.mirrors = mirrors;
      await world.stopWorker(worker);
      worker = await world.startWorker(port);
    },
    booked: () => world.platform.truth.appointments().filter(({ status }) => status !== 'cancelled'),
  };
}

const POST = { method: 'POST', path: /\/appointments$/ };
const soon = (holds: () => void) => vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 100 });
const CASES = combined(Object.keys(ENTRIES) as Kind[], Object.keys(EDITS));

test.concurrent.for(rowsOf(CASES, 3))(
  'P4: what waits in an %s is booked once its entry %s',
  async ([kind, edit], context) => {
    const { world, wish, idle, go, booked } = await begin(context, kind);
    await idle();
    let asked = 0;
    const back = world.platform.faults.add({
      ...POST,
      onStrike: () => {
        asked += 1;
      },
      fault: { kind: 'status', status: 503 },
    });
    wish();
    await soon(() => expect(asked).toBeGreaterThan(0));
    for (const yaml of EDITS[edit]?.(ENTRIES[kind]) ?? []) await go(yaml);
    back();
    await idle();
    await soon(() => expect(booked()).toHaveLength(1));
    await idle();
    expect(booked()).toHaveLength(1);
  },
);

test.concurrent.for(rowsOf(CASES, 3))(
  'P7: what was refused in an %s is not booked because its entry %s',
  async ([kind, edit], context) => {
    const { world, wish, said, idle, go, booked } = await begin(context, kind);
    const before = world.book({ hours: 24, name: 'Somebody' });
    await idle();
    wish();
    await soon(() => expect(said()).toMatch(/taken|free/i));
    await idle();
    world.platform.dashboard.cancel(before);
    await idle();
    for (const yaml of EDITS[edit]?.(ENTRIES[kind]) ?? []) {
      await go(yaml);
      await idle();
      // A poll of the sheet, and what follows.
      await new Promise((done) => setTimeout(done, 6_000));
    }
    await idle();
    expect(booked()).toEqual([]);
    expect(said()).toMatch(/taken|free/i);
  },
);
