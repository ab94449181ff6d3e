import { beforeEach, describe, expect, test } from 'vitest';
import { APPROVED_ERASURES, PARKED_ERASURE, PARKED_ERASURES } from '../../src/engine/edit-guard.ts';
import { NOTHING_ERASED } from '../../src/engine/erasure.ts';
import { DeferredError, RetryableError, WorkerError } from '../../src/engine/errors.ts';
import type { Claim } from '../../src/engine/work.ts';
import type { ForgetParts } from '../../src/operate/forget/forget.ts';
import { createForgetDeleted } from '../../src/operate/forget/forget-deleted.ts';
import type { PersonalPlace } from '../../src/operate/forget/look.ts';
import { ErasureResumer } from '../../src/operate/forget/resume.ts';
import { MemoryErasures } from '../doubles/erasures.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { KeptLog } from '../doubles/listener.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { withoutSleep } from '../doubles/sleeps.ts';
import { double } from '../stand/double.ts';

beforeEach(() => withoutSleep(() => undefined));

const NOW = Date.parse('2026-07-03T09:00:00Z');
const MINUTE_MS = 60_000;
const ID = '11111111-1111-4111-8111-111111111111';
const KEY = `contact/${ID}`;
const PARKED = PARKED_ERASURE + KEY;
const PHONE = '+74950001101';
const never = () => Promise.reject(new Error('not asked for'));

let clock: HandClock;
let erasures: MemoryErasures;
let memory: MapMemory;
let problems: MemoryProblemBoard;
let log: KeptLog;
let places: PersonalPlace[];
beforeEach(() => {
  clock = new HandClock(NOW);
  erasures = new MemoryErasures();
  memory = new MapMemory();
  problems = new MemoryProblemBoard();
  problems.now = () => clock.now();
  log = new KeptLog();
  places = [];
});

interface Platform {
  readonly shown?: boolean;
  readonly visible?: boolean;
  /** Ids of the cards with the number, and with the address. */
  readonly phoneOf?: readonly string[];
  readonly emailOf?: readonly string[];
  readonly appointments?: readonly object[];
  readonly house?: boolean;
}
/** What the platform was asked. */
let asked: string[];
/** Facts about erasures within the hour, by mark. */
let recent: Map<string, number>;
let notes: unknown[];
beforeEach(() => {
  [asked, recent, notes] = [[], new Map(), []];
});

function forgetting(platform: Platform = {}): ForgetParts {
  const { phoneOf = [ID], emailOf = [ID], appointments = [], house = false } = platform;
  const cards = (ids: readonly string[]) => ids.map((id) => ({ id }));
  return {
    erasures: double(erasures),
    cards: {
      byId: async () => undefined,
      byPhone: async (phone) => {
        asked.push(phone);
        return cards(phoneOf) as never;
      },
      byEmail: async (email) => {
        asked.push(email);
        return cards(emailOf) as never;
      },
      create: never,
    },
    appointments: {
      list: async () => {
        asked.push('appointments');
        return { data: appointments as never, hasMore: false };
      },
      get: never,
    },
    houseContacts: new Set(house ? [ID] : []),
    view: { peek: async () => undefined },
    known: { each: async () => undefined },
    wakeClasses: never,
    search: double({ async *all() {} }),
    queue: { forget: async () => [], turns: async () => new Set<string>() },
    leases: double({
      hold: async (_: string, work: (lease: never) => Promise<never>) => ({
        result: await work({ signal } as never),
      }),
    }),
    ...{ places, outOfReach: [], clock },
  };
}
const { signal } = new AbortController();

function handler(platform: Platform = {}) {
  const { shown = false, visible = true } = platform;
  return createForgetDeleted({
    forgetting: forgetting(platform),
    reader: {
      get: async ({ id }) => {
        asked.push('contact');
        return shown ? ({ id } as never) : undefined;
      },
      isProjectVisible: async (project) => {
        asked.push(project);
        return visible;
      },
    },
    tally: double({
      count: async (name: string, mark: string, withinMs: number) => {
        expect([name, withinMs]).toEqual(['erased-contacts', 60 * MINUTE_MS]);
        recent.set(mark, clock.now());
        return recent.size;
      },
    }),
    ...{ memory, problems, log },
    history: { note: (...told: unknown[]) => void notes.push(told) },
  });
}
const claim = (more: Partial<Claim> = {}, content: object = { phone: PHONE }): Claim => ({
  key: { kind: 'contact', id: ID },
  ...{
    fence: '',
    desiredRev: 1,
    syncedRev: 0,
    snapshot: { id: ID, ...content },
    deleted: true,
    verify: false,
  },
  ...{ projectId: 'p', links: {}, pendingSinceMs: undefined, sightings: [] },
  ...more,
});
const begun = () => [...erasures.orders.keys()];

