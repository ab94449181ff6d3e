import { describe, expect, test } from 'vitest';
import { createBookingTemplates } from '../../../src/mirrors/render/booking-templates.ts';

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
