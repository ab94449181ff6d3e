/** The whole worker: staff drag the event of a class, and all who come are moved, or nobody is. */

import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openRedis } from '../../src/engine/redis-client.ts';
import { runHere } from '../stand/command.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { ANNA, MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

const COACH = 'coach@clinic.example';
const HALL = 'hall@clinic.example';
let classes = '';
let where = '';

let world: World;
let port: number;
let coach: string;
let yoga: string;

beforeEach(async () => {
  classes =
    '    classes: { services: Yoga, moved: all }\n    staff_edits: { grace: 5s, notify_customer: true }\n';
  where = 'where: { since: 7d }';
  world = await startWorld({
    watch: '{ every: 5s, settle: 100ms }',
    mirrors: MIRRORS.replace(
      '        Anna Petrova:',
      `        Coach: ${COACH}\n        Hall: ${HALL}\n        Anna Petrova:`,
    ).replace('    event:\n', '#CLASSES\n    event:\n'),
    rewrite: (yaml) => yaml.replace('#CLASSES\n', classes).replace('where: { since: 7d }', where),
  });
  port = await world.door();
  await world.subscribe(port);
  const { dashboard } = world.platform;
  const { projectId, branchId, anna } = world.company;
  coach = dashboard.createResource({ branchId, name: 'Coach', capacity: 6 });
  const hall = dashboard.createResource({ branchId, name: 'Hall', kind: 'place', capacity: 60 });
  yoga = dashboard.createService({
    ...{ projectId, name: 'Yoga', durationMin: 60, resourceIds: [coach, anna] },
    secondResourceIds: [hall],
  });
  world.google.addCalendar(COACH, { shareWith: [defaultAccount] });
  world.google.addCalendar(HALL, { shareWith: [defaultAccount] });
});
afterEach(() => world.close());

const eventually = (holds: () => void | Promise<void>) =>
  vi.waitFor(holds, { timeout: PATIENCE_MS, interval: 100 });

const join = (hours = 26) => world.book({ hours, resourceId: coach, serviceId: yoga });
const shown = (calendarId = COACH) =>
  world
    .events(calendarId)
    .map((event) => {
      const start = event['start'] as { readonly dateTime?: string } | undefined;
      // What is said beside the title stands behind a dash.
      return `${String(event['summary']).split(' — ')[0]} ${new Date(String(start?.dateTime)).toISOString()}`;
    })
    .sort();
const at = (hours: number, calendarId = COACH) => {
  const found = world.events(calendarId).find((event) => {
    const { dateTime } = event['start'] as { readonly dateTime: string };
    return new Date(dateTime).toISOString() === slot(hours);
  });
  if (found === undefined) throw new Error(`no event at ${hours}`);
  return { calendarId, eventId: String(found['id']), event: found };
};
const words = (hours = 26) => `${at(hours).event['summary']} ${at(hours).event['description'] ?? ''}`;
const drag = (to: number, from = 26) => {
  const { event: _, ...place } = at(from);
  world.google.staff.calendar.move({ ...place, start: slot(to) });
};
const appointment = (id: string) => world.platform.truth.appointment(id);
const starts = (ids: readonly string[]) => ids.map((id) => String(appointment(id)?.['starts_at']));
const mails = () => world.platform.truth.customerMails().map(({ reason }) => reason);
const problems = async (url: string) => (await world.status(url)).problems.map(({ code }) => code);

/** What else happens before the n-th reschedule from now on is carried out. */
function onMoves(...acts: readonly ((() => void) | undefined)[]): () => number {
  return onSlowMoves(1, ...acts);
}

function onSlowMoves(ms: number, ...acts: readonly ((() => void) | undefined)[]): () => number {
  let strikes = 0;
  world.platform.faults.add({
    ...{ method: 'POST', path: /reschedule/, fault: { kind: 'delay', ms } },
    onStrike: () => {
      strikes += 1;
      acts[strikes - 1]?.();
    },
  });
  return () => strikes;
}

async function classOf(size: number) {
  const worker = await world.startWorker(port);
  const { url } = worker;
  const ids = Array.from({ length: size }, () => join());
  await eventually(() => expect(shown()).toEqual([`Yoga (${size}/6) ${slot(26)}`]));
  await world.untilIdle(url);
  return { worker, url, ids };
}

