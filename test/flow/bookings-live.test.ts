/** The whole worker: staff drop events into their calendars, and see them booked or refused there. */
import { expect, type TestContext, test, vi } from 'vitest';
import { startOf } from '../stand/edits.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BORIS, slot, startWorld, type World } from '../stand/world.ts';

const MIRRORS = `
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
        Anna Petrova: ${ANNA}
        Boris Ivanov: ${BORIS}
    event: { title: "{{ service_name }}, {{ customer_name }}", description: "{{ customer_phone }}" }
bookings:
  walk-ins:
    from: { calendar: [${ANNA}, ${BORIS}] }
    when: { title: "#book *" }
    service: "{{ title | service }}"
    customer: { name: "{{ description | split: ',' | first }}", phone: "{{ description | phone }}" }
    recurring: each
    horizon: 30d
    still_for: 1s
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
`;

/** Worlds of their own, which mostly wait: three stand beside each other. */
async function begin({ onTestFinished }: TestContext) {
  const world = await startWorld({ mirrors: MIRRORS, watch: '{ every: 5s, settle: 100ms }' });
  onTestFinished(() => world.close());
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  const appointments = () =>
    world.platform.truth
      .appointments()
      .filter(({ status }) => status !== 'cancelled')
      .map(({ starts_at }) => String(starts_at));
  return { world, url, appointments };
}

const eventually = (holds: () => void) => vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 100 });

function drop(
  world: World,
  hours: number,
  { description = 'Vera Orlova, +7 495 000-11-01', fields = {} } = {},
): string {
  const start = slot(hours);
  const end = new Date(Date.parse(start) + 3_600_000).toISOString();
  const added = world.google.staff.calendar.add({
    calendarId: ANNA,
    event: {
      summary: '#book haircut please',
      description,
      start: { dateTime: start, timeZone: 'UTC' },
      end: { dateTime: end, timeZone: 'UTC' },
      ...fields,
    },
  });
  return String(added['id']);
}

test.concurrent('an event is booked and becomes the mirror; moving it moves the appointment, and deleting it cancels the appointment', async (context) => {
  const { world, url, appointments } = await begin(context);
  const id = drop(world, 26);
  await eventually(() => expect(appointments()).toEqual([slot(26)]));
  await eventually(() =>
    expect(world.google.truth.event(ANNA, id)).toMatchObject({
      // The service takes 45 minutes, and the event was drawn for an hour.
      description: expect.stringMatching(/^\+74950001101\n\n─+\nThe length was put back/),
    }),
  );
  await world.untilIdle(url);
  expect(world.events(ANNA).map(startOf)).toEqual([slot(26)]);
  world.google.staff.calendar.move({ calendarId: ANNA, eventId: id, start: slot(28) });
  await eventually(() => expect(appointments()).toEqual([slot(28)]));
  await world.untilIdle(url);
  expect(world.events(ANNA).map(startOf)).toEqual([slot(28)]);
  world.google.staff.calendar.remove({ calendarId: ANNA, eventId: id });
  await eventually(() => expect(appointments()).toEqual([]));
  await world.untilIdle(url);
  expect(world.events(ANNA)).toEqual([]);
});

atLength.test.concurrent(
  'an event that says too little is refused in its description, and booked once it is mended',
  async (context) => {
    const { world, url, appointments } = await begin(context);
    const id = drop(world, 26, { description: 'Vera Orlova' });
    await eventually(() =>
      expect(world.google.truth.event(ANNA, id)?.['description']).toMatch(/please give the phone number/),
    );
    world.google.staff.calendar.describe({
      calendarId: ANNA,
      eventId: id,
      description: 'Vera Orlova, +7 495 000-11-01',
    });
    await eventually(() => expect(appointments()).toEqual([slot(26)]));
    await world.untilIdle(url);
    expect(world.events(ANNA)).toHaveLength(1);
  },
);

atLength.test.concurrent(
  'case 42: each event of a series is booked, and deleting the series cancels their appointments',
  async (context) => {
    const { world, url, appointments } = await begin(context);
    const id = drop(world, 26, {
      fields: {
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'],
      },
    });
    const later = new Date(Date.parse(slot(26)) + 7 * 86_400_000).toISOString();
    await eventually(() => expect(appointments().sort()).toEqual([slot(26), later]));
    await world.untilIdle(url);
    expect(appointments()).toHaveLength(2);
    world.google.staff.calendar.remove({ calendarId: ANNA, eventId: id });
    await eventually(() => expect(appointments()).toEqual([]));
  },
);

atLength.test.concurrent(
  'two hundred invitations of thousands of lines keep no colleague waiting: each is passed over unread',
  async (context) => {
    const { world, url, appointments } = await begin(context);
    await world.untilIdle(url);
    const start = { dateTime: slot(30), timeZone: 'UTC' };
    const end = { dateTime: slot(31), timeZone: 'UTC' };
    const sent = Array.from({ length: 200 }, () =>
      world.google.staff.calendar.add({
        calendarId: ANNA,
        event: {
          ...{ summary: '#book haircut please', description: '\n'.repeat(8_000), start, end },
          guestsCanModify: true,
        },
        organizer: { email: 'somebody@elsewhere.example' },
      }),
    );
    drop(world, 26);
    let isBooked = false;
    const probe = async () => {
      let answers = 0;
      while (!isBooked) {
        expect((await fetch(`${url}/healthz`)).status).toBe(200);
        answers += 1;
      }
      return answers;
    };
    const probed = probe();
    await eventually(() => expect(appointments()).toEqual([slot(26)]));
    isBooked = true;
    expect(await probed).toBeGreaterThan(0);
    await world.untilIdle(url);
    // No walk lost its lease, and none was begun again.
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^slotbridge_calendar_syncs_total\{.*end="/m);
    expect(metrics).not.toMatch(/^slotbridge_calendar_syncs_total\{.*end="failed"/m);
    expect((await world.status(url)).problems).toEqual([]);
    for (const { id, etag } of sent) expect(world.google.truth.event(ANNA, String(id))?.['etag']).toBe(etag);
    expect(appointments()).toEqual([slot(26)]);
  },
);