describe('a contact that the platform deleted', () => {
  test('is named by its handler, and of contacts', () => {
    expect(handler()).toMatchObject({ name: 'forget-deleted', from: 'contact' });
  });

  test('is ordered to be erased, once the platform has said so for its project', async () => {
    expect(await handler().reconcile(claim())).toBe('removed');
    expect(begun()).toEqual([ID]);
    expect(asked.slice(0, 4)).toEqual(['contact', 'p', 'contact', PHONE]);
    expect([notes, log.lines, recent]).toEqual([[], [], new Map([[`#${KEY}`, NOW]])]);
  });

  test('is looked for by the address, too', async () => {
    await handler().reconcile(claim({}, { phone: PHONE, email: 'v@x.example' }));
    expect(asked.slice(3, 5)).toEqual([PHONE, 'v@x.example']);
  });

  test.each<[string, Platform, object]>([
    ['number', { phoneOf: [ID, 'other'] }, { phone: PHONE }],
    ['address', { emailOf: ['other', ID] }, { email: 'v@x.example', phone: '' }],
  ])('is left where another card has the %s, and no appointment is read', async (_, platform, content) => {
    expect(await handler(platform).reconcile(claim({}, content))).toBe('nothing');
    expect([begun(), asked.includes('appointments'), recent.size]).toEqual([[], false, 0]);
    const why = 'on-another-card';
    expect(notes).toEqual([[KEY, { what: 'acted', atMs: NOW, by: 'worker', code: `not-erased-${why}` }]]);
    expect(log.lines).toEqual([
      { level: 'info', fields: { key: KEY, why }, message: 'deleted contact not erased' },
    ]);
  });

  test.each<[string, object]>([
    ['empty', { phone: '', email: '' }],
    ['no texts', { phone: 5, email: null }],
  ])('is left where number and address are %s, and no card is looked for', async (_, content) => {
    expect(await handler().reconcile(claim({}, content))).toBe('nothing');
    expect(notes).toMatchObject([[KEY, { code: 'not-erased-no-phone-or-email' }]]);
    expect(asked).toEqual(['contact', 'p', 'contact']);
  });

  test('is left where blocks book for it, and the platform is not asked', async () => {
    expect(await handler({ house: true }).reconcile(claim())).toBe('nothing');
    expect([begun(), asked]).toEqual([[], []]);
    expect(notes).toMatchObject([[KEY, { code: 'not-erased-contact-of-blocks' }]]);
  });

  const appointment = (status: string, more: object = {}) => ({
    ...{ id: `a-${status}`, status, contact_id: ID, ends_at: '2026-07-03T10:00:00Z', ...more },
  });

  test.each([
    [[appointment('confirmed')], '1 of its appointments is upcoming'],
    [[appointment('confirmed'), appointment('pending')], '2 of its appointments are upcoming'],
  ])('waits for a person while somebody is expected: %#', async (appointments, told) => {
    const done = handler({ appointments }).reconcile(claim());
    await expect(done).rejects.toMatchObject({
      ...{ family: 'terminal', code: 'deletion-with-appointments', target: 'platform' },
      ...{ message: expect.stringContaining(told), advice: expect.stringContaining(ID) },
    });
    expect(begun()).toEqual([]);
  });

  test('whose content is gone is recognised by its appointments, or waits for a person', async () => {
    const quiet = claim({ snapshot: undefined });
    await expect(handler().reconcile(quiet)).rejects.toMatchObject({
      ...{ code: 'deletion-unclear', target: 'platform', advice: expect.stringContaining(ID) },
    });
    const appointments = [appointment('completed', { customer_phone: PHONE })];
    const shared = handler({ appointments, phoneOf: ['other'] });
    expect(await shared.reconcile(quiet)).toBe('nothing');
    expect(begun()).toEqual([]);
    expect(await handler({ appointments }).reconcile(quiet)).toBe('removed');
    expect(erasures.orders.get(ID)?.terms.phones).toEqual([PHONE]);
  });

  test('whose content is known is not judged by marks of its appointments', async () => {
    const appointments = [appointment('completed', { customer_email: 'pair@x.example' })];
    const platform = { appointments, emailOf: ['other'] };
    expect(await handler(platform).reconcile(claim())).toBe('removed');
  });

  test.each<[string, { platform?: Platform; more?: Partial<Claim> }, string]>([
    ['still shown', { platform: { shown: true } }, 'deletion-unproven'],
    ['of a project that the key does not cover', { platform: { visible: false } }, 'project-not-in-key'],
    ['of a project that nobody knows', { more: { projectId: undefined } }, 'project-not-in-key'],
  ])('that is %s is not erased', async (_, { platform, more }, code) => {
    const done = handler(platform).reconcile(claim(more));
    await expect(done).rejects.toMatchObject({ code, family: 'terminal', target: 'platform' });
    expect(begun()).toEqual([]);
  });

  test('is of the project that its card names, where the event names none', async () => {
    const done = handler().reconcile(claim({ projectId: undefined }, { phone: PHONE, project_id: 'q' }));
    expect(await done).toBe('removed');
    expect(asked[1]).toBe('q');
  });

  test('keeps the counts of another run that ends while its person is looked up', async () => {
    const erased = { ...NOTHING_ERASED, events: 50 };
    const { receipt } = erasures;
    let looks = 0;
    erasures.receipt = async (id) => {
      looks += 1;
      if (looks === 2) erasures.receipts.set(ID, { erased, begun: 'a', left: [] } as never);
      return receipt.call(erasures, id);
    };
    expect(await handler().reconcile(claim())).toBe('removed');
    expect(erasures.orders.get(ID)?.erased).toEqual(erased);
  });

  test('of nothing but an id is asked for, too', async () => {
    const done = handler().reconcile(claim({ projectId: undefined, snapshot: undefined }));
    await expect(done).rejects.toMatchObject({ code: 'project-not-in-key' });
  });
});

