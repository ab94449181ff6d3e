/** Whatever people, forms and spreadsheets put around and into a number: it is read right, or its author is asked. */
import * as fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, test } from 'vitest';
import { plainText } from '../../../src/engine/plain-text.ts';
import { createBookingTemplates } from '../../../src/mapping/phone-filter.ts';
import { runsOf } from '../../stand/runs.ts';

interface Written {
  readonly region: string;
  readonly text: string;
  readonly truth: string;
  /** One digit more is no number of this country. */
  readonly isFixed: boolean;
}

const NUMBERS: readonly Written[] = (
  [
    [
      'DE',
      '+4930901820',
      false,
      '+49 30 901820',
      '+49 (0)30 901820',
      '030 901820',
      '(030) 901820',
      '030/901820',
      '0049 30 901820',
    ],
    [
      'DE',
      '+491701234567',
      false,
      '+491701234567',
      '0170 1234567',
      '01701234567',
      '+49 170 123 45 67',
      '0170/1234567',
    ],
    [
      'DE',
      '+380501234567',
      true,
      '+380501234567',
      '+38 050 123 45 67',
      '+380 (50) 123-45-67',
      '00380501234567',
    ],
    ['DE', '+79261234567', true, '+7 926 123-45-67', '+79261234567'],
    ['AT', '+436641234567', false, '+43 664 1234567', '0664 123 45 67', '06641234567'],
    [
      'RU',
      '+74950001101',
      true,
      '8 495 000-11-01',
      '84950001101',
      '+7 (495) 000-11-01',
      '495 000 11 01',
      '8(495)0001101',
    ],
    ['RU', '+380501234567', true, '+380501234567', '+38 (050) 123-45-67'],
    ['UA', '+380501234567', true, '050 123 45 67', '0501234567', '+38 050 1234567', '(050) 123-45-67'],
    ['UA', '+79161234567', true, '+79161234567', '+7 916 123-45-67'],
    [
      'FR',
      '+33123456789',
      true,
      '01 23 45 67 89',
      '01.23.45.67.89',
      '+33 1 23 45 67 89',
      '0033 1 23 45 67 89',
    ],
    ['GB', '+442079460958', true, '020 7946 0958', '+44 (0)20 7946 0958', '+44 20 7946 0958'],
    ['US', '+12125550123', true, '(212) 555-0123', '212-555-0123', '1 212 555 0123', '+1 212 555 0123'],
    ['IT', '+39021234567', false, '02 1234567', '+39 02 1234567', '021234567'],
    ['PL', '+48221234567', true, '22 123 45 67', '+48 22 123 45 67', '+48 (0)22 123 45 67'],
  ] as readonly (readonly [string, string, boolean, ...string[]])[]
).flatMap(([region, truth, isFixed, ...texts]) => texts.map((text) => ({ region, truth, isFixed, text })));

const INVISIBLE = [
  '\u200b',
  '\u00ad',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u200e',
  '\u202c',
  '\u061c',
  '\u034f',
  '\ufe0f',
  '\u{e0001}',
  '\u3164',
  '\u180e',
];
const DIGITS = ['٠', '۰', '０', '०', '𝟎', '๐'];
const BLANKS = [' ', '\u00a0', '\u202f', '\u2009', '\u3000', '&nbsp;', '&#160;', '&#x2009;', '&thinsp;'];
const DASHES = ['-', '\u2010', '\u2011', '\u2013', '\u2014', '\u2212', '&ndash;', '&#8211;'];

/** Other spellings of the same number. */
const spelt = (text: string) =>
  fc
    .record({
      zero: fc.option(fc.constantFrom(...DIGITS), { freq: 3 }),
      blank: fc.constantFrom(...BLANKS),
      dash: fc.constantFrom(...DASHES),
      plus: fc.constantFrom('+', '+', '\uff0b', '&#43;', '&#x2b;', '&plus;'),
      hidden: fc.array(fc.tuple(fc.nat(text.length), fc.constantFrom(...INVISIBLE, '&#8203;', '&shy;')), {
        maxLength: 2,
      }),
    })
    .map(({ zero, blank, dash, plus, hidden }) => {
      const characters = [...text].map((each) => {
        if (/\d/.test(each))
          return zero === null ? each : String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(each));
        return each === ' ' ? blank : each === '-' ? dash : each === '+' ? plus : each;
      });
      for (const [at, mark] of hidden) characters.splice(Math.min(at, characters.length), 0, mark);
      return characters.join('');
    });

