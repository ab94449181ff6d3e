/** Turns of one person's blocks over a platform in memory: what is asked of it, and what is kept of its answers. */

import { describe, expect, test } from 'vitest';
import {
  blockOf,
  blockWriter,
  bookingsIn,
  createBlockWaker,
  everyAppointment,
  send,
} from '../../../src/calendar/block-target.ts';
import { blockOrigin, blocksApproved, type SeenBusy } from '../../../src/engine/block.ts';
import type { IntentStore, OpenRequest, Subject } from '../../../src/engine/intent.ts';
import { NO_DIRECTORY } from '../../../src/engine/mirror.ts';
import { type Appointment, ORIGIN_MARK } from '../../../src/engine/object.ts';
import type { CalendarBookings } from '../../../src/engine/outside-booking.ts';
import type { PlatformWriter } from '../../../src/engine/platform.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { double } from '../../stand/double.ts';
import {
  appointment,
  at,
  DIRECTORY,
  type Given,
  HOUR,
  type Hours,
  MINUTE,
  NOON,
  RULE,
  seenBusy,
  stand,
  TUESDAY,
} from './turns-stand.ts';

const MASS = 'blocks:private/anna';

describe('a turn', () => {
  test('books the busy time, for the contact of the house, and repeats nothing', async () => {
    const { turn, done, bodies, blocks, report, log, filters, claims, claim } = stand({ busy: [[9, 10]] });
    expect(await turn()).toBe('created');
    expect(done).toEqual(['book 9']);
    expect(bodies).toMatchObject([
      {
        ...{ service_id: 'busy', branch_id: 'b', resource_id: 'anna', contact_id: 'house' },
        ...{ starts_at: at(TUESDAY + 9 * HOUR), duration_min: 60, notify_customer: false },
        metadata: { [ORIGIN_MARK]: blockOrigin('anna', TUESDAY + 9 * HOUR) },
      },
    ]);
    expect(claims).toEqual([claim]);
    expect(await report()).toEqual({
      ...{ rule: 'private', atMs: NOON, held: 0, unread: 0, tooShort: 0, standing: 1, refused: [] },
    });
    expect(log.lines.filter(({ message }) => message === 'blocks updated')).toEqual([
      {
        ...{ level: 'info', message: 'blocks updated' },
        fields: { resource: 'anna', booked: 1, moved: 0, cancelled: 0, refusals: [], held: 0 },
      },
    ]);
    expect(filters).toEqual([
      {
        ...{ resource_id: 'anna', 'starts_at[gte]': '2026-03-01T00:00:00.000Z' },
        'starts_at[lt]': '2026-04-02T00:00:00.000Z',
      },
    ]);
    expect(await turn()).toBe('nothing');
    expect(blocks()).toEqual(['9-10']);
    expect(log.lines.filter(({ message }) => message === 'blocks updated')).toHaveLength(1);
    expect(await report()).toMatchObject({ standing: 1 });
  });

  test('moves a block of the same length, and mails nobody', async () => {
    const { turn, done, bodies, report, stored } = stand({
      busy: [[11, 12]],
      standing: [appointment('a', [9, 10])],
    });
    expect(await turn()).toBe('moved');
    expect(done).toEqual(['move a to 11']);
    const before = { startsAt: at(TUESDAY + 9 * HOUR), resourceId: 'anna' };
    expect(stored).toMatchObject([{ op: 'move', before }]);
    expect(bodies).toEqual([
      { starts_at: at(TUESDAY + 11 * HOUR), resource_id: 'anna', notify_customer: false },
    ]);
    expect(await report()).toMatchObject({ standing: 1 });
  });

  test('cancels a block whose event is gone, and mails nobody', async () => {
    const { turn, done, bodies, report, log } = stand({ standing: [appointment('a', [9, 10])] });
    expect(await turn()).toBe('removed');
    expect(done).toEqual(['cancel a']);
    expect(bodies).toEqual([{ notify_customer: false }]);
    expect(await report()).toMatchObject({ standing: 0 });
    expect(log.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ cancelled: 1 }) }),
    );
  });

  test('counts what it keeps, moves and books as standing, and busy time that no block fits into', async () => {
    const standing = [appointment('k', [1, 2]), appointment('m', [3, 4])];
    const guest = appointment('g', [6, 7], { contact_id: 'guest', metadata: {} });
    const other = appointment('o', [7.25, 9], { service_id: 'cut' });
    const busy: Hours[] = [
      [1, 2],
      [4, 5],
      [10, 12],
      [7, 7.25],
    ];
    const { turn, report, log } = stand({ busy, standing: [...standing, guest, other] });
    expect(await turn()).toBe('created');
    expect(await report()).toMatchObject({ standing: 3, tooShort: 1 });
    expect(log.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ booked: 1, moved: 1 }) }),
    );
  });

  test.each<[string, Given]>([
    ['nothing was read', { snapshot: undefined }],
    ['the person has left the YAML', { key: { kind: 'block', id: 'boris' }, busy: [[9, 10]] }],
    ['the entry is paused', { rule: { paused: true }, busy: [[9, 10]] }],
  ])('does nothing where %s', async (_, given) => {
    const { turn, filters } = stand(given);
    expect(await turn()).toBe('nothing');
    expect(filters).toEqual([]);
  });

  test('is one of the blocks', () => {
    expect(stand().target).toMatchObject({ name: 'blocks', from: 'block' });
  });
});