describe('a contact that the platform shows', () => {
  test.each([
    [2, 0, false],
    [1, 0, true],
    [5, 4, true],
    [5, 3, false],
  ])('at revision %d of which %d is settled still waits: %s', async (desiredRev, syncedRev, waits) => {
    await memory.set(PARKED, JSON.stringify({ atMs: NOW, isApproved: true }));
    const shown = claim({ deleted: false, desiredRev, syncedRev });
    expect(await handler().reconcile(shown)).toBe('nothing');
    expect([(await memory.get(PARKED)) !== undefined, asked, begun()]).toEqual([waits, [], []]);
  });
});

describe('many at once', () => {
  const many = (count: number) => {
    for (let nth = 0; nth < count; nth += 1) recent.set(`${nth}`, NOW);
  };

  test('the twentieth within an hour passes, the next one waits for a person', async () => {
    many(19);
    expect(await handler().reconcile(claim())).toBe('removed');
    erasures.orders.clear();
    many(20);
    const advice = expect.stringContaining('slotbridge approve erasures');
    await expect(handler().reconcile(claim())).rejects.toMatchObject({
      ...{ family: 'deferred', code: 'mass-erasure', target: 'erasures:contacts' },
      ...{ retryAfterMs: 5 * MINUTE_MS, advice },
    });
    expect(begun()).toEqual([]);
    expect(await memory.get(PARKED)).toBe(JSON.stringify({ atMs: NOW, isApproved: false }));
    expect(await memory.get(PARKED_ERASURES)).toBe(String(NOW));
    expect(await problems.list()).toMatchObject([
      { target: 'erasures:contacts', code: 'mass-erasure', advice, message: expect.stringContaining('20') },
    ]);
  });

  test('all wait once one waits, however few they are', async () => {
    await memory.set(PARKED_ERASURES, String(NOW));
    await expect(handler().reconcile(claim())).rejects.toMatchObject({ code: 'mass-erasure' });
    expect(await memory.get(PARKED)).toBe(JSON.stringify({ atMs: NOW, isApproved: false }));
  });

  test('one that waits asks the platform nothing, and raises the problem again', async () => {
    await memory.set(PARKED, JSON.stringify({ atMs: NOW, isApproved: false }));
    await expect(handler().reconcile(claim())).rejects.toMatchObject({ code: 'mass-erasure' });
    expect([asked, problems.codes()]).toEqual([[], { 'erasures:contacts': 'mass-erasure' }]);
  });

  test('one that was approved passes, and waits no longer', async () => {
    many(50);
    await memory.set(PARKED_ERASURES, String(NOW));
    await memory.set(PARKED, JSON.stringify({ atMs: NOW, isApproved: true }));
    expect(await handler().reconcile(claim())).toBe('removed');
    expect([begun(), await memory.get(PARKED)]).toEqual([[ID], undefined]);
    expect(recent.size).toBe(50);
  });

  test('one that an earlier version approved passes', async () => {
    await memory.set(PARKED, String(NOW));
    await expect(handler().reconcile(claim())).rejects.toMatchObject({ code: 'mass-erasure' });
    await memory.set(APPROVED_ERASURES, String(NOW));
    expect(await handler().reconcile(claim())).toBe('removed');
  });

  test('an approval ends with what a person has to decide, and not with a failure that passes', async () => {
    await memory.set(PARKED, JSON.stringify({ atMs: NOW, isApproved: true }));
    const late = handler();
    const error = new RetryableError('platform-timeout', 'late');
    erasures.begin = () => Promise.reject(error);
    await expect(late.reconcile(claim())).rejects.toBe(error);
    expect(await memory.get(PARKED)).toBe(JSON.stringify({ atMs: NOW, isApproved: true }));
    await expect(handler({ shown: true }).reconcile(claim())).rejects.toBeInstanceOf(WorkerError);
    expect(await memory.get(PARKED)).toBeUndefined();
  });

  test('a refusal of one that did not wait forgets nothing of others', async () => {
    const forgotten: string[] = [];
    memory.forget = async (name) => void forgotten.push(name);
    await expect(handler({ shown: true }).reconcile(claim())).rejects.toBeInstanceOf(WorkerError);
    expect(await handler().reconcile(claim())).toBe('removed');
    expect(forgotten).toEqual([]);
  });
});

