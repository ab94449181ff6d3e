import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { type Company, NOBODYS_PHONE } from '../stage/company.ts';
import { needing, writing } from '../stage/fact.ts';

const REFUSED = '422 validation';

const withMetadata = (company: Company, metadata: unknown) => company.contact({ metadata });

const keys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, index]));

writing(
  '[metadata.1][metadata.5] text, numbers, booleans and null are kept, objects, lists and bare values refused',
  async (company) => {
    const metadata = { text: 'a', whole: 1, part: 0.5, yes: true, no: false, nothing: null };
    expect((await withMetadata(company, metadata)).body.metadata).toEqual(metadata);
    for (const bad of [{ deep: { a: 1 } }, { list: [1] }, ['a'], 'text', 7])
      expect(verdict(await withMetadata(company, bad))).toBe(REFUSED);
  },
);

writing('[metadata.2] fifty keys are kept, fifty-one refused', async (company) => {
  expect((await withMetadata(company, keys(50))).body.metadata).toEqual(keys(50));
  expect(verdict(await withMetadata(company, keys(51)))).toBe(REFUSED);
});

writing('[metadata.3] a key of 40 characters is kept, of 41 refused', async (company) => {
  expect(verdict(await withMetadata(company, { ['k'.repeat(40)]: 1 }))).toBe('201');
  expect(verdict(await withMetadata(company, { ['k'.repeat(41)]: 1 }))).toBe(REFUSED);
});

writing('[metadata.4] a key that is a number is refused', async (company) => {
  for (const key of ['10042', '-5', '0'])
    expect(verdict(await withMetadata(company, { [key]: 'x' }))).toBe(REFUSED);
});

writing('[metadata.10] digits within a word make no number of a key', async (company) => {
  expect((await withMetadata(company, { order_10042: 'x', a1: 'y' })).body.metadata).toEqual({
    order_10042: 'x',
    a1: 'y',
  });
});

writing('[metadata.6] a text of 500 characters is kept, of 501 refused', async (company) => {
  expect(verdict(await withMetadata(company, { note: 'x'.repeat(500) }))).toBe('201');
  expect(verdict(await withMetadata(company, { note: 'x'.repeat(501) }))).toBe(REFUSED);
});

writing('[metadata.7] spaces around a text are removed', async (company) => {
  expect((await withMetadata(company, { note: '  two words ' })).body.metadata).toEqual({
    note: 'two words',
  });
});

writing('[metadata.8] an empty text is stored as null', async (company) => {
  expect((await withMetadata(company, { a: '', b: '   ' })).body.metadata).toEqual({ a: null, b: null });
});

writing('[metadata.9] an appointment keeps and refuses the same as a contact', async (company) => {
  for (const bad of [{ deep: { a: 1 } }, { '42': 'x' }, keys(51), { note: 'x'.repeat(501) }])
    expect(verdict(await company.book({ metadata: bad }))).toBe(REFUSED);
  expect((await company.book({ metadata: { note: ' x ', empty: '' } })).body.metadata).toEqual({
    note: 'x',
    empty: null,
  });
});

writing(
  '[metadata.phone.1] spaces, brackets and hyphens leave a phone on its way to E.164',
  async (company) => {
    for (const phone of ['+44 7700 900123', '+44 (7700) 900-123', '+44-7700-900-123'])
      expect((await company.contact({ phone })).body.phone).toBe(NOBODYS_PHONE);
  },
);

needing(
  'company',
  '[metadata.phone.1] a phone in the notation of the country becomes E.164',
  async (stage) => {
    for (const phone of ['89123456789', '8 (912) 345-67-89'])
      expect((await stage.contact({ phone })).body.phone).toBe('+79123456789');
  },
);

writing('[metadata.phone.2] a contact’s phone that is no number is kept as it was given', async (company) => {
  expect((await company.contact({ phone: 'ask the porter' })).body.phone).toBe('ask the porter');
});

writing('[metadata.phone.3] an E.164 phone is kept', async (company) => {
  expect((await company.contact({ phone: NOBODYS_PHONE })).body.phone).toBe(NOBODYS_PHONE);
});

needing(
  'company',
  '[metadata.money.1] an appointment of 1500 roubles costs 150000 kopecks',
  async (stage) => {
    const { body } = await stage.book();
    expect([body.price_amount, body.price_currency]).toEqual([150_000, 'RUB']);
  },
);