describe('many cancellations at once', () => {
  const eleven = Array.from({ length: 11 }, (_, n) => appointment(`a${n}`, [n, n + 1]));

  test('wait for a person', async () => {
    const { turn, done, problems, report, memory } = stand({ standing: eleven });
    expect(await turn()).toBe('nothing');
    expect(done).toEqual([]);
    expect(await report()).toMatchObject({ held: 11, unread: 0 });
    expect(await problems.list()).toMatchObject([
      {
        ...{ target: MASS, code: 'blocks-mass-cancel' },
        message: '11 blocks of one person would be cancelled at once, and wait',
        advice: expect.stringContaining('slotbridge approve blocks private'),
      },
    ]);
    await memory.set(blocksApproved('private'), String(NOON + HOUR));
    expect(await turn()).toBe('removed');
    expect(problems.codes()).toEqual({});
  });

  test('are judged by the blocks that are still to come', async () => {
    const kept = (count: number) =>
      Array.from({ length: count }, (_, n) => [24 + 1.5 * n, 25 + 1.5 * n] as const);
    const of = (count: number) => ({
      busy: kept(count),
      standing: [
        ...[...eleven, appointment('over', [-13, -12])],
        ...kept(count).map((hours, n) => appointment(`k${n}`, hours)),
      ],
    });
    const many = stand(of(10));
    expect(await many.turn()).toBe('nothing');
    expect(many.problems.codes()).toEqual({ [MASS]: 'blocks-mass-cancel' });
    const few = stand(of(11));
    expect(await few.turn()).toBe('removed');
    expect(few.done).toHaveLength(11);
  });

  test('are only held back without a word where a calendar was not read', async () => {
    const { turn, done, problems, report } = stand({ busy: null, standing: eleven.slice(0, 2) });
    await problems.raise({ target: MASS, code: 'blocks-mass-cancel', message: '', advice: '' });
    expect(await turn()).toBe('nothing');
    expect(done).toEqual([]);
    expect(await report()).toMatchObject({ held: 2, unread: 1 });
    expect(problems.codes()).toEqual({});
  });
});