describe('an erasure that was begun', () => {
  const resumer = (more: Partial<ForgetParts> = {}) =>
    new ErasureResumer({ forgetting: { ...forgetting(), ...more }, problems, memory, log });
  const order = (contactId: string) => ({
    ...{
      contactId,
      keys: [],
      begunAtMs: NOW,
      erased: { ...NOTHING_ERASED, events: 3, rewritten: 2, cells: 1 },
    },
    terms: { ids: [contactId], phones: [], emails: [], names: [], hashes: [] },
  });
  /** How often each place was read. */
  let reads: Record<string, number>;
  beforeEach(() => {
    reads = {};
  });
  const place = (name: string, error?: () => WorkerError | undefined): PersonalPlace => ({
    name,
    async *texts() {},
    erase: async () => {
      reads[name] = (reads[name] ?? 0) + 1;
      const thrown = error?.();
      if (thrown !== undefined) throw thrown;
      return { left: [] };
    },
  });
  const deferred = (code: string) => new DeferredError(code, 'no', { retryAfterMs: 1 });
  const UNFINISHED = { erasure: 'erasure-unfinished' };

  test('ends, and what it erased is logged', async () => {
    places.push(place('calendar anna'));
    await erasures.begin(order(ID));
    await resumer().resume(signal);
    expect([begun(), [...erasures.receipts.keys()]]).toEqual([[], [ID]]);
    const fields = { events: 3, rewritten: 2, cells: 1, left: 0 };
    expect(log.lines).toEqual([{ level: 'info', fields, message: 'a person was erased' }]);
  });

  test('is tried again after fifteen minutes when a place is out of reach, and the problem ends with it', async () => {
    let isGone = true;
    places.push(
      place('calendar anna', () => (isGone ? deferred('calendar-gone') : undefined)),
      place('spreadsheet book', () => (isGone ? deferred('quota-spent') : undefined)),
    );
    await erasures.begin(order(ID));
    const worker = resumer();
    await worker.resume(signal);
    expect(await problems.list()).toMatchObject([
      {
        ...{ target: 'erasure', code: 'erasure-unfinished' },
        message: 'a person is not completely erased: 1 place out of reach',
        advice: 'Fix calendar anna (calendar-gone). The worker then continues within 15 minutes.',
      },
    ]);
    const fields = { places: 2, codes: ['calendar-gone', 'quota-spent'] };
    expect(log.lines).toEqual([{ level: 'warn', fields, message: 'erasure not finished' }]);
    clock.advance(15 * MINUTE_MS - 1);
    await worker.resume(signal);
    expect(reads['calendar anna']).toBe(1);
    isGone = false;
    clock.advance(1);
    await worker.resume(signal);
    expect([begun(), problems.codes()]).toEqual([[], UNFINISHED]);
    await worker.resume(signal);
    expect(problems.codes()).toEqual({});
  });

  test('that met only limits is tried again after a minute, and is nobody’s problem', async () => {
    let isGone = true;
    places.push(place('calendar anna', () => deferred(isGone ? 'calendar-gone' : 'quota-spent')));
    await erasures.begin(order(ID));
    const worker = resumer();
    await worker.resume(signal);
    expect(problems.codes()).toEqual(UNFINISHED);
    await problems.raise({ target: 'calendar:anna', code: 'other', message: '', advice: '' });
    isGone = false;
    clock.advance(15 * MINUTE_MS);
    await worker.resume(signal);
    expect([problems.codes(), reads]).toEqual([{ 'calendar:anna': 'other' }, { 'calendar anna': 2 }]);
    clock.advance(MINUTE_MS - 1);
    await worker.resume(signal);
    expect(reads).toEqual({ 'calendar anna': 2 });
    clock.advance(1);
    await worker.resume(signal);
    expect(reads).toEqual({ 'calendar anna': 3 });
  });

  test('that waits holds up no other, and an end forgets its pause', async () => {
    let isGone = true;
    places.push(place('calendar anna', () => (isGone ? deferred('calendar-gone') : undefined)));
    await erasures.begin(order(ID));
    const worker = resumer();
    await worker.resume(signal);
    isGone = false;
    await erasures.begin(order('other'));
    await worker.resume(signal);
    expect([...erasures.receipts.keys()]).toEqual(['other']);
    await erasures.begin(order('other'));
    await worker.resume(signal);
    expect(begun()).toEqual([ID]);
    erasures.orders.clear();
    await worker.resume(signal);
    await erasures.begin(order(ID));
    await worker.resume(signal);
    expect(begun()).toEqual([]);
  });

  test('is left to another process that is at work, with all others', async () => {
    await erasures.begin(order(ID));
    await erasures.begin(order('other'));
    let held = 0;
    const hold = async (name: string, _: unknown, options: object) => {
      held += 1;
      expect([name, options]).toEqual(['forget', { ttlMs: 15_000, until: signal }]);
      return undefined;
    };
    await resumer({ leases: double({ hold }) }).resume(signal);
    expect([held, log.lines, begun()]).toEqual([1, [], [ID, 'other']]);
  });

  test('is not taken up by a worker that stops', async () => {
    await erasures.begin(order(ID));
    await resumer({ leases: double({ hold: never }) }).resume(AbortSignal.abort());
    expect(begun()).toEqual([ID]);
  });

  test('that a failure stops is unfinished, and names what failed; a fault of the program is none', async () => {
    await erasures.begin(order(ID));
    const down = new RetryableError('store-unavailable', 'no', { target: 'redis' });
    erasures.eraseState = () => Promise.reject(down);
    await resumer().resume(signal);
    expect(await problems.list()).toMatchObject([{ advice: expect.stringContaining('redis (store-un') }]);
    erasures.eraseState = () => Promise.reject(new RetryableError('store-unavailable', 'no'));
    await resumer().resume(signal);
    expect(await problems.list()).toMatchObject([{ advice: expect.stringContaining('the erasure (sto') }]);
    const fault = new Error('fault');
    erasures.eraseState = () => Promise.reject(fault);
    await expect(resumer().resume(signal)).rejects.toBe(fault);
  });
});

