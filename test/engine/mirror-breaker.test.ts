import { describe, expect, test } from 'vitest';
import { DeferredError, TerminalError } from '../../src/engine/errors.ts';
import { MirrorBreaker } from '../../src/engine/reconcile.ts';
import type { Waits } from '../../src/engine/work.ts';
import { KeptLog } from '../doubles/listener.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { double } from '../stand/double.ts';

const MANY = 20;
const HOUR_MS = 3_600_000;

function openBreaker(problems = new MemoryProblemBoard()) {
  const clock = { ms: 1_800_000_000_000, now: () => clock.ms };
  /** Up to when the turns of waiting objects were called back, and when. */
  const recalled: (readonly [number, number])[] = [];
  const log = new KeptLog();
  /** Objects that were given a turn. */
  const called: string[] = [];
  const breaker = new MirrorBreaker({
    ...{ mirrors: ['contacts', 'calendars'], problems, clock, log },
    placeOf: (path) => path.join('.'),
    putOff: double({
      recall: async (...times) => recalled.push(times),
      delayedUntilMs: async () => undefined,
    }),
    queue: { add: (keys) => void called.push(...keys) },
  });
  const fail = (key: string, column: string) =>
    breaker.failed(
      'contacts',
      key,
      new TerminalError('template-failed', 'no such filter', { setting: ['columns', column] }),
    );
  return { clock, problems, breaker, fail, recalled, called, log };
}

async function stopped() {
  const stand = openBreaker();
  await failMany(stand);
  return stand;
}

async function failMany({ fail }: Pick<ReturnType<typeof openBreaker>, 'fail'>, times = MANY) {
  for (let n = 0; n < times; n += 1) await fail(`contact/${n}`, 'Note');
}

/** Another object asks to be written; undefined: it may. */
const asked = ({ breaker }: ReturnType<typeof openBreaker>) => breaker.hindrance('contacts', 'contact/new');

test('objects that fail for different reasons stop nothing', async () => {
  const { problems, fail } = openBreaker();
  for (let n = 0; n < 2 * MANY; n += 1) await fail(`contact/${n}`, n % 2 === 0 ? 'Note' : 'Name');
  expect(await problems.list()).toEqual([]);
});

test('one of those that failed may be retried: it fails as itself, and holds back no other', async () => {
  const { clock, breaker, fail } = await stopped();
  expect(await breaker.hindrance('contacts', 'contact/0')).toBeUndefined();
  expect(await fail('contact/0', 'Note')).toBeInstanceOf(TerminalError);
  expect(await breaker.hindrance('contacts', 'contact/new')).toBeInstanceOf(DeferredError);
  clock.ms += 15_000;
  expect(await breaker.hindrance('contacts', 'contact/new')).toBeUndefined();
  expect(await fail('contact/new', 'Note')).toBeInstanceOf(DeferredError);
});

test('a clock that is set back by hours does not hold back the next try', async () => {
  const { clock, breaker } = await stopped();
  clock.ms -= 3 * HOUR_MS;
  expect(await breaker.hindrance('contacts', 'contact/new')).toBeUndefined();
});

test('the stop names the setting, says how long an object waits, and holds back no other mirror', async () => {
  const stand = await stopped();
  expect(await asked(stand)).toMatchObject({
    code: 'mirror-stopped',
    target: 'mirror:contacts',
    retryAfterMs: HOUR_MS,
  });
  expect(await stand.breaker.hindrance('calendars', 'contact/new')).toBeUndefined();
  const names = ['mirrors.contacts.columns.Note', 'template-failed'];
  expect(await stand.problems.list()).toMatchObject([{ target: 'mirror:contacts', names }]);
  expect(stand.log.lines).toMatchObject([
    { fields: { mirror: 'contacts', code: 'template-failed', where: names[0] } },
  ]);
});