describe('a refusal', () => {
  const broken = 'blocks:private';

  test('about the time is noted, asked again after half an hour, and stops nothing else', async () => {
    const about = {
      busy: [
        [9, 10],
        [12, 13],
      ] as Hours[],
    };
    const refuses = (path: string) => (path === 'book 9' ? 'slot-unavailable' : undefined);
    const { turn, done, report, problems, clock, log } = stand({ ...about, refuses });
    expect(await turn()).toBe('created');
    expect(done).toEqual(['book 9', 'book 12']);
    const noted = { startMs: TUESDAY + 9 * HOUR, endMs: TUESDAY + 10 * HOUR, code: 'slot-unavailable' };
    expect(await report()).toMatchObject({ standing: 1, refused: [{ ...noted, atMs: NOON }] });
    expect(log.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ refusals: ['slot-unavailable'] }) }),
    );
    clock.advance(30 * MINUTE - 1);
    await problems.raise({ target: broken, code: 'blocks-refused', message: '', advice: '' });
    expect(await turn()).toBe('nothing');
    expect(done).toHaveLength(2);
    expect(await report()).toMatchObject({ refused: [{ ...noted, atMs: NOON }] });
    expect(problems.codes()).toEqual({ [broken]: 'blocks-refused' });
    clock.advance(1);
    expect(await turn()).toBe('nothing');
    expect(done).toEqual(['book 9', 'book 12', 'book 9']);
  });

  test('that rests keeps no other time waiting, and nothing is well while another comes', async () => {
    const busy: Hours[] = [
      [9, 10],
      [12, 13],
      [14, 15],
    ];
    const refuses = (path: string) => (path === 'book 12' ? 'conflict' : undefined);
    const rests = { startMs: TUESDAY + 9 * HOUR, endMs: TUESDAY + 10 * HOUR, code: 'conflict', atMs: NOON };
    const { turn, done, memory, problems, report } = stand({ busy: busy.slice(0, 2), refuses });
    await memory.set('block-report anna', JSON.stringify({ refused: [rests] }));
    await problems.raise({ target: broken, code: 'blocks-refused', message: '', advice: '' });
    expect(await turn()).toBe('nothing');
    expect(done).toEqual(['book 12']);
    expect(problems.codes()).toEqual({ [broken]: 'blocks-refused' });
    expect(await report()).toMatchObject({ refused: [{ startMs: rests.startMs }, { code: 'conflict' }] });
    const moving = stand({ busy, refuses, standing: [appointment('a', [1, 2])] });
    await moving.problems.raise({ target: broken, code: 'blocks-refused', message: '', advice: '' });
    expect(await moving.turn()).toBe('created');
    expect(moving.done).toEqual(['move a to 9', 'book 12', 'book 14']);
    expect(moving.problems.codes()).toEqual({});
  });

  test('of a move cancels a block at whose time nobody is busy', async () => {
    const about = { busy: [[11, 12]] as Hours[], standing: [appointment('a', [9, 10])] };
    const { turn, done, report } = stand({
      ...about,
      refuses: (path) => (path.startsWith('move') ? 'moved-meanwhile' : undefined),
    });
    expect(await turn()).toBe('removed');
    expect(done).toEqual(['move a to 11', 'cancel a']);
    expect(await report()).toMatchObject({
      refused: [{ startMs: TUESDAY + 11 * HOUR, code: 'moved-meanwhile' }],
    });
  });

  test.each([
    ...['slot-unavailable', 'outside-working-hours', 'starts-at-in-past', 'no-resources', 'moved-meanwhile'],
    ...['appointment-not-reschedulable', 'appointment-not-cancellable', 'not-found', 'conflict'],
  ])('%s is about the time', async (code) => {
    const { turn, done, problems } = stand({
      busy: [
        [9, 10],
        [12, 13],
      ],
      refuses: () => code,
    });
    expect(await turn()).toBe('nothing');
    expect(done).toEqual(['book 9', 'book 12']);
    expect(problems.codes()).toEqual({});
  });

  test('of everything ends the turn, and a person is told until something works again', async () => {
    let isBroken = true;
    const busy: Hours[] = [
      [9, 10],
      [12, 13],
    ];
    const { turn, done, problems, report, clock } = stand({
      busy,
      refuses: () => (isBroken ? 'contact-not-found' : undefined),
    });
    expect(await turn()).toBe('nothing');
    expect(done).toEqual(['book 9']);
    expect(await problems.list()).toMatchObject([
      {
        ...{ target: broken, code: 'blocks-refused' },
        message: 'the platform refuses every block of this entry (contact-not-found)',
        advice: expect.stringContaining('slotbridge check --live'),
      },
    ]);
    expect(await report()).toMatchObject({ standing: 0, refused: [{ code: 'contact-not-found' }] });
    isBroken = false;
    clock.advance(30 * MINUTE);
    expect(await turn()).toBe('created');
    expect(problems.codes()).toEqual({});
  });

  test('of everything keeps the block that was to be moved', async () => {
    const about = {
      busy: [
        [11, 12],
        [13, 15],
      ] as Hours[],
      standing: [appointment('a', [9, 10])],
    };
    const { turn, done, problems } = stand({ ...about, refuses: () => 'service-inactive' });
    expect(await turn()).toBe('nothing');
    expect(done).toEqual(['move a to 11']);
    expect(problems.codes()).toEqual({ [broken]: 'blocks-refused' });
  });

  test('of a cancellation ends the turn before anything is moved', async () => {
    const standing = [appointment('a', [3, 5]), appointment('b', [9, 10])];
    const about = {
      busy: [
        [11, 12],
        [13, 15.5],
      ] as Hours[],
      standing,
    };
    const { turn, done, report, log } = stand({ ...about, refuses: () => 'forbidden' });
    expect(await turn()).toBe('nothing');
    expect(done).toEqual(['cancel a']);
    expect(await report()).toMatchObject({ refused: [] });
    expect(log.lines.filter(({ message }) => message === 'blocks updated')).toEqual([]);
  });

  test('is over when a move works, or a turn has nothing to do', async () => {
    for (const busy of [[[11, 12]], [[9, 10]]] as Hours[][]) {
      const { turn, problems } = stand({ busy, standing: [appointment('a', [9, 10])] });
      await problems.raise({ target: broken, code: 'blocks-refused', message: '', advice: '' });
      await turn();
      expect(problems.codes()).toEqual({});
    }
  });
});

