import { describe, expect, test } from 'vitest';
import { createBookingTemplates } from '../../../src/mapping/phone-filter.ts';

const phoneIn = (text: string, region: string | undefined) =>
  createBookingTemplates({ region, serviceNames: () => [] }).text('{{ text | phone }}', { text });

describe('a number that stands whole in the text is found, as people of the country write it', () => {
  test.each([
    ['RU', '8 495 000-11-01', '+74950001101'],
    ['RU', '8(495)0001101', '+74950001101'],
    ['RU', '495 000 11 01', '+74950001101'],
    ['RU', '74950001101', '+74950001101'],
    ['RU', '7 495 000-11-01', '+74950001101'],
    ['RU', '8 800 555 35 35', '+78005553535'],
    ['RU', 'Vera, 8\u00a0(495)\u00a0000–11–01, at ten', '+74950001101'],
    ['RU', '８ ４９５ ０００-１１-０１', '+74950001101'],
    ['RU', 'tel.: 8 495 000-11-01.', '+74950001101'],
    ['RU', '8 495 000-11-01 доб. 2', '+74950001101'],
    ['RU', '+49 30 901820', '+4930901820'],
    ['KZ', '8 701 234 56 78', '+77012345678'],
    ['KZ', '701 234 56 78', '+77012345678'],
    ['DE', '030/901820', '+4930901820'],
    ['DE', '0170 1234567', '+491701234567'],
    ['DE', '0049 30 901820', '+4930901820'],
    ['DE', '+49 (0)30 901820', '+4930901820'],
    ['US', '(212) 555-0123', '+12125550123'],
    ['US', '1-212-555-0123', '+12125550123'],
    ['GB', '020 7946 0958', '+442079460958'],
    ['GB', '07911 123456', '+447911123456'],
    ['FR', '01 23 45 67 89', '+33123456789'],
    ['FR', '01.23.45.67.89', '+33123456789'],
    ['IT', '02 1234567', '+39021234567'],
    ['IT', '347 123 4567', '+393471234567'],
    ['DK', '20 12 34 56', '+4520123456'],
    ['AR', '011 15-2345-6789', '+5491123456789'],
    ['UA', '+38 (050) 123-45-67', '+380501234567'],
    ['UA', '+38 050 123 45 67', '+380501234567'],
    ['FR', '00 (49) 30 901820', '+4930901820'],
    [undefined, '+7 495 000-11-01', '+74950001101'],
  ])('%s: %s', (region, text, expected) => {
    expect(phoneIn(text, region)).toBe(expected);
  });
});

describe('a number with a digit too few or too many is nobody’s: it is asked for, not guessed', () => {
  test.each([
    // These are valid numbers of somebody else when the leading digit is taken for a part of them.
    ['RU', '8 495 000-11-0'],
    ['RU', '8 343 123-45-6'],
    ['RU', '83431234567'.slice(0, 10)],
    ['RU', '7 495 000 11 0'],
    ['RU', '7 701 234 56 7'],
    ['KZ', '7 701 234 56 7'],
    ['RU', '+8 495 000-11-01'],
    ['RU', '00 8 495 000-11-01'],
    ['UA', '00 (2)0501234567'],
    ['UA', '00 2 0501234567'],
    ['DE', '+38 (050) 123-45-67'],
    ['RU', '+7 495 000-11-0'],
    ['RU', '+7 495 000-11-012'],
    ['RU', '8 495 000-11-011'],
    ['RU', '8495000110112'],
    ['RU', '84950001101123'],
    ['RU', '8 495 000-11-01 2'],
    ['US', '1 212 555 012'],
    ['US', '212 555 01234'],
    ['GB', '07911 12345'],
    ['GB', '07911 1234567'],
    ['FR', '06 12 34 56 7'],
    ['FR', '06 12 34 56 789'],
    ['DK', '20 12 34 5'],
  ])('%s: %s', (region, text) => {
    expect(phoneIn(text, region)).toBe('');
  });

  test('nor is one of which nobody can say whether the last digit is of it', () => {
    expect(phoneIn('030 901820 2 Personen', 'DE')).toBe('');
    expect(phoneIn('+49 30 901820 2 Personen', 'DE')).toBe('');
  });

  test('nor is the code of another country taken for something that stands beside a number', () => {
    expect(phoneIn('44 84950001101', 'RU')).toBe('');
  });

  test('nor is the next number in the text taken for it', () => {
    expect(phoneIn('8 495 000-11-0, from 8 495 000-11-02', 'RU')).toBe('');
  });
});

