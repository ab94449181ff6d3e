import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type ErasureOrder, type MovedRow, NOTHING_ERASED } from '../../src/engine/erasure.ts';
import { DeferredError, RetryableError } from '../../src/engine/errors.ts';
import type { Appointment, Snapshot } from '../../src/engine/object.ts';
import { customerMarks } from '../../src/engine/person.ts';
import type { Claim } from '../../src/engine/work.ts';
import {
  type ForgetParts,
  findPerson,
  planForget,
  recognisedBy,
  runForget,
} from '../../src/operate/forget/forget.ts';
import type { LeftPlace, PersonalPlace } from '../../src/operate/forget/look.ts';
import { MemoryErasures } from '../doubles/erasures.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { double } from '../stand/double.ts';

/** How long the code has slept, ms. `onSleep`: what happens meanwhile. */
const slept: number[] = [];
let onSleep: () => void;
vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number, _: undefined, { signal }: { signal?: AbortSignal } = {}) => {
    signal?.throwIfAborted();
    slept.push(ms);
    onSleep();
  },
}));

const NOW = Date.parse('2026-07-03T09:00:00Z');
const ID = 'aaaaaaaa-1111-4111-8111-111111111111';
const VISIT = 'bbbbbbbb-2222-4222-8222-222222222222';
const PHONE = '+74950001101';
const NOBODY = { contactId: undefined, phone: undefined, email: undefined, name: undefined };
const phoneMark = (phone: string) => customerMarks({ ...NOBODY, phone }).phone ?? '';
const VERA = { id: ID, phone: PHONE, email: 'vera@x.example', name: 'Vera Orlova' };
const never = () => Promise.reject(new Error('not asked for'));

let clock: HandClock;
let erasures: MemoryErasures;
let places: PersonalPlace[];
/** What Redis holds, by key. */
let redis: Record<string, string>;
let stop: AbortController;
beforeEach(() => {
  slept.splice(0);
  onSleep = () => undefined;
  clock = new HandClock(NOW);
  erasures = new MemoryErasures();
  places = [];
  redis = {};
  stop = new AbortController();
});

interface World {
  /** Null: the platform does not show it. */
  readonly card?: Snapshot | null;
  /** Cards of others, by number or address. */
  readonly others?: Readonly<Record<string, readonly string[]>>;
  /** What the platform lists, by filter. */
  readonly listed?: Readonly<Record<string, readonly object[]>>;
  /** What it says of one appointment. */
  readonly shown?: Readonly<Record<string, object>>;
  /** Objects that are known here. */
  readonly known?: readonly Partial<Claim>[];
}

function parts(world: World = {}, more: Partial<ForgetParts> = {}): ForgetParts {
  const { card = VERA, others = {}, listed = {}, shown = {}, known = [] } = world;
  const find = async (text: string) => [ID, ...(others[text] ?? [])].map((id) => ({ id })) as never;
  return {
    erasures: double(erasures),
    cards: { byId: async () => (card ?? undefined) as never, byPhone: find, byEmail: find, create: never },
    appointments: {
      list: async (filter) => ({
        data: (listed[Object.entries(filter).flat().join(' ')] ?? []) as never,
        hasMore: false,
      }),
      get: async (id) => shown[id] as Appointment | undefined,
    },
    houseContacts: new Set(['house']),
    view: { peek: async () => undefined },
    known: {
      each: async (kind, tell) => {
        await tell(known.filter(({ key }) => key?.kind === kind) as readonly Claim[]);
      },
    },
    wakeClasses: never,
    search: double({
      async *all() {
        for (const [key, text] of Object.entries(redis))
          yield* [
            { key, text: key },
            { key, text },
          ];
      },
    }),
    queue: { forget: async () => [], turns: async () => new Set<string>() },
    leases: double({
      hold: async (name: string, work: (lease: never) => Promise<never>, { ttlMs }: { ttlMs: number }) => {
        expect([name, ttlMs]).toEqual(['forget', 15_000]);
        return { result: await work({ signal: stop.signal } as never) };
      },
    }),
    ...{ places, outOfReach: ['log files'], clock },
    ...more,
  };
}

const known = (name: string, snapshot: object | undefined, more: object = {}): Partial<Claim> => {
  const [kind = '', id = ''] = name.split('/');
  return {
    key: { kind, id } as never,
    snapshot: snapshot && ({ id, ...snapshot } as Snapshot),
    links: {},
    ...more,
  };
};
const personOf = async (world: World, id = ID) => (await findPerson(id, parts(world))).order;

