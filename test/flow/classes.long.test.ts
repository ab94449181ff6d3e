/** The whole worker: everybody who comes to one class stands in one event. */

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Difference } from '../../src/engine/finding.ts';
import { openRedis } from '../../src/engine/redis-client.ts';
import type { PlannedChange } from '../../src/operate/audit/fix.ts';
import { explain } from '../../src/operate/explain.ts';
import { openExplainSession } from '../../src/worker/explain-session.ts';
import { type OperatorSession, openSession } from '../../src/worker/operator-session.ts';
import { appointmentsIn, readICalendar } from '../calendar/feed/read-icalendar.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { ANNA, MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

const COACH = 'coach@clinic.example';
const CLASSES = '    classes: { services: Yoga }\n';
const mirrorsWith = (classes: string) =>
  MIRRORS.replace('        Anna Petrova:', `        Coach: ${COACH}\n        Anna Petrova:`).replace(
    '    event:\n',
    `${classes}    event:\n`,
  );

const FEEDS = `
feeds:
  coach:
    resource: Coach
    where: { status: [pending, confirmed], since: 7d }
    event: { title: "{{ service_name }}, {{ customer_name }}", location: "{{ branch_name }}" }
`;

let world: World;
let port: number;
let coach: string;
let yoga: string;
/** What stands in the file now. */
let classes = CLASSES;

beforeEach(async () => {
  classes = CLASSES;
  world = await startWorld({
    watch: '{ every: 5s, settle: 100ms }',
    mirrors: `${mirrorsWith('#CLASSES\n')}${FEEDS}`,
    rewrite: (yaml) => yaml.replace('#CLASSES\n', classes),
  });
  port = await world.door();
  await world.subscribe(port);
  const { dashboard } = world.platform;
  const { projectId, branchId, anna } = world.company;
  coach = dashboard.createResource({ branchId, name: 'Coach', capacity: 6 });
  yoga = dashboard.createService({ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coach, anna] });
  world.google.addCalendar(COACH, { shareWith: [defaultAccount] });
});
afterEach(() => world.close());

const FED_WITHIN = { timeout: PATIENCE_MS, interval: 500 };
const eventually = (holds: () => void | Promise<void>) =>
  vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 100 });

const join = (hours = 26, name = 'Vera Orlova') =>
  world.book({ hours, name, resourceId: coach, serviceId: yoga });
const leave = (id: string) => world.platform.dashboard.cancel(id, { notify: false });

/** Title and start of what stands in a calendar, in the order of the hours. */
const shown = (calendarId = COACH) =>
  world
    .events(calendarId)
    .map((event) => {
      const start = event['start'] as { readonly dateTime?: string } | undefined;
      return `${String(event['summary'])} ${new Date(String(start?.dateTime)).toISOString()}`;
    })
    .sort();
const theEvent = () => {
  const [event, ...others] = world.events(COACH);
  if (event === undefined || others.length > 0) throw new Error(`${others.length + 1} events`);
  return { calendarId: COACH, eventId: String(event['id']), event };
};
const shownIds = () =>
  world
    .events(COACH)
    .map(({ id, summary }) => ({ id: String(id), summary: String(summary) }))
    .sort((a, b) => (a.summary > b.summary ? -1 : 1))
    .map(({ id }) => id);
const words = () => `${theEvent().event['summary']} ${theEvent().event['description'] ?? ''}`;
const appointment = (id: string) => world.platform.truth.appointment(id);

