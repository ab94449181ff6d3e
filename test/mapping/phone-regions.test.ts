import { getCountries } from 'libphonenumber-js';
import { expect, test } from 'vitest';
import { PHONE_REGIONS } from '../../src/mapping/schema/phone-region.ts';

test('the regions that the YAML may name are those whose numbers can be read', () => {
  expect([...PHONE_REGIONS].sort()).toEqual([...getCountries()].sort());
});