describe('whom an order names', () => {
  test('a contact for whom blocks book is no person', async () => {
    await expect(findPerson('HOUSE', parts())).rejects.toMatchObject({
      ...{ family: 'terminal', code: 'contact-of-blocks' },
      advice: expect.stringContaining('Nothing was erased'),
    });
  });

  test('the card alone, whatever the case of its id', async () => {
    const { order, shown } = await findPerson(ID.toUpperCase(), parts());
    expect([order, shown]).toEqual([
      {
        ...{ contactId: ID, keys: [`contact/${ID}`], begunAtMs: NOW, erased: NOTHING_ERASED },
        terms: {
          ...{ ids: [ID, ID.replaceAll('-', '')], phones: [PHONE], emails: [VERA.email], names: [VERA.name] },
          shared: [],
          hashes: Object.values(customerMarks({ ...NOBODY, contactId: ID, phone: PHONE, email: VERA.email })),
        },
      },
      [],
    ]);
  });

  test('empty texts and texts that are none find nobody', async () => {
    const { terms } = await personOf({ card: { id: ID, phone: '', email: 5, name: null } });
    expect(terms).toMatchObject({ phones: [], emails: [], names: [] });
  });

  const byContact = `contact_id ${ID}`;
  const byPhone = `customer_phone ${PHONE}`;
  const visit = (contact_id: unknown, more: object = {}) => ({
    ...{ id: VISIT, contact_id, customer_name: 'Vera Orlova', customer_phone: PHONE, ...more },
  });

  test.each<[string, World, boolean]>([
    ['the platform lists it', { listed: { [byContact]: [visit(ID)] } }, true],
    ['its number and name are hers, and no card is linked', { listed: { [byPhone]: [visit(null)] } }, true],
    ['the same, without a field for the card', { listed: { [byPhone]: [visit(undefined)] } }, true],
    [
      'its number is hers, and its name another',
      { listed: { [byPhone]: [visit(null, { customer_name: 'Nina Weber' })] } },
      false,
    ],
    [
      'its name is hers, and its number another',
      { listed: { [byPhone]: [visit(null, { customer_phone: '+74950002202' })] } },
      false,
    ],
    ['it is linked to another card', { listed: { [byPhone]: [visit('other')] } }, false],
    [
      'the platform lists it as hers, and says another card',
      { listed: { [byContact]: [visit('other')] } },
      false,
    ],
    [
      'a relative has the number, and the name is a part of hers',
      { listed: { [byPhone]: [visit(null, { customer_name: 'Orlova' })] }, others: { [PHONE]: ['other'] } },
      false,
    ],
    [
      'it is stored as hers, and the platform shows none',
      { known: [known(`appointment/${VISIT}`, { contact_id: ID })] },
      true,
    ],
    [
      'it is stored as hers, and the platform says so',
      { known: [known(`appointment/${VISIT}`, { contact_id: ID })], shown: { [VISIT]: visit(ID) } },
      true,
    ],
    [
      'it is stored as hers, and linked to nobody by now',
      { known: [known(`appointment/${VISIT}`, { contact_id: ID })], shown: { [VISIT]: visit(null) } },
      true,
    ],
    [
      'it is stored as hers, and another card’s by now',
      { known: [known(`appointment/${VISIT}`, { contact_id: ID })], shown: { [VISIT]: visit('other') } },
      false,
    ],
    ['it is stored as another’s', { known: [known(`appointment/${VISIT}`, { contact_id: 'other' })] }, false],
    [
      'only its holder is known',
      { known: [known(`appointment/${VISIT}`, undefined, { contactId: ID })] },
      true,
    ],
    [
      'its content is another’s, and its former holder she',
      { known: [known(`appointment/${VISIT}`, { contact_id: 'other' }, { contactId: ID })] },
      false,
    ],
  ])('an appointment where %s: %#', async (_, world, isHers) => {
    const order = await personOf(world);
    expect(order.keys).toEqual([`contact/${ID}`, ...(isHers ? [`appointment/${VISIT}`] : [])]);
    expect(order.terms.ids.includes(VISIT.replaceAll('-', ''))).toBe(isHers);
  });

  test('what the platform shows is told once, and only what it does not list is asked for', async () => {
    const asked: string[] = [];
    const world: World = {
      listed: { [byContact]: [visit(ID)], [byPhone]: [visit(ID)] },
      known: [
        known(`appointment/${VISIT}`, { contact_id: ID }),
        known('appointment/second', { contact_id: ID }),
      ],
    };
    const get = async (id: string) => {
      asked.push(id);
      return { id, contact_id: ID, customer_email: 'v2@x.example' } as never;
    };
    const { appointments, ...rest } = parts(world);
    const { order, shown } = await findPerson(ID, { ...rest, appointments: { ...appointments, get } });
    expect([asked, shown.map(({ id }) => id)]).toEqual([['second'], [VISIT, 'second']]);
    expect(order.terms.emails).toEqual([VERA.email, 'v2@x.example']);
  });

  test('texts of her appointments count, also as they were stored', async () => {
    const stored = { contact_id: ID, customer_phone: '+74950009909', customer_name: 'Vera Petrova' };
    const { terms } = await personOf({ known: [known(`appointment/${VISIT}`, stored)] });
    expect(terms).toMatchObject({ phones: [PHONE, '+74950009909'], names: ['Vera Orlova', 'Vera Petrova'] });
    expect(terms.hashes).toContain(phoneMark('+74950009909'));
  });

  test('numbers and addresses of others are shared, and their marks find nobody', async () => {
    const { terms } = await personOf({ others: { [PHONE]: ['other'], [VERA.email]: ['other'] } });
    expect(terms.shared).toEqual([PHONE, VERA.email]);
    expect(terms.hashes).toEqual([customerMarks({ ...NOBODY, contactId: ID }).contactId]);
  });

  test.each<[string, Partial<Claim>, boolean]>([
    ['a lead in her name and number', known('lead/l', { name: 'Vera Orlova', phone: PHONE }), true],
    ['a lead of her id', known('lead/l', { contact_id: ID }), true],
    ['a lead whose comment names her', known('lead/l', { comment: `Vera Orlova ${PHONE}` }), false],
    ['a lead of a namesake', known('lead/l', { name: 'Vera Orlova', phone: '' }), false],
    ['a lead of which nothing is known', known('lead/l', undefined), false],
    [
      'a row in her name',
      known('booking/b', { name: 'x', cells: { name: 'Vera Orlova', phone: PHONE } }),
      true,
    ],
    [
      'a row of somebody else',
      known('booking/b', { name: 'Vera Orlova', phone: PHONE, cells: { name: 'x' } }),
      false,
    ],
    ['a row without cells', known('booking/b', { cells: null, name: 'Vera Orlova', phone: PHONE }), true],
    ['an event with texts about her', known('booking/b', { title: 'Vera Orlova', location: PHONE }), true],
    [
      'a row that led to her appointment',
      known('booking/b', { cells: {} }, { links: { m: { booking: { state: 'booked', own: { id: ID } } } } }),
      true,
    ],
    [
      'a row in her name that led to another’s',
      known(
        'booking/b',
        { cells: { name: 'Vera Orlova', phone: PHONE } },
        { links: { m: { booking: { state: 'booked', own: { id: 'x' } } } } },
      ),
      false,
    ],
    ['another card with her number', known('contact/other', { name: 'Vera Orlova', phone: PHONE }), false],
    [
      'an appointment that names her',
      known('appointment/x', { customer_phone: PHONE, name: 'Vera Orlova' }),
      false,
    ],
  ])('%s', async (_, claim, isHers) => {
    const { keys } = await personOf({ known: [claim] });
    const { kind, id } = claim.key ?? {};
    expect(keys.includes(`${kind}/${id}`)).toBe(isHers);
  });

  test('a row that led to an appointment of hers is hers', async () => {
    const booking = { state: 'booked', own: { id: VISIT } };
    const world = {
      listed: { [byContact]: [visit(ID)] },
      known: [known('booking/b', { cells: {} }, { links: { m: { booking } } })],
    };
    expect((await personOf(world)).keys).toContain('booking/b');
  });

  test.each<[string, Partial<Claim>, boolean]>([
    ['a card', known('contact/c', { phone: '+49 160 000 11 01' }), false],
    ['a card that spells her own number', known('contact/c', { phone: '8 (495) 000-11-01' }), true],
    ['a card that has her number without its prefix', known('contact/c', { phone: '000-11-01' }), true],
    ['an appointment', known('appointment/c', { customer_phone: '+49 160 000 11 01' }), false],
    ['a row', known('booking/c', { phone: PHONE, cells: { phone: '+49 160 000 11 01' } }), false],
    ['a card of another end', known('contact/c', { phone: '+49 160 000 99 99' }), true],
    ['a card without a number', known('contact/c', {}), true],
    ['an object of which nothing is known', known('contact/c', undefined), true],
  ])('the mark of her number beside the number of %s: %#', async (_, claim, stays) => {
    const { terms } = await personOf({ known: [claim] });
    expect(terms.hashes.includes(phoneMark(PHONE))).toBe(stays);
    expect(terms.hashes).toContain(customerMarks({ ...NOBODY, email: VERA.email }).email);
  });

  test('what was begun goes on: its words, its keys, its beginning and its counts', async () => {
    const erased = { ...NOTHING_ERASED, cells: 4 };
    erasures.orders.set(ID, {
      ...{ contactId: ID, keys: ['lead/old', `contact/${ID}`], begunAtMs: NOW - 5, erased },
      terms: {
        ...{ ids: ['c3'], phones: ['+1'], emails: ['old@x.example'], names: ['Old'], hashes: ['h'] },
        shared: ['+1'],
      },
    });
    erasures.orders.set('other', { contactId: 'other' } as ErasureOrder);
    const order = await personOf({ card: null });
    expect(order).toMatchObject({
      ...{ keys: [`contact/${ID}`, 'lead/old'], begunAtMs: NOW - 5, erased },
      terms: { phones: ['+1'], emails: ['old@x.example'], names: ['Old'], shared: ['+1'] },
    });
    expect(order.terms.hashes).toContain('h');
    expect(order.terms.ids).toEqual([ID, ID.replaceAll('-', ''), 'old']);
  });

  test('what was proved before is counted on', async () => {
    const erased = { ...NOTHING_ERASED, cells: 4 };
    erasures.receipts.set(ID, { erased } as never);
    expect(await personOf({})).toMatchObject({ erased, begunAtMs: NOW });
  });

  test('only what was known could be searched for', () => {
    const terms = { ids: [ID], phones: [], emails: [], names: [], hashes: [] };
    expect(recognisedBy({ terms })).toEqual(['id']);
    expect(recognisedBy({ terms: { ...terms, phones: ['1'], names: ['a'] } })).toEqual([
      'id',
      'phone',
      'name',
    ]);
    expect(recognisedBy({ terms: { ...terms, emails: ['a'] } })).toEqual(['id', 'email']);
  });
});