describe('of two numbers the first one is taken, also with a blank or a slash between them', () => {
  test.each([
    ['RU', '8 495 000-11-01, 8 495 000-11-02', '+74950001101'],
    ['RU', '8 495 000-11-01 8 495 000-11-02', '+74950001101'],
    ['RU', '84950001101 84950001102', '+74950001101'],
    ['RU', '8 495 000-11-01 / 8 495 000-11-02', '+74950001101'],
    ['RU', '+7 495 000-11-01 +7 495 000-11-02', '+74950001101'],
    ['RU', '8 495 000-11-01\n8 495 000-11-02', '+74950001101'],
    ['DE', '01701234567 01711234567', '+491701234567'],
    // One valid number of fifteen digits, to those who do not look where the second begins.
    ['DE', '089 1234567 089 123', '+49891234567'],
    ['US', '212.555.0123 646.555.0199', '+12125550123'],
  ])('%s: %s', (region, text, expected) => {
    expect(phoneIn(text, region)).toBe(expected);
  });

  test('unless they can be read in several ways', () => {
    expect(phoneIn('030 123456 0170 123456', 'DE')).toBe('');
    expect(phoneIn('+49 30 901820/10103.03.2026', 'DE')).toBe('');
    expect(phoneIn('12 22 123 45 67:00', 'PL')).toBe('');
    expect(phoneIn('38 / 10115 / 38, 021234567', 'IT')).toBe('');
    expect(phoneIn('0 - 01.23.45.67.89.38', 'FR')).toBe('');
    expect(phoneIn('10115 101/3 pm +33 1 23 45 67 89', 'FR')).toBe('');
    expect(phoneIn('15:00:01.23.45.67.890', 'FR')).toBe('');
    expect(phoneIn('12 22 123 45 17:00', 'PL')).toBe('');
    expect(phoneIn('0 101/12 +39 02 1234567', 'IT')).toBe('');
  });
});

describe('what people write beside a number does not hide it', () => {
  test.each([
    ['RU', '84950001101 2 guests', '+74950001101'],
    ['RU', '+74950001101 2 guests', '+74950001101'],
    ['RU', '84950001101 03.03', '+74950001101'],
    ['RU', '84950001101 15-00', '+74950001101'],
    ['RU', '15.00 84950001101', '+74950001101'],
    ['RU', '1) 84950001101', '+74950001101'],
    ['US', '2125550123 3 pm', '+12125550123'],
    ['US', '2125550123 3/15/2026', '+12125550123'],
    ['US', '212-555-0123x12', '+12125550123'],
  ])('%s: %s', (region, text, expected) => {
    expect(phoneIn(text, region)).toBe(expected);
  });
});

describe('what is no number is passed over', () => {
  test.each([
    ['Room 12\n8 495 000-11-01', '+74950001101'],
    ['03.03.2026 10:00 8 495 000-11-01', '+74950001101'],
    ['8 495 000-11-01 10:00', '+74950001101'],
    ['2026-03-03, 8 495 000-11-01', '+74950001101'],
    ['order 4711, 8 495 000-11-01', '+74950001101'],
    ['89161234567@example.com', ''],
    ['A84950001101', ''],
    ['84950001101st', ''],
    ['3f2a84950001101', ''],
    ['00000000-0000-4000-8000-000000000000', ''],
    ['room 12, no number', ''],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(phoneIn(text, 'RU')).toBe(expected);
  });
});

describe('whatever stands directly beside the digits and is no known separator makes them unreadable', () => {
  test.each([
    ['DE', 'x030 901820'],
    ['DE', '030 901820²'],
    ['DE', '½030 901820'],
    ['DE', '#030 901820'],
    ['DE', '030 901820%'],
    ['DE', '€030 901820'],
    ['DE', '030 901820🙂'],
    ['DE', '030 901820\u0301'],
    ['DE', '030 901820\u0085'],
    ['DE', '030,901820'],
    ['DE', '030 9018,20'],
    ['DE', "030'901820"],
    ['DE', '030 901820|2'],
    ['DE', '030 901820+2'],
    ['DE', '++49 30 901820'],
    ['RU', '84950001101Vera, 8 495 000-11-02'],
    ['RU', 'https://zoom.example/j/89161234567'],
    ['RU', 'zoom.example/j/89161234567'],
    ['DE', '+38~0501234567'],
    ['DE', '+38 (UA) 0501234567'],
    ['DE', '030 * 901820'],
    ['DE', '030\n901820'],
    ['DE', '@+38 0501234567'],
  ])('%s: %s', (region, text) => {
    expect(phoneIn(text, region)).toBe('');
  });
});