test('nineteen objects stop nothing, and neither do twenty over more than ten minutes', async () => {
  const stand = openBreaker();
  await failMany(stand, MANY - 1);
  stand.clock.ms += 10 * 60_000;
  await stand.fail('contact/late', 'Note');
  expect(await asked(stand)).toBeUndefined();
});

test('twenty within ten minutes stop the mirror', async () => {
  const stand = openBreaker();
  await failMany(stand, MANY - 1);
  stand.clock.ms += 10 * 60_000 - 1;
  await stand.fail('contact/late', 'Note');
  expect(await asked(stand)).toBeInstanceOf(DeferredError);
});

test('one object that fails twenty times stops nothing, nor do twenty with a success between them', async () => {
  const stand = openBreaker();
  for (let n = 0; n < MANY; n += 1) await stand.fail('contact/1', 'Note');
  await failMany(stand, MANY - 1);
  await stand.breaker.wrote('contacts');
  await stand.fail('contact/late', 'Note');
  expect(await asked(stand)).toBeUndefined();
  expect(stand.recalled).toEqual([]);
});

test('only what a person must mend counts, and only of a mirror of the YAML', async () => {
  const stand = openBreaker();
  const passing = new DeferredError('google-quota', 'later', { target: 'calendar:a', retryAfterMs: 1_000 });
  const lasting = new TerminalError('template-failed', 'no such filter', {});
  for (let n = 0; n < MANY; n += 1) {
    expect(await stand.breaker.failed('contacts', `contact/${n}`, passing)).toBe(passing);
    expect(await stand.breaker.failed('bookings', `booking/${n}`, lasting)).toBe(lasting);
  }
  expect(await asked(stand)).toBeUndefined();
  expect(await stand.breaker.hindrance('bookings', 'booking/new')).toBeUndefined();
});

test('each try that fails doubles the pause, up to half an hour', async () => {
  const stand = await stopped();
  for (const pauseMs of [15_000, 30_000, 60_000, 120_000, 240_000, 480_000, 960_000, 1_800_000, 1_800_000]) {
    stand.clock.ms += pauseMs - 1;
    expect(await asked(stand)).toBeInstanceOf(DeferredError);
    stand.clock.ms += 1;
    expect(await asked(stand)).toBeUndefined();
    await stand.fail('contact/new', 'Note');
  }
});

test('objects whose turns were under way when the stop began wait, and lengthen no pause', async () => {
  const stand = await stopped();
  for (let n = 0; n < 9; n += 1)
    expect(await stand.fail(`contact/under-way-${n}`, 'Note')).toBeInstanceOf(DeferredError);
  stand.clock.ms += 15_000;
  expect(await asked(stand)).toBeUndefined();
});

test('a try without an end is followed by another after the pause', async () => {
  const stand = await stopped();
  for (const waitMs of [15_000, 15_000]) {
    stand.clock.ms += waitMs - 1;
    expect(await asked(stand)).toBeInstanceOf(DeferredError);
    stand.clock.ms += 1;
    expect(await asked(stand)).toBeUndefined();
  }
});

test('while the board gives the try to another worker, objects wait', async () => {
  const stand = await stopped();
  stand.problems.isTurn = false;
  stand.clock.ms += 15_000;
  expect(await asked(stand)).toBeInstanceOf(DeferredError);
});

test('a success ends the stop: the problem goes, and all that waited get their turn now', async () => {
  const stand = await stopped();
  await stand.breaker.wrote('contacts');
  expect(await asked(stand)).toBeUndefined();
  expect(await stand.problems.list()).toEqual([]);
  expect(stand.recalled).toEqual([[stand.clock.ms, stand.clock.ms]]);
  expect(stand.log.lines.at(-1)).toMatchObject({ fields: { mirror: 'contacts', objects: 1 } });
});