/** What the next looks of a place do; nothing after them. */
type Look = Awaited<ReturnType<PersonalPlace['erase']>> | Error;
const place = (name: string, looks: readonly Look[], seen: unknown[] = []): PersonalPlace => {
  const next = [...looks];
  return {
    name,
    async *texts() {},
    erase: async ({ act, terms, moved }) => {
      seen.push([act, terms.ids[0]]);
      const look = next.shift() ?? { left: [] };
      if (look instanceof Error) throw look;
      const { moved: rows = [], ...done } = look as typeof look & { readonly moved?: readonly MovedRow[] };
      moved.push(...rows);
      return done;
    },
  };
};
const LEFT: LeftPlace = { kind: 'event', where: 'calendar anna', name: 'e', by: ['name'] };

describe('a plan', () => {
  test('counts what would be done, and writes nothing', async () => {
    const seen: unknown[] = [];
    const gone = new DeferredError('calendar-gone', 'no', { retryAfterMs: 1 });
    places.push(
      place('calendar anna', [{ events: 2, rewritten: 1, left: [LEFT] }], seen),
      place('spreadsheet book', [{ cells: 5, left: [] }], seen),
      place('calendar boris', [gone]),
    );
    redis = {
      ...{ [`object:contact/${ID}`]: '{}', [`forgetting`]: ID, [`forgotten:${ID}`]: '', [`lease:${ID}`]: '' },
      ...{ 'receipts:x': ID, [`forgottenish:${ID}`]: '', [`old:lease:${ID}`]: '', stranger: 'Oleg' },
    };
    const at = (id: string, status: string, ends_at: string) => ({ id, status, ends_at, contact_id: ID });
    const listed = {
      [`contact_id ${ID}`]: [
        at('aaaaaaaa', 'confirmed', '2026-07-03T09:00:01Z'),
        at('bbbbbbbb', 'confirmed', '2026-07-03T09:00:00Z'),
        at('cccccccc', 'cancelled', '2026-07-04T09:00:00Z'),
      ],
    };
    const plan = await planForget(ID, parts({ listed }));
    expect(plan).toMatchObject({
      ...{ events: 2, rewritten: 1, cells: 5, keys: 3, upcoming: 1, left: [LEFT] },
      unread: [{ place: 'calendar boris', code: 'calendar-gone' }],
    });
    expect(plan.order.contactId).toBe(ID);
    expect(seen).toEqual([
      [false, ID],
      [false, ID],
    ]);
    expect(erasures.orders.size).toBe(0);
  });
});

