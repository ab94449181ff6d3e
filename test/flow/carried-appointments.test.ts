// A tab of appointments in which the office moves and cancels, beside the calendars of staff, through the whole worker.
import { DateTime } from 'luxon';
import { expect, type TestContext, test, vi } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import { startOf } from '../stand/edits.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BOOK, BORIS, slot as hourAt, startWorld } from '../stand/world.ts';

const mirrors = (more = '') => `
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars: { map: { Anna Petrova: ${ANNA}, Boris Ivanov: ${BORIS} } }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
  visits:
    from: appointments
    where: { since: 7d }
    sheet: { spreadsheet: ${BOOK}, tab: Visits, check_every: 1s, edited: carry, answers: Answer, cancel: Cancel, timezone: Europe/Moscow${more} }
    columns:
      ID: "{{ id }}"
      Start: { value: "{{ starts_at }}", as: datetime }
      Name: "{{ customer_name }}"
      Service: "{{ service_name }}"
      Status: "{{ status }}"
`;
const AT = { spreadsheetId: BOOK, tab: 'Visits' };
const soon = (what: () => void | Promise<void>) => vi.waitFor(what, { timeout: PATIENCE_MS, interval: 100 });
/** At half past: a typed midnight is a day without an hour. */
const HALF_H = 0.5;
const slot = (hours: number) => hourAt(hours + HALF_H);
/** As a person types it. */
const typed = (iso: string) => DateTime.fromISO(iso, { zone: 'Europe/Moscow' }).toFormat('yyyy-MM-dd HH:mm');

async function begin({ onTestFinished }: TestContext, more = '') {
  const world = await startWorld({ mirrors: mirrors(more), watch: '{ every: 5s, settle: 100ms }' });
  onTestFinished(() => world.close());
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  const rowNumber = (id: string) => world.rows('Visits').findIndex(([key]) => key === id) + 1;
  const row = (id: string) => {
    const [headers = [], ...rows] = world.rows('Visits');
    const cells = rows[rowNumber(id) - 2] ?? [];
    return Object.fromEntries(headers.map((header, i) => [String(header), cells[i] ?? '']));
  };
  const put = (id: string, column: string, value: string | boolean) =>
    world.google.staff.sheets.typeInto({ ...AT, row: rowNumber(id), column, value });
  const appointment = (id: string) => world.platform.truth.appointment(id);
  const book = (name: string, hours: number) => world.book({ name, hours: hours + HALF_H });
  return { world, url, row, put, appointment, book };
}

test.concurrent('a typed start moves appointment and event, its way back as well, and a tick cancels; a sort in between harms nobody', async (context) => {
  const { world, url, row, put, appointment, book } = await begin(context);
  const ids = ['Ada Lovelace', 'Bea Miles', 'Cleo Stone'].map((name, i) => book(name, 24 + 3 * i));
  const [ada = '', bea = '', cleo = ''] = ids;
  await world.untilIdle(url);
  expect(row(ada)).toMatchObject({ Name: 'Ada Lovelace', Cancel: false, Answer: '' });
  put(ada, 'Start', typed(slot(40)));
  await soon(() => expect(appointment(ada)).toMatchObject({ starts_at: slot(40), status: 'confirmed' }));
  await soon(() => expect(row(ada)).toMatchObject({ Answer: 'Moved in the booking system.' }));
  await world.untilIdle(url);
  expect(world.events(ANNA).map(startOf).sort()).toEqual([slot(27), slot(30), slot(40)]);
  // One column is sorted alone, then the whole tab.
  world.google.staff.sheets.sortRange({ ...AT, range: 'C2:C4', column: 'Name', descending: true });
  await soon(() => expect(row(ada)).toMatchObject({ Name: 'Ada Lovelace' }));
  await world.untilIdle(url);
  world.google.staff.sheets.sortTab({ ...AT, column: 'Name', descending: true });
  // Undone.
  put(ada, 'Start', typed(slot(24)));
  await soon(() => expect(appointment(ada)).toMatchObject({ starts_at: slot(24) }));
  // What is typed under a write would only be put back.
  await world.untilIdle(url);
  put(bea, 'Cancel', true);
  await soon(() => expect(appointment(bea)).toMatchObject({ status: 'cancelled' }));
  await soon(() =>
    expect(row(bea)).toMatchObject({ Cancel: false, Answer: 'Cancelled in the booking system.' }),
  );
  await world.untilIdle(url);
  expect(appointment(cleo)).toMatchObject({ starts_at: slot(30), status: 'confirmed' });
  expect(world.events(ANNA).map(startOf).sort()).toEqual([slot(24), slot(30)]);
  expect(world.platform.truth.customerMails().filter(({ reason }) => reason !== 'created')).toEqual([]);
});