describe('a class', () => {
  test('is one event, which grows and shrinks, moves to where its people go, and comes back after it was empty', async () => {
    const { url } = await world.startWorker(port);
    const [first, second] = [join(), join()];
    const third = join();
    await eventually(() => expect(shown()).toEqual([`Yoga (3/6) ${slot(26)}`]));
    // Somebody else at that hour is in no class.
    world.book({ hours: 26 });
    await eventually(() => expect(shown(ANNA)).toEqual([`Haircut, Vera Orlova ${slot(26)}`]));
    leave(first);
    await eventually(() => expect(shown()).toEqual([`Yoga (2/6) ${slot(26)}`]));
    world.platform.dashboard.reschedule(second, { startsAt: slot(30) });
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`, `Yoga (1/6) ${slot(30)}`]));
    leave(third);
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(30)}`]));
    join();
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`, `Yoga (1/6) ${slot(30)}`]));
    await world.untilIdle(url);
    expect(shown()).toHaveLength(2);
    // Each is a row of its own, as ever.
    expect(world.rows('Visits')).toHaveLength(6);
  });

  test('is one event of its feed too, without names, under the same id, and leaves it with the last of them', async () => {
    classes = CLASSES.replace('Yoga }', 'Yoga, description: "{{ free }} free" }');
    const worker = await world.startWorker(port);
    const session = await openSession(world.config(port), { now: Date.now });
    try {
      const path = new URL((await session.feedLinks.make('coach')) ?? '').pathname;
      const fed = async () => {
        const answer = await fetch(`${worker.url}${path}`);
        return appointmentsIn(readICalendar(Buffer.from(await answer.arrayBuffer()))).map(({ properties }) =>
          ['SUMMARY', 'DESCRIPTION', 'LOCATION', 'UID'].map((name) => properties.get(name)?.value),
        );
      };
      const [first, second] = [join(), join(26, 'Nina Weber')];
      await vi.waitFor(
        async () => expect(await fed()).toEqual([['Yoga (2/6)', '4 free', 'Central', expect.any(String)]]),
        FED_WITHIN,
      );
      const [[, , , uid] = []] = await fed();
      leave(first);
      await vi.waitFor(
        async () => expect(await fed()).toEqual([['Yoga (1/6)', '5 free', 'Central', uid]]),
        FED_WITHIN,
      );
      // Somebody else at the coach's, in no class.
      const { projectId } = world.company;
      const advice = { projectId, name: 'Advice', durationMin: 60, resourceIds: [coach] };
      const serviceId = world.platform.dashboard.createService(advice);
      world.book({ hours: 28, resourceId: coach, serviceId });
      await vi.waitFor(async () => expect(await fed()).toHaveLength(2), FED_WITHIN);
      leave(second);
      await vi.waitFor(async () => {
        const titles = (await fed()).map(([title]) => title);
        expect(titles).toEqual(['Advice\\, Vera Orlova']);
      }, FED_WITHIN);
    } finally {
      await session.close();
    }
  });

  atLength.test(
    'with more people than places shows all of them, and is told of until it is over',
    async () => {
      classes = CLASSES.replace('Yoga }', 'Yoga, places: { Yoga: 2 } }');
      const before = await world.startWorker(port);
      const ids = [join(), join(), join()];
      await eventually(() => expect(words()).toContain('Yoga (3/2)'));
      await eventually(() =>
        expect(words()).toContain('More people are booked than there are places: 3 of 2.'),
      );
      const told = async ({ url }: { readonly url: string }) =>
        (await world.status(url)).problems.map(({ code }) => code);
      await eventually(async () => expect(await told(before)).toContain('class-overbooked'));
      await world.untilIdle(before.url);
      await world.stopWorker(before);
      const after = await world.startWorker(port);
      expect(await told(after)).toContain('class-overbooked');
      leave(ids[0] ?? '');
      await eventually(() => expect(theEvent().event['summary']).toBe('Yoga (2/2)'));
      await eventually(async () => expect(await told(after)).not.toContain('class-overbooked'));
    },
  );
});

describe('hands on the event of a class', () => {
  test.each(
    rowsOf(
      [
        ['is deleted', (at: Hand) => world.google.staff.calendar.remove(at)],
        ['is moved', (at: Hand) => world.google.staff.calendar.move({ ...at, start: slot(40) })],
        [
          'is dragged to a colleague',
          (at: Hand) => world.google.staff.calendar.moveToCalendar({ ...at, to: ANNA }),
        ],
      ],
      3,
    ),
  )('when it %s: it is put back with a word, and nobody is moved or cancelled', async (_, act) => {
    classes = `${CLASSES}    staff_edits: { moved: reschedule, deleted: cancel, grace: 5s }\n`;
    const { url } = await world.startWorker(port);
    const ids = [join(), join()];
    await eventually(() => expect(shown()).toEqual([`Yoga (2/6) ${slot(26)}`]));
    await world.untilIdle(url);
    act(theEvent());
    await eventually(() => {
      expect(words()).toContain('this event shows a class with all its bookings');
      expect(theEvent().event['start']).toMatchObject({ dateTime: expect.anything() });
      expect(shown()[0]).toContain(slot(26));
      expect(shown(ANNA)).toEqual([]);
    });
    await world.untilIdle(url);
    for (const id of ids)
      expect(appointment(id)).toMatchObject({ status: 'confirmed', starts_at: slot(26), resource_id: coach });
    // It says so until the class changes.
    join();
    await eventually(() => expect(words().trim()).toBe('Yoga (3/6)'));
  });

  atLength.test('when it is copied: the copy is people’s own', async () => {
    const { url } = await world.startWorker(port);
    join();
    await eventually(() => expect(shown()).toHaveLength(1));
    const { event: _, ...at } = theEvent();
    const copy = String(world.google.staff.calendar.duplicate({ ...at })['id']);
    await world.untilIdle(url);
    join();
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`, `Yoga (2/6) ${slot(26)}`]));
    expect(world.google.truth.event(at.calendarId, at.eventId)).toMatchObject({ summary: 'Yoga (2/6)' });
    expect(world.google.truth.event(at.calendarId, copy)).toMatchObject({ summary: 'Yoga (1/6)' });
  });
});