describe('more than one turn may send', () => {
  const many = (count: number): Hours[] =>
    Array.from({ length: count }, (_, n) => [n / 2 + n / 4, n / 2 + n / 4 + 0.5]);

  test('waits for another turn, which goes on', async () => {
    const { turn, target, claim, done, problems, report } = stand({ busy: many(21) });
    await problems.raise({ target: 'blocks:private', code: 'blocks-refused', message: '', advice: '' });
    await expect(target.reconcile(claim)).rejects.toMatchObject({
      ...{ code: 'blocks-more-to-do', family: 'deferred', retryAfterMs: 1_000, target: 'platform' },
    });
    expect(done).toHaveLength(20);
    expect(await report()).toMatchObject({ standing: 20, refused: [] });
    expect(problems.codes()).toEqual({});
    expect(await turn()).toBe('created');
    expect(done).toHaveLength(21);
  });

  test('ends with twenty', async () => {
    const { turn, done } = stand({ busy: many(20) });
    expect(await turn()).toBe('created');
    expect(done).toHaveLength(20);
  });

  test('is no proof that the entry works, if nothing was booked', async () => {
    const standing = many(21).map((hours, n) => appointment(`a${n}`, hours));
    const { turn, memory, problems, done } = stand({ standing });
    await memory.set(blocksApproved('private'), String(NOON + HOUR));
    const well = stand({ standing });
    await well.memory.set(blocksApproved('private'), String(NOON + HOUR));
    expect(await well.turn()).toBe('blocks-more-to-do');
    expect(well.problems.codes()).toEqual({});
    await problems.raise({ target: 'blocks:private', code: 'blocks-refused', message: '', advice: '' });
    expect(await turn()).toBe('blocks-more-to-do');
    expect(done).toHaveLength(20);
    expect(problems.codes()).toEqual({ 'blocks:private': 'blocks-refused' });
  });

  test('notes nothing of what was not sent', async () => {
    const moves = many(21).map((hours, n) => appointment(`a${n}`, hours));
    const busy = many(21).map(([from, to]): Hours => [from + 24, to + 24]);
    const { turn, done, report } = stand({ standing: moves, busy });
    expect(await turn()).toBe('blocks-more-to-do');
    expect(done).toHaveLength(20);
    expect(await report()).toMatchObject({ refused: [], standing: 20 });
  });
});