test('a success that another worker saw ends the stop here at the next try', async () => {
  const stand = await stopped();
  await stand.problems.clear('mirror:contacts');
  expect(await asked(stand)).toBeInstanceOf(DeferredError);
  stand.clock.ms += 15_000;
  expect(await asked(stand)).toBeUndefined();
  expect(stand.recalled).toHaveLength(1);
  expect(await stand.breaker.hindrance('contacts', 'contact/another')).toBeUndefined();
});

test('where no object asks, the next look ends a stop whose problem another worker has ended (P8)', async () => {
  const stand = await stopped();
  await stand.breaker.tryWaiting();
  expect(await asked(stand)).toBeInstanceOf(DeferredError);
  await stand.problems.clear('mirror:contacts');
  await stand.breaker.tryWaiting();
  expect(await asked(stand)).toBeUndefined();
  expect(stand.recalled).toHaveLength(1);
  expect(stand.called).toEqual([]);
});

test('a look while a stop is being told does not end it', async () => {
  const problems = new MemoryProblemBoard();
  const stand = openBreaker(problems);
  let tell = () => {};
  const mayTell = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const { raise } = problems;
  problems.raise = async (problem) => {
    await mayTell;
    await raise.call(problems, problem);
  };
  await failMany(stand, MANY - 1);
  const last = stand.fail('contact/last', 'Note');
  await stand.breaker.tryWaiting();
  tell();
  await last;
  expect(await asked(stand)).toBeInstanceOf(DeferredError);
  expect(problems.codes()).toEqual({ 'mirror:contacts': 'mirror-stopped' });
});

test('a success ends the problem of a worker that is gone (P8), but none that was raised after it', async () => {
  const { problems } = await stopped();
  const { breaker: other, fail } = openBreaker(problems);
  await other.wrote('contacts');
  expect(problems.codes()).toEqual({ 'mirror:contacts': 'mirror-stopped' });
  await other.tryWaiting();
  expect(problems.codes()).toEqual({});
  await other.wrote('contacts');
  await failMany({ fail });
  await other.tryWaiting();
  expect(problems.codes()).toEqual({ 'mirror:contacts': 'mirror-stopped' });
});

test('a success while the board is asked ends the stop once more, and harms nothing', async () => {
  const stand = await stopped();
  await stand.problems.clear('mirror:contacts');
  stand.clock.ms += 15_000;
  const [may] = await Promise.all([asked(stand), stand.breaker.wrote('contacts')]);
  expect(may).toBeUndefined();
  expect(await stand.breaker.hindrance('contacts', 'contact/another')).toBeUndefined();
});

test.each([
  ['within the hour waits twice as long', HOUR_MS - 1, 30_000],
  ['after the hour begins anew', HOUR_MS, 15_000],
])('a stop %s', async (_, laterMs, pauseMs) => {
  const stand = await stopped();
  await stand.breaker.wrote('contacts');
  stand.clock.ms += laterMs;
  await failMany(stand);
  stand.clock.ms += pauseMs - 1;
  expect(await asked(stand)).toBeInstanceOf(DeferredError);
  stand.clock.ms += 1;
  expect(await asked(stand)).toBeUndefined();
});

test('stops that follow each other wait half an hour at most', async () => {
  const stand = openBreaker();
  for (let stops = 0; stops < 9; stops += 1) {
    await failMany(stand);
    await stand.breaker.wrote('contacts');
  }
  await failMany(stand);
  stand.clock.ms += 30 * 60_000 - 1;
  expect(await asked(stand)).toBeInstanceOf(DeferredError);
  stand.clock.ms += 1;
  expect(await asked(stand)).toBeUndefined();
});

test('of the waits of an object, those for a stop that has ended do not hold', async () => {
  const stand = await stopped();
  const wait = (mirror: string, code: string) => ({ untilMs: 1, reason: { mirror, code, message: '' } });
  const waits = {
    contacts: wait('contacts', 'mirror-stopped'),
    calendars: wait('calendars', 'mirror-stopped'),
    other: wait('calendars', 'google-quota'),
  } as unknown as Waits;
  expect(Object.keys(stand.breaker.holding('contact/new', waits))).toEqual(['contacts', 'other']);
});