const WORDS = [
  'Tel',
  'тел',
  'Vera',
  'Personen',
  'Uhr',
  'чел',
  'guests',
  'A',
  'x',
  'ext',
  'No',
  '№',
  '#',
  '$',
  '€',
  '%',
  '²',
  '½',
  '①',
  '_',
  '*',
  '~',
  '^',
  '&amp;',
  '@',
  '🙂',
  '📞',
  'é',
  'क',
];
const SMALL = [
  '2',
  '12',
  '3',
  '101',
  '10115',
  '15:00',
  '10:30',
  '3 pm',
  '12 am',
  '03.03.2026',
  '2026-03-03',
  '1,5',
  '44',
  '38',
  '7',
  '8',
  '0',
  '00',
  '007',
];
const LINKS = [
  'vera@clinic.example',
  'ivan1985@clinic.example',
  'https://zoom.example/j/89161234567',
  '<vera@clinic.example>',
  '1/2',
];
const JOINTS = [
  '',
  ' ',
  '  ',
  '\n',
  '\t',
  ', ',
  ',',
  ';',
  ':',
  ': ',
  '. ',
  '.',
  ' / ',
  '/',
  ' - ',
  '-',
  ' – ',
  '(',
  ')',
  ' (',
  ') ',
  '|',
  "'",
  '"',
  '=',
  '•',
  ' · ',
  '\u00a0',
  '\u200b',
  '\u2028',
  '\u0085',
  '\u0000',
  '&nbsp;',
  '<br>',
  '</td><td>',
  '</h3>',
  '<h3>',
  '</span><span>',
  '<b>',
  '</b>',
  '<!-- x -->',
  '<p>',
  '</li><li>',
  '</tr><tr>',
  '<div>',
  '&#8203;',
  '&#10;',
  '<wbr>',
  '<hr/>',
  '&bull;',
];
const around = fc
  .array(fc.tuple(fc.constantFrom(...WORDS, ...SMALL, ...SMALL, ...LINKS), fc.constantFrom(...JOINTS)), {
    maxLength: 3,
  })
  .map((parts) => parts.flat());

const bare = (parts: readonly string[]) =>
  plainText(`x${parts.join('')}x`)
    .slice(1, -1)
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');

/** Digits, seen by people as one with the number, make another number where lengths vary. */
function isGlued(before: readonly string[], after: readonly string[]): boolean {
  return /\p{Nd}[-+.()]*$/u.test(bare(before)) || /^[-.()]*\p{Nd}/u.test(bare(after));
}

/** Digits that people too read as the beginning of another number, or as an hour: `0` + `01.23…`, `002` + `050 …`, `7:` + `22 123…`. */
function isMisread(before: readonly string[]): boolean {
  return /0[-+.()]*$|00[-+.()]*\d{1,3}$|\d:$/u.test(bare(before));
}

const inputs = fc
  .tuple(fc.constantFrom(...NUMBERS), around, around)
  .chain(([number, before, after]) =>
    spelt(number.text).map((text) => ({ number, before, text, after: [...after].reverse() })),
  )
  .filter(({ number, before, after }) => (number.isFixed ? !isMisread(before) : !isGlued(before, after)));

test('no text around a number makes it another one', () => {
  let read = 0;
  let all = 0;
  fc.assert(
    fc.property(inputs, ({ number: { region, truth }, before, text, after }) => {
      const description = plainText(`${before.join('')}${text}${after.join('')}`);
      const found = phoneIn(description, region);
      all += 1;
      if (found === truth) read += 1;
      expect(['', truth]).toContain(found);
    }),
    { numRuns: runsOf(24_000) },
  );
  // Asking everybody would be no reading.
  expect(read).toBeGreaterThan(all / 3);
});

/** Sheets keeps a typed number without its plus and its leading zeros. */
test('a cell with a number is read right, or asked about', () => {
  const countries = getCountries().flatMap((country) => getExampleNumber(country, examples) ?? []);
  const wrong = ['DE', 'AT', 'PK', 'ID', 'CN', 'RU', 'IT', 'FR', 'GB', 'US', 'UA'].flatMap((region) =>
    countries.flatMap((example) => {
      const typed = [example.number, ...(example.country === region ? [example.formatNational()] : [])];
      return typed.flatMap((text) => {
        const found = phoneIn(Number(text.replace(/\D/g, '')), region);
        return found === '' || found === example.number ? [] : [`${region} ${text} ${found}`];
      });
    }),
  );
  expect(wrong).toEqual([]);
});

test('a mobile number of the own country is read from such a cell', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_999_999 }), (number) => {
      const truth = `+49170${String(number).padStart(7, '0')}`;
      expect(phoneIn(Number(truth.slice(1)), 'DE')).toBe(truth);
    }),
    { numRuns: runsOf(2_000) },
  );
});

function phoneIn(text: string | number, region: string): string {
  return createBookingTemplates({ region, serviceNames: () => [] }).text('{{ text | phone }}', { text });
}