describe('a request that is still open', () => {
  const origin = blockOrigin('anna', TUESDAY + 9 * HOUR);
  const wish = (durationMin = 60): Subject => ({
    ...{ op: 'book', customer: { contact_id: 'house' } },
    wish: {
      ...{ op: 'book', serviceId: 'busy', branchId: 'b', resourceId: 'anna', notifyCustomer: false },
      ...{ startsAt: at(TUESDAY + 9 * HOUR), durationMin, customer: { contactId: 'house', create: false } },
    },
  });
  /** Its answer never came. */
  async function opened(given: Given = {}) {
    const world = stand(given);
    const lost = {
      ...world.parts,
      writer: { ...world.parts.writer, create: () => Promise.reject(new Error('lost')) },
    };
    await send(lost, { origin }, wish()).catch(() => {});
    expect(world.requests.get(origin)?.open).toMatchObject({ generation: 1 });
    return world;
  }

  test('is sent again where it is still wanted', async () => {
    const { turn, done, requests } = await opened({ busy: [[9, 10]] });
    expect(await turn()).toBe('created');
    expect(done).toEqual(['book 9']);
    expect(requests.get(origin)).toMatchObject({ generation: 1, open: undefined });
  });

  test('ends first where another length is wanted, and the plan is made again', async () => {
    const { parts, platform, requests } = await opened();
    const open = requests.get(origin)?.open ?? expect.fail('nothing open');
    const metadata = { [ORIGIN_MARK]: origin, slotbridge_request: open.key };
    platform.set('a', appointment('a', [9, 10], { metadata }));
    expect(await send(parts, { origin }, wish(90))).toMatchObject({ isOther: true, outcome: 'done' });
    expect(requests.get(origin)?.open).toBeUndefined();
    expect(await send(parts, { origin }, wish(90))).toMatchObject({ isOther: false, outcome: 'done' });
    expect(requests.get(origin)).toMatchObject({ generation: 2 });
  });

  test('is withdrawn where another length is wanted and nothing was booked', async () => {
    const { parts, clock, done } = await opened();
    clock.advance(HOUR);
    expect(await send(parts, { origin }, wish(90))).toMatchObject({ isOther: false, outcome: 'done' });
    expect(done).toEqual(['book 9']);
  });

  test('whose block was booked and cancelled since is no block: the turn is repeated', async () => {
    const busy: Hours[] = [
      [9, 10],
      [12, 13],
    ];
    const { turn, platform, requests, done } = await opened({ busy });
    const open = requests.get(origin)?.open ?? expect.fail('nothing open');
    const metadata = { [ORIGIN_MARK]: origin, slotbridge_request: open.key };
    platform.set('a', appointment('a', [9, 10], { metadata, status: 'cancelled', resource_ids: [] }));
    expect(await turn()).toBe('blocks-more-to-do');
    expect(done).toEqual([]);
    expect(await turn()).toBe('created');
    expect(done).toEqual(['book 9', 'book 12']);
  });

  test('is sent again and refused: that is noted', async () => {
    const { turn, report } = await opened({ busy: [[9, 10]], refuses: () => 'conflict' });
    expect(await turn()).toBe('nothing');
    expect(await report()).toMatchObject({ refused: [{ code: 'conflict' }] });
  });

  test('and cancels has done so when it is answered', async () => {
    const { turn, parts, done, platform } = stand({ standing: [appointment('a', [9, 10])] });
    const writer = { ...parts.writer, cancel: () => Promise.reject(new Error('lost')) };
    const subject: Subject = {
      ...{ op: 'cancel', wish: { op: 'cancel', appointmentId: 'a', notifyCustomer: false } },
    };
    await expect(send({ ...parts, writer }, { origin }, subject)).rejects.toThrow('lost');
    expect(await turn()).toBe('removed');
    expect(done).toEqual(['cancel a']);
    expect(platform.get('a')?.status).toBe('cancelled');
  });

  test('is no reason to wait, if it makes a card', async () => {
    const { parts, requests, done } = stand();
    const contact = { op: 'contact', key: 'k', generation: 1 } as unknown as OpenRequest;
    requests.set(origin, { generation: 1, open: contact, appointmentId: undefined, ended: [] });
    expect(await send(parts, { origin }, wish())).toMatchObject({ isOther: false });
    expect(done).toEqual(['book 9']);
  });

  test('of another handler is not overwritten', async () => {
    const { parts, done } = stand();
    const intents: IntentStore = double({
      ...{ seed: async () => 'seed', read: async () => undefined, begin: async () => ({ outcome: 'stale' }) },
    });
    await expect(send({ ...parts, intents }, { origin }, wish())).rejects.toMatchObject({
      ...{ code: 'intent-contended', family: 'retryable', target: 'platform' },
    });
    expect(done).toEqual([]);
  });
});

