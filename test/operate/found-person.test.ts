import { beforeEach, describe, expect, test } from 'vitest';
import { type ErasureOrder, NOTHING_ERASED } from '../../src/engine/erasure.ts';
import { customerMarks } from '../../src/engine/person.ts';
import type { Claim } from '../../src/engine/work.ts';
import { findPerson, recognisedBy } from '../../src/operate/forget/forget.ts';

import {
  erasures,
  ID,
  known,
  MEETING,
  NOBODY,
  NOW,
  PHONE,
  parts,
  personOf,
  phoneMark,
  renew,
  VERA,
  type World,
} from './erasure-bench.ts';

beforeEach(renew);

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

  test('the platform is asked for her card and her numbers, and for no empty one', async () => {
    const filters = async (phone: unknown) => {
      const asked: unknown[] = [];
      const { appointments, ...rest } = parts({ card: { ...VERA, phone } });
      const list = async (filter: Readonly<Record<string, string>>) => {
        asked.push(filter);
        return { data: [], hasMore: false };
      };
      await findPerson(ID, { ...rest, appointments: { ...appointments, list } });
      return asked;
    };
    const own = { contact_id: ID };
    expect(await filters(PHONE)).toEqual([own, own, { customer_phone: PHONE }]);
    for (const none of ['', null, 5]) expect(await filters(none)).toEqual([own]);
  });

  const byContact = `contact_id ${ID}`;
  const byPhone = `customer_phone ${PHONE}`;
  const meeting = (contact_id: unknown, more: object = {}) => ({
    ...{ id: MEETING, contact_id, customer_name: 'Vera Orlova', customer_phone: PHONE, ...more },
  });

  test.each<[string, World, boolean]>([
    ['the platform lists it', { listed: { [byContact]: [meeting(ID)] } }, true],
    ['its number and name are hers, and no card is linked', { listed: { [byPhone]: [meeting(null)] } }, true],
    ['the same, without a field for the card', { listed: { [byPhone]: [meeting(undefined)] } }, true],
    [
      'its number is hers, and its name another',
      { listed: { [byPhone]: [meeting(null, { customer_name: 'Nina Weber' })] } },
      false,
    ],
    [
      'its name is hers, and its number another',
      { listed: { [byPhone]: [meeting(null, { customer_phone: '+74950002202' })] } },
      false,
    ],
    ['it is linked to another card', { listed: { [byPhone]: [meeting('other')] } }, false],
    [
      'the platform lists it as hers, and says another card',
      { listed: { [byContact]: [meeting('other')] } },
      false,
    ],
    [
      'a relative has the number, and the name is a part of hers',
      { listed: { [byPhone]: [meeting(null, { customer_name: 'Orlova' })] }, others: { [PHONE]: ['other'] } },
      false,
    ],
    [
      'it is stored as hers, and the platform shows none',
      { known: [known(`appointment/${MEETING}`, { contact_id: ID })] },
      true,
    ],
    [
      'it is stored as hers, and the platform says so',
      { known: [known(`appointment/${MEETING}`, { contact_id: ID })], shown: { [MEETING]: meeting(ID) } },
      true,
    ],
    [
      'it is stored as hers, and linked to nobody by now',
      { known: [known(`appointment/${MEETING}`, { contact_id: ID })], shown: { [MEETING]: meeting(null) } },
      true,
    ],
    [
      'it is stored as hers, and another card’s by now',
      {
        known: [known(`appointment/${MEETING}`, { contact_id: ID })],
        shown: { [MEETING]: meeting('other') },
      },
      false,
    ],
    [
      'it is stored as another’s',
      { known: [known(`appointment/${MEETING}`, { contact_id: 'other' })] },
      false,
    ],
    [
      'only its holder is known',
      { known: [known(`appointment/${MEETING}`, undefined, { contactId: ID })] },
      true,
    ],
    [
      'its content is another’s, and its former holder she',
      { known: [known(`appointment/${MEETING}`, { contact_id: 'other' }, { contactId: ID })] },
      false,
    ],
  ])('an appointment where %s: %#', async (_, world, isHers) => {
    const order = await personOf(world);
    expect(order.keys).toEqual([`contact/${ID}`, ...(isHers ? [`appointment/${MEETING}`] : [])]);
    expect(order.terms.ids.includes(MEETING.replaceAll('-', ''))).toBe(isHers);
  });

  test('what the platform shows is told once, and only what it does not list is asked for', async () => {
    const asked: string[] = [];
    const world: World = {
      listed: { [byContact]: [meeting(ID)], [byPhone]: [meeting(ID)] },
      known: [
        known(`appointment/${MEETING}`, { contact_id: ID }),
        known('appointment/second', { contact_id: ID }),
      ],
    };
    const get = async (id: string) => {
      asked.push(id);
      return { id, contact_id: ID, customer_email: 'v2@x.example' } as never;
    };
    const { appointments, ...rest } = parts(world);
    const { order, shown } = await findPerson(ID, { ...rest, appointments: { ...appointments, get } });
    expect([asked, shown.map(({ id }) => id)]).toEqual([['second'], [MEETING, 'second']]);
    expect(order.terms.emails).toEqual([VERA.email, 'v2@x.example']);
  });

  test('texts of her appointments count, also as they were stored', async () => {
    const stored = { contact_id: ID, customer_phone: '+74950009909', customer_name: 'Vera Petrova' };
    const { terms } = await personOf({ known: [known(`appointment/${MEETING}`, stored)] });
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
      'a row in her name whose number the sheet has made a number',
      known('booking/b', { cells: { name: 'Vera Orlova', phone: 74950001101 } }),
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
      'a row that led to her appointment and to another’s',
      known(
        'booking/b',
        { cells: {} },
        {
          links: {
            m: { booking: { state: 'booked', own: { id: 'x' } } },
            n: { booking: { state: 'cancelled', own: { id: ID } } },
          },
        },
      ),
      true,
    ],
    [
      'a row in her name that led to nothing yet',
      known(
        'booking/b',
        { cells: { name: 'Vera Orlova', phone: PHONE } },
        { links: { m: { booking: { state: 'new' } } } },
      ),
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
    const booking = { state: 'booked', own: { id: MEETING } };
    const world = {
      listed: { [byContact]: [meeting(ID)] },
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
    ['her own card, as it was stored', known(`contact/${ID}`, { phone: '+49 160 000 11 01' }), true],
    ['a card of another end', known('contact/c', { phone: '+49 160 000 99 99' }), true],
    ['a card without a number', known('contact/c', {}), true],
    ['an object of which nothing is known', known('contact/c', undefined), true],
  ])('the mark of her number beside the number of %s: %#', async (_, claim, stays) => {
    const { terms } = await personOf({ known: [claim] });
    expect(terms.hashes.includes(phoneMark(PHONE))).toBe(stays);
    expect(terms.hashes).toContain(customerMarks({ ...NOBODY, email: VERA.email }).email);
  });

  test('each of her numbers is hers, whatever their lengths', async () => {
    const second = meeting(ID, { customer_phone: '+49 160 222 33 44' });
    const spelled = known('contact/c', { phone: '8 (495) 000-11-01' });
    const two = await personOf({ listed: { [byContact]: [second] }, known: [spelled] });
    expect(two.terms.hashes).toContain(phoneMark(PHONE));
    const short = await personOf({ card: { ...VERA, phone: '000-11-01' }, known: [spelled] });
    expect(short.terms.hashes).toContain(phoneMark(PHONE));
  });

  test('what was begun goes on: its words, its keys, its beginning and its counts', async () => {
    const erased = { ...NOTHING_ERASED, cells: 4 };
    erasures.orders.set('other', { contactId: 'other' } as ErasureOrder);
    erasures.orders.set(ID, {
      ...{ contactId: ID, keys: ['lead/old', `contact/${ID}`], begunAtMs: NOW - 5, erased },
      terms: {
        ...{ ids: ['c3'], phones: ['+1'], emails: ['old@x.example'], names: ['Old'], hashes: ['h'] },
        shared: ['+1'],
      },
    });
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
