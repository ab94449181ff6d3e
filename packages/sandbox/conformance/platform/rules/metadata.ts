import type { Section } from '../../report/section.ts';

export const metadata: Section = {
  title: 'Metadata, phones, money',
  prefix: 'metadata',
  rules: [
    ['1', 'metadata is a flat object'],
    ['2', 'it has at most 50 keys'],
    ['3', 'a key has at most 40 characters'],
    ['4', 'a key is not a number, negative numbers included'],
    ['5', 'a value is a string, a number, a boolean or null'],
    ['6', 'a string value has at most 500 characters'],
    ['7', 'leading and trailing spaces of a string are removed'],
    ['8', 'an empty string is stored as null'],
    ['9', 'the rules hold for appointments as for contacts'],
    ['10', 'a key that only contains digits among letters is allowed'],
    ['phone.1', 'a phone in another notation is converted to E.164'],
    ['phone.2', 'a contact’s phone that is no number is stored as given'],
    ['phone.3', 'an E.164 phone stays as it is'],
    ['money.1', 'money is an integer in minor units with a currency'],
  ],
};