type Hand = { readonly calendarId: string; readonly eventId: string };

atLength.describe('an edit of the YAML', () => {
  test('takes single events over into classes, and gives them back', async () => {
    classes = '';
    const before = await world.startWorker(port);
    const [first] = [join(), join()];
    await eventually(() => expect(shown()).toHaveLength(2));
    await world.stopWorker(before);
    classes = CLASSES;
    const during = await world.startWorker(port);
    await eventually(() => expect(shown()).toEqual([`Yoga (2/6) ${slot(26)}`]));
    await world.untilIdle(during.url);
    leave(first ?? '');
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`]));
    await world.stopWorker(during);
    classes = '';
    join(26, 'Olga Belova');
    const after = await world.startWorker(port);
    await eventually(() =>
      expect(shown()).toEqual([`Yoga, Olga Belova ${slot(26)}`, `Yoga, Vera Orlova ${slot(26)}`]),
    );
    await world.untilIdle(after.url);
    expect(shown()).toHaveLength(2);
  });
});

describe('a loss of Redis', () => {
  test('leaves classes as the platform has them, also those that nobody comes to any more', async () => {
    const worker = await world.startWorker(port);
    const ids = [join(26), join(26), join(30), join(34)];
    await eventually(() => expect(shown()).toHaveLength(3));
    await world.untilIdle(worker.url);
    await world.stopWorker(worker);
    leave(ids[0] ?? '');
    leave(ids[2] ?? '');
    const redis = openRedis(world.redis.url, 'commands');
    await redis.flushall();
    redis.disconnect();
    const { url } = await world.startWorker(port);
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`, `Yoga (1/6) ${slot(34)}`]));
    await world.untilIdle(url);
    expect(shown()).toHaveLength(2);
  });
});