describe('the event of a class that staff drag to another hour', () => {
  test.each(
    rowsOf(
      [
        [6, HALL],
        [1, COACH],
      ],
      2,
    ),
  )(
    'takes all %i along, dragged in %s, and customers are told as the mapping says',
    async (size, calendarId) => {
      const { url, ids } = await classOf(size);
      const before = mails().length;
      const { event: _, ...place } = at(26, calendarId);
      world.google.staff.calendar.move({ ...place, start: slot(30) });
      await eventually(() => {
        expect(starts(ids)).toEqual(ids.map(() => slot(30)));
        expect(shown()).toEqual([`Yoga (${size}/6) ${slot(30)}`]);
        expect(shown(HALL)).toEqual([`Yoga (${size}/6) ${slot(30)}`]);
      });
      await world.untilIdle(url);
      expect(shown()).toEqual([`Yoga (${size}/6) ${slot(30)}`]);
      expect(mails().slice(before)).toEqual(ids.map(() => 'rescheduled'));
      expect(await problems(url)).toEqual([]);
    },
  );

  atLength.test('half an hour later, into its own time, takes all along', async () => {
    const { url, ids } = await classOf(6);
    drag(26.5);
    await eventually(() => expect(starts(ids)).toEqual(ids.map(() => slot(26.5))));
    await world.untilIdle(url);
    expect(shown()).toEqual([`Yoga (6/6) ${slot(26.5)}`]);
  });

  atLength.test('joins those who come to the other hour anyway', async () => {
    const { url, ids } = await classOf(2);
    const others = [join(30), join(30)];
    drag(30);
    await eventually(() => expect(shown()).toEqual([`Yoga (4/6) ${slot(30)}`]));
    await world.untilIdle(url);
    expect(starts([...ids, ...others])).toEqual(Array(4).fill(slot(30)));
  });

  atLength.test(
    'twice, while the first move is under way: the second wish counts, for the same people',
    async () => {
      const { url, ids } = await classOf(3);
      onMoves(undefined, () => drag(34, 30));
      drag(30);
      await eventually(() => expect(starts(ids)).toEqual(ids.map(() => slot(34))));
      await world.untilIdle(url);
      expect(shown()).toEqual([`Yoga (3/6) ${slot(34)}`]);
      expect(await problems(url)).toEqual([]);
    },
  );

  atLength.test('and back while the move is under way: all are where they were', async () => {
    const { url, ids } = await classOf(3);
    const strikes = onMoves(undefined, () => drag(26, 30));
    drag(30);
    await eventually(() => expect(strikes()).toBe(6));
    await eventually(() => expect(starts(ids)).toEqual(ids.map(() => slot(26))));
    await world.untilIdle(url);
    expect(shown()).toEqual([`Yoga (3/6) ${slot(26)}`]);
    expect(shown(HALL)).toEqual([`Yoga (3/6) ${slot(26)}`]);
  });
});

describe('nobody is moved', () => {
  const stays = async (url: string, ids: readonly string[], word: string) => {
    await eventually(() => expect(words()).toContain(word));
    await world.untilIdle(url);
    expect(words()).toContain(word);
    expect(starts(ids)).toEqual(ids.map(() => slot(26)));
    expect(mails()).not.toContain('rescheduled');
    expect(mails()).not.toContain('cancelled');
  };

  atLength.test('to an hour with too few places, and free ones are named', async () => {
    const { url, ids } = await classOf(3);
    for (let n = 0; n < 4; n += 1) join(30);
    drag(30);
    await stays(url, ids, 'this time is already taken.');
    expect(words()).toContain('Nearest free times');
  });

  atLength.test('into the past', async () => {
    const { url, ids } = await classOf(2);
    drag(-2);
    await stays(url, ids, 'this time has already passed');
  });

  atLength.test('when one of them can not be moved any more', async () => {
    const { url, ids } = await classOf(2);
    world.platform.dashboard.markAppointment(ids[0] ?? '', 'arrived');
    drag(30);
    await stays(url, ids, 'can no longer be moved');
  });

  atLength.test('when the event does not show all of them', async () => {
    where = 'where: { since: 7d, guests: { max: 1 } }';
    const { url, ids } = await classOf(2);
    const { dashboard } = world.platform;
    const about = { serviceId: yoga, resourceId: coach, startsAt: slot(26), customerName: 'Group' };
    const group = dashboard.bookAs('lk', { ...about, customerPhone: '+74950001102', guests: 2 });
    drag(30);
    await stays(url, [...ids, group], 'does not show all bookings of the class');
  });

  atLength.test('to an hour at which the event would not be shown', async () => {
    where = 'where: { since: 7d, until: 3d }';
    const { url, ids } = await classOf(2);
    drag(200);
    await stays(url, ids, 'or would not at that hour');
  });

  atLength.test('when the event is deleted, or dragged to a colleague', async () => {
    const { url, ids } = await classOf(2);
    const { event: _, ...first } = at(26);
    world.google.staff.calendar.remove(first);
    await stays(url, ids, 'this event shows a class with all its bookings');
    const { event: __, ...second } = at(26);
    world.google.staff.calendar.moveToCalendar({ ...second, to: ANNA });
    await eventually(() => {
      expect(shown()).toEqual([`Yoga (2/6) ${slot(26)}`]);
      expect(shown(ANNA)).toEqual([]);
    });
    await stays(url, ids, 'this event shows a class with all its bookings');
  });

  atLength.test('on a guess, after Redis was lost', async () => {
    const { worker, ids } = await classOf(2);
    await world.stopWorker(worker);
    drag(30);
    const redis = openRedis(world.redis.url, 'commands');
    await redis.flushall();
    redis.disconnect();
    const { url } = await world.startWorker(port);
    await eventually(() => expect(shown()).toEqual([`Yoga (2/6) ${slot(26)}`]));
    await world.untilIdle(url);
    expect(starts(ids)).toEqual(ids.map(() => slot(26)));
  });
});