describe('a block', () => {
  const about = { contactId: 'house', serviceId: 'busy' };
  const block = appointment('a', [9, 10]);

  test.each<[string, Partial<Appointment>, boolean]>([
    ['pending', { status: 'pending' }, true],
    ['confirmed', {}, true],
    ['that has begun', { status: 'arrived' }, false],
    ['of another contact', { contact_id: 'guest' }, false],
    ['of another service', { service_id: 'cut' }, false],
    ['without the mark', { metadata: null }, false],
    ['with the mark of a booking', { metadata: { [ORIGIN_MARK]: 'row 5' } }, false],
  ])('%s', (_, fields, isBlock) => {
    const origin = blockOrigin('anna', TUESDAY + 9 * HOUR);
    expect(blockOf({ ...block, ...fields }, about)).toBe(isBlock ? origin : undefined);
  });
});

describe('a list', () => {
  test('is read to its end, or not believed', async () => {
    const afters: (string | undefined)[] = [];
    const pages = (count: number): Pick<PlatformWriter, 'list'> => ({
      async list(_, after) {
        afters.push(after);
        return { data: [appointment(`a${afters.length}`, [9, 10])], hasMore: afters.length < count };
      },
    });
    const all: string[] = [];
    for await (const { id } of everyAppointment(pages(30), {})) all.push(id);
    expect(all).toHaveLength(30);
    expect(afters.slice(0, 3)).toEqual([undefined, 'a1', 'a2']);
    afters.length = 0;
    const read = async () => {
      for await (const _ of everyAppointment(pages(31), {}));
    };
    await expect(read()).rejects.toMatchObject({
      ...{ code: 'blocks-list-too-long', family: 'retryable', target: 'platform' },
      advice: 'Shorten the horizon of the entry of blocks.',
    });
    expect(afters).toHaveLength(30);
  });

  test('whose page is empty has ended', async () => {
    const writer = { list: async () => ({ data: [], hasMore: true }) };
    for await (const _ of everyAppointment(writer, {})) expect.fail('nothing is there');
  });
});

test('the writer of blocks passes everything on, and looks for no free times', async () => {
  const { writer } = stand({ standing: [appointment('a', [9, 10])] });
  const blocks = blockWriter(writer);
  expect(blocks.timeoutMs).toBe(10_000);
  expect(await blocks.get('a')).toMatchObject({ id: 'a' });
  expect(await blocks.slots({ serviceId: 'busy', fromMs: 0, toMs: 1 })).toEqual({
    ...{ projectId: '', bookingMode: '', zone: 'UTC', slots: [], windows: [], hasMore: false },
  });
});