atLength.describe('the commands', () => {
  const inSession = async <T>(ask: (session: OperatorSession) => Promise<T>): Promise<T> => {
    const session = await openSession(world.config(port), { now: Date.now });
    try {
      return await ask(session);
    } finally {
      await session.close();
    }
  };
  const audited = (fix: (difference: Difference) => boolean = () => false) =>
    inSession(async (session) => {
      const found: Difference[] = [];
      const progress = () => undefined;
      const { standingIn, unjudged } = await session.audit({ tell: (each) => found.push(each), progress });
      const chosen = found.filter(fix);
      if (chosen.length > 0) await session.fixAll(chosen, standingIn);
      expect([...unjudged]).toEqual([]);
      return found.map(({ what, why, key }) => `${what} ${why} ${key.split('/')[0]}`).sort();
    });
  const planned = () =>
    inSession(async (session) => {
      const steps: string[] = [];
      const tell = ({ action, key }: PlannedChange) => steps.push(`${action} ${key.split('/')[0]}`);
      await session.planChanges({ tell, progress: () => undefined, isDetailed: false });
      return steps.sort();
    });

  test('audit compares classes with the platform, and heals them; explain says what shows an appointment', async () => {
    const worker = await world.startWorker(port);
    const [id] = [join(), join(), join(30)];
    await eventually(() => expect(shown()).toHaveLength(2));
    await world.untilIdle(worker.url);
    // What changed in the last seconds may be under way.
    await eventually(async () => expect(await audited()).toEqual([]));
    const story = await inSession(async () => {
      const session = await openExplainSession(world.config(port), { now: Date.now });
      try {
        const { mirrors } = await explain(session, { kind: 'appointment', id: id ?? '' });
        const because = mirrors.find(({ mirror }) => mirror === 'staff-calendars')?.because ?? '';
        const [key] = await session.find('any', because.split(' ').at(-1) ?? '');
        const [byEvent] = await session.find('event', String(world.events(COACH)[0]?.['id']));
        return { because, byEvent, told: key && (await explain(session, key)) };
      } finally {
        await session.close();
      }
    });
    expect(story.because).toContain('its class event shows it');
    expect(story.byEvent?.kind).toBe('class');
    expect(story.told).toMatchObject({
      known: true,
      state: { service_id: yoga, resource_id: coach, starts_at: slot(26) },
      mirrors: [{ mirror: 'staff-calendars', taken: true, events: [{ calendar: COACH, in_doubt: false }] }],
    });
    await world.stopWorker(worker);
    const [changed, gone] = shownIds();
    world.google.staff.calendar.edit({
      calendarId: COACH,
      eventId: changed ?? '',
      patch: { summary: 'Mine' },
    });
    world.google.staff.calendar.remove({ calendarId: COACH, eventId: gone ?? '' });
    world.platform.silently(() => leave(id ?? ''));
    await eventually(async () => {
      // The row of who has left is behind as well.
      expect(await audited()).toEqual([
        'missing foreign-edit class',
        'stale missed-event appointment',
        'stale missed-event class',
      ]);
    });
    await audited(() => true);
    // The repair comes first: the watch that reads the deletion before it would tell in the event who deleted it.
    world.google.faults.add({
      method: 'GET',
      path: /\/events(?:\?|$)/,
      fault: { kind: 'status', status: 503 },
    });
    await world.startWorker(port);
    await eventually(() => expect(shown()).toEqual([`Yoga (1/6) ${slot(26)}`, `Yoga (1/6) ${slot(30)}`]));
    expect(world.google.faults.hits()).toBeGreaterThan(0);
    world.google.faults.clear();
    await eventually(async () => expect(await audited()).toEqual([]));
  });

  test('plan tells what the YAML would make of classes, in both directions', async () => {
    classes = '';
    const before = await world.startWorker(port);
    join();
    join();
    await eventually(() => expect(shown()).toHaveLength(2));
    await world.untilIdle(before.url);
    await world.stopWorker(before);
    expect(await planned()).toEqual([]);
    classes = CLASSES;
    expect(await planned()).toEqual(['created class', 'removed appointment', 'removed appointment']);
    const during = await world.startWorker(port);
    await eventually(() => expect(shown()).toHaveLength(1));
    await world.untilIdle(during.url);
    await world.stopWorker(during);
    expect(await planned()).toEqual([]);
    classes = '';
    expect(await planned()).toEqual(['created appointment', 'created appointment', 'removed class']);
  });
});