atLength.test.concurrent(
  'a refusal is said with free times, several ticks cancel nobody, and answers that are lost double nothing',
  async (context) => {
    const { world, url, row, put, appointment, book } = await begin(context, ', notify_customer: true');
    const [ada, bea] = [book('Ada Lovelace', 24), book('Bea Miles', 27)];
    await world.untilIdle(url);
    put(ada, 'Start', typed(new Date(Date.parse(slot(27)) + 900_000).toISOString()));
    await soon(() =>
      expect(row(ada)['Answer']).toMatch(/^Not possible: this time is already taken\.\nNearest free times:/),
    );
    await world.untilIdle(url);
    for (const id of [ada, bea]) put(id, 'Cancel', true);
    await soon(() => expect(row(bea)['Answer']).toMatch(/Several rows were ticked at once/));
    await world.untilIdle(url);
    expect([appointment(ada), appointment(bea)]).toMatchObject([
      { status: 'confirmed', starts_at: slot(24) },
      { status: 'confirmed', starts_at: slot(27) },
    ]);
    world.platform.faults.add({
      ...{ method: 'POST', path: /\/(reschedule|cancel)$/, times: 2 },
      fault: { kind: 'commit-then-reset' },
    });
    put(ada, 'Start', typed(slot(40)));
    await soon(() => expect(row(ada)).toMatchObject({ Answer: 'Moved in the booking system.' }));
    put(bea, 'Cancel', true);
    await soon(() => expect(row(bea)).toMatchObject({ Answer: 'Cancelled in the booking system.' }));
    await world.untilIdle(url);
    expect(world.events(ANNA).map(startOf)).toEqual([slot(40)]);
    const mails = world.platform.truth.customerMails().map(({ reason }) => reason);
    expect(mails.filter((reason) => reason !== 'created').sort()).toEqual(['cancelled', 'rescheduled']);
  },
);

atLength.test.concurrent(
  'the office and staff act at the same time: one of them counts, the other one is told',
  async (context) => {
    const { world, url, row, put, appointment, book } = await begin(context);
    const [ada, bea, cleo] = [book('Ada Lovelace', 24), book('Bea Miles', 27), book('Cleo Stone', 30)];
    await world.untilIdle(url);
    // Both move; staff delete what the office moves; the office cancels what the platform moves.
    world.google.staff.calendar.move({ calendarId: ANNA, eventId: eventIdOf(ada), start: slot(50) });
    put(ada, 'Start', typed(slot(60)));
    world.google.staff.calendar.remove({ calendarId: ANNA, eventId: eventIdOf(bea) });
    put(bea, 'Start', typed(slot(63)));
    await soon(() => expect([slot(50), slot(60)]).toContain(appointment(ada)?.['starts_at']));
    await world.untilIdle(url);
    world.platform.dashboard.reschedule(cleo, { startsAt: slot(70) });
    put(cleo, 'Cancel', true);
    await world.untilIdle(url);
    await soon(() => expect(row(cleo)['Answer']).toMatch(/^Not changed: Cancel\./));
    expect(appointment(cleo)).toMatchObject({ status: 'confirmed', starts_at: slot(70) });
    // Whichever was carried first counts, and the other side says that it did not.
    const isOffice = appointment(ada)?.['starts_at'] === slot(60);
    const told = isOffice
      ? JSON.stringify(world.google.truth.event(ANNA, eventIdOf(ada)))
      : String(row(ada)['Answer']);
    expect(told).toMatch(/in the meantime|being rewritten/);
    const isCancelled = appointment(bea)?.['status'] === 'cancelled';
    if (isCancelled) expect(appointment(bea)).toMatchObject({ starts_at: slot(27) });
    else expect(appointment(bea)).toMatchObject({ starts_at: slot(63) });
    await world.untilIdle(url);
    const shown = world.events(ANNA).map(startOf).sort();
    const live = [ada, bea, cleo].filter((id) => appointment(id)?.['status'] !== 'cancelled');
    expect(shown).toEqual(live.map((id) => appointment(id)?.['starts_at']).sort());
  },
);