test('people book in a calendar by the rules of each entry that names it, in whatever case', () => {
  const entry = (calendarIds: string[], when: object) =>
    ({ calendars: calendarIds.map((calendarId) => ({ calendarId })), when }) as unknown as CalendarBookings;
  const of = bookingsIn([
    entry(['other@x.example', 'Anna@x.example'], { title: 'a' }),
    entry(['boris@x.example'], { title: 'b' }),
  ]);
  expect(of('anna@X.example')).toEqual([{ title: 'a' }]);
  expect(of('nobody@x.example')).toEqual([]);
});

describe('the blocks of a person are looked at', () => {
  const block = appointment('a', [9, 10]);
  const meeting = { ...block, metadata: null };
  const later: SeenBusy = seenBusy([[9, 10]]);

  async function woken(
    snapshot: Claim['snapshot'],
    { seen = later, rule = {}, nowMs = NOON, isRead = true } = {},
  ): Promise<readonly string[]> {
    const marked: unknown[] = [];
    const queued: string[] = [];
    const waker = createBlockWaker({
      ...{ rules: [{ ...RULE, ...rule }], directory: { current: () => DIRECTORY } },
      clock: { now: () => nowMs },
      view: { peek: async (key) => (isRead ? ({ key, snapshot: seen } as unknown as Claim) : undefined) },
      dirtyMarks: {
        async markDirty(keys, how) {
          marked.push(...keys, how);
          return [];
        },
      },
      queue: { add: (keys) => void queued.push(...keys) },
    });
    expect(waker).toMatchObject({ name: 'blocks-bell', from: 'appointment' });
    expect(await waker.reconcile({ ...stand().claim, snapshot })).toBe('nothing');
    expect(marked).toEqual(queued.length === 0 ? [] : [{ kind: 'block', id: 'anna' }, { read: false }]);
    return queued;
  }
  const WOKEN = ['block/anna'];

  test.each<[string, Claim['snapshot'], readonly string[]]>([
    ['with them', meeting, WOKEN],
    ['with them as a second resource', { ...meeting, resource_id: 'room' }, WOKEN],
    ['with them as the only resource', { ...meeting, resource_ids: 'odd' }, WOKEN],
    [
      'that was cancelled and names nobody',
      { ...meeting, status: 'cancelled', resource_id: null, resource_ids: [] },
      WOKEN,
    ],
    [
      'that was cancelled with somebody else',
      { ...meeting, status: 'cancelled', resource_id: 'boris', resource_ids: [] },
      [],
    ],
    ['that names nobody', { ...meeting, resource_id: null, resource_ids: [] }, []],
    ['with somebody else', { ...meeting, resource_id: 'boris', resource_ids: ['boris'] }, []],
    ['without content', undefined, []],
  ])('after a change of an appointment %s', async (_, snapshot, keys) => {
    expect(await woken(snapshot)).toEqual(keys);
  });

  test('only where they are busy after now, except for a block', async () => {
    const end = TUESDAY + 10 * HOUR;
    expect(await woken(meeting, { nowMs: end - 1 })).toEqual(WOKEN);
    expect(await woken(meeting, { nowMs: end })).toEqual([]);
    expect(await woken(block, { nowMs: end })).toEqual(WOKEN);
    expect(await woken(meeting, { seen: seenBusy(null) })).toEqual([]);
    const calendars = [...seenBusy(null).calendars, ...later.calendars];
    expect(await woken(meeting, { seen: { ...later, calendars } })).toEqual(WOKEN);
  });

  test('only where they were read, and the entry is not paused', async () => {
    expect(await woken(block, { isRead: false })).toEqual([]);
    expect(await woken(block, { rule: { paused: true } })).toEqual([]);
  });
});

test('nobody is looked for in a directory without the service', async () => {
  const { turn } = stand({ directory: NO_DIRECTORY, busy: [[9, 10]] });
  expect(await turn()).toBe('nothing');
});