describe('the problem of many at once', () => {
  const resume = () => new ErasureResumer({ forgetting: forgetting(), problems, memory, log }).resume(signal);
  const raise = (target: string) => problems.raise({ target, code: 'some', message: '', advice: '' });

  test('stays while one waits, and ends when all were approved', async () => {
    await raise('erasures:contacts');
    await raise('calendar:anna');
    await memory.set(PARKED_ERASURES, String(NOW));
    await memory.set(PARKED, JSON.stringify({ atMs: NOW, isApproved: false }));
    await memory.set(`${PARKED}2`, JSON.stringify({ atMs: NOW, isApproved: true }));
    await resume();
    expect(Object.keys(problems.codes())).toEqual(['erasures:contacts', 'calendar:anna']);
    expect(await memory.get(PARKED_ERASURES)).toBe(String(NOW));
    await memory.set(PARKED, JSON.stringify({ atMs: NOW, isApproved: true }));
    await resume();
    expect(Object.keys(problems.codes())).toEqual(['calendar:anna']);
    expect(await memory.get(PARKED_ERASURES)).toBeUndefined();
    expect(await memory.get(PARKED)).toBe(JSON.stringify({ atMs: NOW, isApproved: true }));
  });

  test('ends by its fact alone, and by the problem alone', async () => {
    await memory.set(PARKED_ERASURES, String(NOW));
    await resume();
    expect(await memory.get(PARKED_ERASURES)).toBeUndefined();
    await raise('erasures:contacts');
    await raise('calendar:anna');
    await resume();
    expect(problems.codes()).toEqual({ 'calendar:anna': 'some' });
  });

  test('reads no list of contacts and ends no problem where nobody waits', async () => {
    memory.all = never;
    problems.clear = never;
    await raise('calendar:anna');
    await resume();
    expect(problems.codes()).toEqual({ 'calendar:anna': 'some' });
  });
});