describe('while a class is moved', () => {
  test('one who is refused brings all back, with the reason', async () => {
    const { url, ids } = await classOf(3);
    onMoves(() => {
      for (let n = 0; n < 5; n += 1) join(30);
    });
    drag(30);
    await eventually(() => expect(words()).toContain('this time is already taken.'));
    await world.untilIdle(url);
    expect(words()).toContain('this time is already taken.');
    expect(starts(ids)).toEqual(ids.map(() => slot(26)));
    expect(shown()).toEqual([`Yoga (3/6) ${slot(26)}`, `Yoga (5/6) ${slot(30)}`]);
    expect(mails()).not.toContain('cancelled');
    expect(await problems(url)).toEqual([]);
  });

  atLength.test('one who can not go back is told of, until a person has mended it', async () => {
    const { url, ids } = await classOf(3);
    const strangers: string[] = [];
    const five = () => {
      for (let n = 0; n < 5; n += 1) join(30);
    };
    onMoves(five, () => {
      for (let n = 0; n < 4; n += 1) strangers.push(join(26));
    });
    drag(30);
    await eventually(async () => expect(await problems(url)).toEqual(['class-split']));
    await world.untilIdle(url);
    const [problem] = (await world.status(url)).problems;
    expect(problem?.message).toContain(slot(26));
    expect(problem?.message).toContain(slot(30));
    expect(starts(ids).sort()).toEqual([slot(26), slot(26), slot(30)]);
    expect(shown()).toEqual([`Yoga (6/6) ${slot(26)}`, `Yoga (6/6) ${slot(30)}`]);
    expect(words()).toContain('this time is already taken.');
    expect(mails()).not.toContain('cancelled');
    world.platform.dashboard.cancel(strangers[0] ?? '', { notify: false });
    const astray = ids.find((id) => appointment(id)?.['starts_at'] === slot(30)) ?? '';
    world.platform.dashboard.reschedule(astray, { startsAt: slot(26) });
    await eventually(async () => expect(await problems(url)).toEqual([]));
  });

  atLength.test(
    'whoever is moved or cancelled by somebody else stays so, and who books late stays behind',
    async () => {
      const { url, ids } = await classOf(4);
      const [, moved = '', cancelled = ''] = [...ids].sort();
      let late = '';
      onMoves(() => {
        world.platform.dashboard.reschedule(moved, { startsAt: slot(40) });
        world.platform.dashboard.cancel(cancelled, { notify: false });
        late = join(26);
      });
      drag(30);
      await eventually(() =>
        expect(shown()).toEqual([
          `Yoga (1/6) ${slot(26)}`,
          `Yoga (1/6) ${slot(40)}`,
          `Yoga (2/6) ${slot(30)}`,
        ]),
      );
      await world.untilIdle(url);
      expect(starts([moved, late])).toEqual([slot(40), slot(26)]);
      expect(appointment(cancelled)).toMatchObject({ status: 'cancelled' });
    },
  );

  atLength.test.each(['before', 'meanwhile'] as const)(
    'one who is erased %s moves along, and no story of that person begins anew',
    async (when) => {
      const { projectId } = world.company;
      const { dashboard } = world.platform;
      const contactId = dashboard.createContact({ projectId, name: 'Vera Orlova', phone: '+74950001101' });
      const { url, ids } = await classOf(3);
      const [first = ''] = [...ids].sort();
      dashboard.linkContact(first, contactId);
      await world.untilIdle(url);
      const erase = () =>
        runHere(['forget', 'contact', contactId, '--yes', '--config', world.writeConfig(port)]);
      let erased = when === 'before' ? erase() : undefined;
      await erased;
      onSlowMoves(1_000, () => {
        erased ??= erase();
      });
      drag(30);
      await eventually(() => expect(starts(ids)).toEqual(ids.map(() => slot(30))));
      expect(await erased).toMatchObject({ code: 0 });
      await world.untilIdle(url);
      expect(starts(ids)).toEqual(ids.map(() => slot(30)));
      expect(shown()).toEqual([`Yoga (3/6) ${slot(30)}`]);
      expect(shown(HALL)).toEqual([`Yoga (3/6) ${slot(30)}`]);
      expect(mails()).not.toContain('cancelled');
      expect(await problems(url)).toEqual([]);
      const redis = openRedis(world.redis.url, 'commands');
      expect(await redis.keys(`*history:appointment/${first}`)).toEqual([]);
      redis.disconnect();
    },
  );
});