describe('a run', () => {
  const order = (more: Partial<ErasureOrder> = {}): ErasureOrder => ({
    ...{ contactId: ID, keys: [`contact/${ID}`], begunAtMs: NOW - 99, erased: NOTHING_ERASED },
    terms: { ids: [ID], phones: [PHONE], emails: [], names: [], hashes: [] },
    ...more,
  });

  test('ends after two looks that find nothing, and its receipt names nobody', async () => {
    const seen: unknown[] = [];
    places.push(place('calendar anna', [], seen));
    const outcome = await runForget(order(), parts());
    const receipt = {
      ...{ version: 1, person: `#contact/${ID}`, begun: new Date(NOW).toISOString() },
      ...{ verified: new Date(NOW).toISOString(), erased: { ...NOTHING_ERASED }, left: [] },
      ...{ recognisedBy: ['id', 'phone'], outOfReach: ['log files'] },
    };
    expect(outcome).toEqual({ state: 'erased', receipt, left: [] });
    expect(seen).toEqual([
      [true, ID],
      [true, ID],
    ]);
    expect([slept, erasures.orders.size, erasures.receipts.get(ID)]).toEqual([[2_000], 0, receipt]);
  });

  test('begins when it runs, or when it was begun first', async () => {
    const begins: number[] = [];
    const { begin } = erasures;
    erasures.begin = (each) => {
      begins.push(each.begunAtMs);
      return begin.call(erasures, each);
    };
    await runForget(order(), parts());
    expect(new Set(begins)).toEqual(new Set([NOW]));
    begins.splice(0);
    erasures.receipts.clear();
    erasures.orders.set(ID, order({ begunAtMs: NOW - 7 }));
    const outcome = await runForget(order(), parts());
    expect(new Set(begins)).toEqual(new Set([NOW - 7]));
    expect(outcome).toMatchObject({ receipt: { begun: new Date(NOW - 7).toISOString() } });
  });

  test('is verified when its last look began', async () => {
    onSleep = () => clock.advance(60_000);
    const outcome = await runForget(order(), parts());
    expect(outcome).toMatchObject({ receipt: { verified: new Date(NOW + 60_000).toISOString() } });
  });

  test.each<[string, () => void]>([
    ['an event', () => places.push(place('p', [{ left: [] }, { events: 1, left: [] }]))],
    ['a person in an event', () => places.push(place('p', [{ left: [] }, { rewritten: 1, left: [] }]))],
    ['a cell', () => places.push(place('p', [{ left: [] }, { cells: 1, left: [] }]))],
    ['a key before the look', () => erasures.found.push({}, {}, { inbox: 1 })],
    ['a key after the look', () => erasures.found.push({}, {}, {}, { inbox: 1 })],
  ])('looks once more after a look that found %s', async (_, meet) => {
    meet();
    const outcome = await runForget(order(), parts());
    expect([outcome.state, slept]).toEqual(['erased', [2_000, 2_000]]);
  });

  test('adds everything up, from earlier runs too, and stores the counts at each look', async () => {
    const row: MovedRow = { kind: 'row', where: 's', name: 'row 2', by: [], why: 'moved' };
    places.push(
      place('a', [{ events: 1, rewritten: 2, left: [], moved: [row] } as Look]),
      place('b', [{ cells: 3, left: [] }]),
    );
    erasures.found.push({ inbox: 1 }, { inbox: 2, object: 1 });
    erasures.orders.set(ID, order({ erased: { ...NOTHING_ERASED, events: 10 } }));
    const proof = { erased: { ...NOTHING_ERASED, events: 100 }, begun: 'long ago', left: [] };
    erasures.receipts.set(ID, proof as never);
    const stored: unknown[] = [];
    onSleep = () => void stored.push(erasures.orders.get(ID)?.erased);
    const outcome = await runForget(order(), parts());
    const erased = { events: 11, rewritten: 2, cells: 3, keys: { inbox: 3, object: 1 } };
    expect(stored).toEqual([{ ...erased, moved: [row] }]);
    expect(outcome).toMatchObject({
      receipt: {
        erased,
        begun: 'long ago',
        left: [{ kind: 'row', by: [], why: 'moved', place: '#s row 2' }],
      },
      left: [row],
    });
    expect(outcome).not.toHaveProperty('receipt.erased.moved');
  });

  test('P1: keeps what was erased after its plan was made, and the rows of others that were hit', async () => {
    const hit = { kind: 'row', by: [], why: 'moved', place: '#s row 9' };
    const left = [{ kind: 'event', by: ['name'], place: '#calendar anna e' }, hit];
    erasures.receipts.set(ID, {
      erased: { ...NOTHING_ERASED, events: 100 },
      begun: 'long ago',
      left,
    } as never);
    places.push(place('a', [{ events: 1, left: [] }]));
    expect(await runForget(order(), parts())).toMatchObject({
      receipt: { erased: { ...NOTHING_ERASED, events: 101 }, begun: 'long ago', left: [hit] },
    });
  });

  test('keeps what another process has erased while it waited for its turn', async () => {
    const { leases } = parts();
    let asked = 0;
    const hold = (async (...given: Parameters<typeof leases.hold>) => {
      asked += 1;
      if (asked > 1) return leases.hold(...given);
      erasures.orders.clear();
      erasures.receipts.set(ID, { erased: { ...NOTHING_ERASED, events: 50 }, begun: 'a', left: [] } as never);
      return undefined;
    }) as typeof leases.hold;
    const outcome = await runForget(order(), parts({}, { leases: double({ hold }) }));
    expect(outcome).toMatchObject({ receipt: { erased: { events: 50 }, begun: 'a' } });
  });

  test('begins with the counts of its order, where nothing else is known', async () => {
    const outcome = await runForget(order({ erased: { ...NOTHING_ERASED, events: 9 } }), parts());
    expect(outcome).toMatchObject({ receipt: { erased: { events: 9 } } });
  });

  test('tells what is left, places and keys, as hashes and as names', async () => {
    places.push(place('a', [{ left: [] }, { left: [LEFT] }]));
    redis = { 'history:x': `for ${ID}`, forgetting: ID };
    const outcome = await runForget(order(), parts());
    expect(outcome).toMatchObject({
      left: [LEFT, { kind: 'key', where: 'Redis, history', name: 'history:x', by: ['id'] }],
      receipt: {
        left: [
          { kind: 'event', by: ['name'], place: '#calendar anna e' },
          { kind: 'key', by: ['id'], place: '#Redis, history history:x' },
        ],
      },
    });
    expect(outcome).not.toHaveProperty('receipt.left.0.why');
  });

  test('stops where a place cannot be read, after all others were done, and keeps the order', async () => {
    const gone = new DeferredError('calendar-gone', 'no', { retryAfterMs: 1 });
    places.push(place('a', [gone]), place('b', [{ events: 1, left: [] }]));
    expect(await runForget(order(), parts())).toEqual({
      ...{ state: 'unfinished', unread: [{ place: 'a', code: 'calendar-gone' }] },
      erased: { ...NOTHING_ERASED, events: 1 },
    });
    expect(erasures.orders.get(ID)?.erased.events).toBe(1);
    expect(erasures.receipts.size).toBe(0);
  });

  test('ends with an error where places are filled again as fast as they are emptied', async () => {
    places.push(
      place(
        'a',
        Array.from({ length: 10 }, () => ({ events: 1, left: [] })),
      ),
    );
    await expect(runForget(order(), parts())).rejects.toMatchObject({
      ...{ family: 'retryable', code: 'erasure-contended', advice: expect.stringContaining('again') },
    });
    expect(erasures.looks).toBe(20);
    erasures.looks = 0;
    places.splice(
      0,
      1,
      place(
        'a',
        Array.from({ length: 8 }, () => ({ events: 1, left: [] })),
      ),
    );
    expect(await runForget(order(), parts())).toMatchObject({ state: 'erased' });
  });

  test('looks again where Redis was lost meanwhile, and once more where it is lost at the end', async () => {
    let nth = 0;
    onSleep = () => {
      nth += 1;
      if (nth === 1) erasures.orders.clear();
    };
    await runForget(order(), parts());
    expect(slept).toHaveLength(2);
    slept.splice(0);
    const { end } = erasures;
    const ends: string[] = [];
    erasures.end = async (each, receipt) => {
      ends.push(receipt.verified);
      return ends.length > 1 && end.call(erasures, each, receipt);
    };
    await runForget(order(), parts());
    expect([slept.length, ends.length]).toEqual([1, 2]);
  });

  test('waits for its turn', async () => {
    const { leases } = parts();
    let asked = 0;
    const hold = (async (...given: Parameters<typeof leases.hold>) => {
      asked += 1;
      return asked < 3 ? undefined : leases.hold(...given);
    }) as typeof leases.hold;
    await runForget(order(), parts({}, { leases: double({ hold }) }));
    expect(slept).toEqual([500, 500, 2_000]);
    expect(asked).toBe(3);
  });

  test('that has lost its turn writes nothing more', async () => {
    stop.abort();
    await expect(runForget(order(), parts())).rejects.toThrow();
    expect(erasures.looks).toBe(0);
  });

  test('wakes the classes of its appointments before they are erased', async () => {
    const steps: unknown[] = [];
    const visit = known(`appointment/${VISIT}`, {}) as Claim;
    const peek: ForgetParts['view']['peek'] = async (key) => {
      steps.push(`peek ${key.kind}`);
      return key.id === VISIT ? visit : undefined;
    };
    const wakeClasses = async (claim: Claim) => void steps.push(claim === visit && erasures.looks);
    const keys = [`contact/${ID}`, `appointment/${VISIT}`, 'appointment/gone', 'nonsense'];
    await runForget(order({ keys }), parts({}, { view: { peek }, wakeClasses }));
    const one = (looks: number) => ['peek appointment', looks, 'peek appointment'];
    expect(steps).toEqual([...one(0), ...one(2)]);
  });

  describe('waits for handlers', () => {
    const run = (queue: Partial<ForgetParts['queue']>) =>
      runForget(order(), parts({}, { queue: { ...parts().queue, ...queue } }));

    test('of the person, after what is stored was erased and before anything else is', async () => {
      const looks: unknown[] = [];
      places.push(place('a', [], looks));
      let atWork = 2;
      await run({
        forget: async (keys) => {
          expect([...keys]).toEqual([`contact/${ID}`]);
          if (atWork > 0) expect([erasures.looks, looks]).toEqual([1, []]);
          atWork -= 1;
          return atWork >= 0 ? ['contact'] : [];
        },
      });
      expect(slept).toEqual([250, 250, 2_000]);
    });

    test('of classes that had begun by then, and of no later ones', async () => {
      const turns = [['a', 'b'], ['b', 'c'], ['c']];
      await run({ turns: async () => new Set(turns.shift() ?? []) });
      expect(slept).toEqual([250, 250, 2_000]);
    });

    test('of no class where none had begun', async () => {
      let asked = 0;
      let atWork = 3;
      await run({
        turns: async () => {
          asked += 1;
          return new Set(asked === 1 ? [] : ['late']);
        },
        forget: async () => {
          atWork -= 1;
          return atWork >= 0 && asked === 1 ? ['contact'] : [];
        },
      }).catch(() => undefined);
      expect(slept.slice(0, 4)).toEqual([250, 250, 250, 2_000]);
    });

    test('for a minute, and then the command is to be run again', async () => {
      await expect(run({ forget: async () => ['contact'] })).rejects.toMatchObject({
        ...{ code: 'handler-at-work', family: 'retryable', advice: expect.stringContaining('minute') },
      });
      expect(slept).toEqual(Array.from({ length: 240 }, () => 250));
    });

    test('and not on once its turn is lost', async () => {
      onSleep = () => stop.abort();
      await expect(run({ forget: async () => ['contact'] })).rejects.toThrow();
      expect(slept).toEqual([250]);
    });
  });

  test('a failure of Redis ends it', async () => {
    const down = new RetryableError('store-unavailable', 'no');
    erasures.eraseState = () => Promise.reject(down);
    await expect(runForget(order(), parts())).rejects.toBe(down);
  });
});