describe('objects that wait try themselves after the pause, so that nothing needs to change meanwhile', () => {
  const waits = {
    contacts: { untilMs: 1, reason: { mirror: 'contacts', code: 'mirror-stopped', message: '' } },
  };
  const holds = ({ breaker }: ReturnType<typeof openBreaker>, key: string) =>
    Object.keys(breaker.holding(key, waits as unknown as Waits)).length === 1;
  async function waiting(count: number) {
    const stand = await stopped();
    for (let n = 0; n < count; n += 1) await stand.breaker.hindrance('contacts', `contact/w${n}`);
    return stand;
  }

  test('none before its end, then twenty at once, the newest first, and the others after them', async () => {
    const stand = await waiting(30);
    stand.clock.ms += 15_000 - 1;
    await stand.breaker.tryWaiting();
    expect(stand.called).toEqual([]);
    expect(holds(stand, 'contact/w29')).toBe(true);
    stand.clock.ms += 1;
    await stand.breaker.tryWaiting();
    await stand.breaker.tryWaiting();
    expect(stand.called).toEqual(Array.from({ length: 20 }, (_, n) => `contact/w${n + 10}`));
    expect([holds(stand, 'contact/w29'), holds(stand, 'contact/w9')]).toEqual([false, true]);
    for (const key of stand.called.splice(0)) {
      expect(await stand.breaker.hindrance('contacts', key)).toBeUndefined();
      // Its turn has begun: what it is to wait for now holds.
      expect(holds(stand, key)).toBe(true);
      expect(await stand.fail(key, 'Note')).toBeInstanceOf(DeferredError);
    }
    expect(await stand.breaker.hindrance('contacts', 'contact/w29')).toBeInstanceOf(DeferredError);
    // The call has doubled the pause, and the failures of those that were called have not.
    stand.clock.ms += 30_000 - 1;
    await stand.breaker.tryWaiting();
    expect(stand.called).toEqual([]);
    stand.clock.ms += 1;
    await stand.breaker.tryWaiting();
    expect(stand.called).toHaveLength(20);
    expect(stand.called).toEqual(
      expect.arrayContaining(Array.from({ length: 10 }, (_, n) => `contact/w${n}`)),
    );
  });

  test('one success among them ends the stop', async () => {
    const stand = await waiting(3);
    stand.clock.ms += 15_000;
    await stand.breaker.tryWaiting();
    await stand.breaker.wrote('contacts');
    expect(await asked(stand)).toBeUndefined();
    expect(stand.recalled).toHaveLength(1);
  });

  test('while another worker has the try, none is called, and where nobody waits, the pause stays', async () => {
    const stand = await waiting(1);
    stand.problems.isTurn = false;
    stand.clock.ms += 15_000;
    await stand.breaker.tryWaiting();
    expect(stand.called).toEqual([]);
    const other = await stopped();
    other.clock.ms += 15_000;
    await other.breaker.tryWaiting();
    expect(await asked(other)).toBeUndefined();
  });

  test('also one that waits since an earlier stop, and has had no turn between the two', async () => {
    const stand = await waiting(1);
    await stand.breaker.wrote('contacts');
    await failMany(stand);
    for (let turns = 0; turns < 2; turns += 1) expect(holds(stand, 'contact/w0')).toBe(true);
    stand.clock.ms += 30_000;
    await stand.breaker.tryWaiting();
    expect(stand.called).toEqual(['contact/w0']);
  });

  test('the oldest beyond a thousand are left to the end of the stop', async () => {
    const stand = await waiting(1_100);
    for (let round = 0; round < 60; round += 1) {
      stand.clock.ms += HOUR_MS;
      await stand.breaker.tryWaiting();
    }
    expect(new Set(stand.called).size).toBe(1_000);
    expect(stand.called).not.toContain('contact/w99');
  });
});