describe('digits beside a number, of which nobody can say whose they are, make it unreadable', () => {
  test.each([
    ['DE', '030 901820 12 Uhr'],
    ['DE', '030 901820 12'],
    ['DE', '030 90 18 20 12 am Montag'],
    ['DE', '030 901820 - 12 Uhr'],
    ['DE', '030 901820. 12 Uhr'],
    ['DE', '030 901820 (2 Personen)'],
    ['DE', '030 901820 10115 Berlin'],
    ['DE', '2 030 901820'],
    ['DE', '12/030/901820'],
    ['DE', '2030 901820'],
    ['DE', '491701234567'],
    ['DE', 'Rechnung 30901820'],
    ['AT', '0664 123 45 67 12'],
    ['AT', '0664 123 45 07:44'],
    ['DE', '03.03.20262'],
    ['DE', '2026-03-03:1'],
  ])('%s: %s', (region, text) => {
    expect(phoneIn(text, region)).toBe('');
  });
});

describe('what nobody sees, and the digits of another script, change nothing', () => {
  test.each([
    ['DE', '+38\u200b0501234567', '+380501234567'],
    ['FR', '+38\u200b0501234567', '+380501234567'],
    ['UA', '+7\u200b9161234567', '+79161234567'],
    ['DE', '+49 171\u00ad1234567', '+491711234567'],
    ['DE', '\u202a+49 30\u2060 901820\u202c', '+4930901820'],
    ['DE', '+4\u{e0020}9 30 9018\u034f20\ufe0f', '+4930901820'],
    ['RU', '٨ ٤٩٥ ٠٠٠ ١١ ٠١', '+74950001101'],
    ['RU', '۸۴۹۵۰۰۰۱۱۰۱', '+74950001101'],
    ['DE', '＋４９ （３０）　９０１８２０', '+4930901820'],
    ['DE', '+ 49 30 901820', '+4930901820'],
    ['DE', '+49\u202f30\u2009901820', '+4930901820'],
    ['DE', '📞+49 30 901820', '+4930901820'],
    ['DE', '<tel:+49 30 901820>', '+4930901820'],
    ['DE', '030 901820 ext. 12', '+4930901820'],
    ['PL', '+48 (0)22 123 45 67', '+48221234567'],
    ['AT', '0664 123 45 67', '+436641234567'],
    ['RU', '84950001101,84950001102', '+74950001101'],
    ['RU', '89161234567@clinic.example, 8 495 000-11-01', '+74950001101'],
    ['RU', 'https://zoom.example/j/89161234567\n8 495 000-11-01', '+74950001101'],
  ])('%s: %s', (region, text, expected) => {
    expect(phoneIn(text, region)).toBe(expected);
  });
});

describe('a cell with a number has lost its plus and its zeros', () => {
  const inCell = (text: number, region: string | undefined) =>
    createBookingTemplates({ region, serviceNames: () => [] }).text('{{ text | phone }}', { text });

  test.each([
    ['DE', 491701234567, '+491701234567'],
    ['DE', 79261234567, '+79261234567'],
    ['DE', 1701234567, '+491701234567'],
    ['DE', 30901820, '+4930901820'],
    ['DE', 4.91701234567e11, '+491701234567'],
    ['RU', 89261234561, '+79261234561'],
    ['RU', 9261234567, '+79261234567'],
    ['RU', 79261234567, '+79261234567'],
    ['IT', 21234567, '+39021234567'],
    ['FR', 612345678, '+33612345678'],
  ])('%s: %s', (region, cell, expected) => {
    expect(inCell(cell, region)).toBe(expected);
  });

  test.each([
    ['a German landline and a number abroad', 'DE', 492112345],
    ['Moscow with its 8, and a mobile in Vietnam', 'RU', 84950001101],
    ['a country that nobody named', undefined, 491701234567],
    ['a fraction', 'DE', 491701234567.5],
    ['a negative number', 'DE', -491701234567],
    ['more digits than a cell keeps', 'DE', 4917012345678901],
    ['no number of anybody', 'DE', 12],
  ])('%s is asked about', (_, region, cell) => {
    expect(inCell(cell, region)).toBe('');
  });
});
