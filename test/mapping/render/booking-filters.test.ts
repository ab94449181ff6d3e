import { expect, test } from 'vitest';
import { createBookingTemplates } from '../../../src/mapping/phone-filter.ts';
import { checkTemplate } from '../../../src/mapping/render-check.ts';

const templates = createBookingTemplates({
  region: 'RU',
  serviceNames: () => ['Haircut', 'Haircut and beard', 'Маникюр'],
});
const render = (source: string, text: string) => templates.text(source, { text });

test.each([
  ['Vera, 8 (495) 000-11-01, at ten', '+74950001101'],
  ['+49 30 901820', '+4930901820'],
  ['room 12, no number', ''],
  ['', ''],
])('phone finds one number in %o', (text, expected) => {
  expect(render('{{ text | phone }}', text)).toBe(expected);
});

test('without a country only numbers that bring their own are found', () => {
  const anywhere = createBookingTemplates({ region: undefined, serviceNames: () => [] });
  expect(anywhere.text('{{ text | phone }}', { text: '8 495 000-11-01' })).toBe('');
  expect(anywhere.text('{{ text | phone }}', { text: '+7 495 000-11-01' })).toBe('+74950001101');
});

test.each([
  ['write to <vera@example.com>, please', 'vera@example.com'],
  ['nobody @ home', ''],
])('email finds one address in %o', (text, expected) => {
  expect(render('{{ text | email }}', text)).toBe(expected);
});

test.each([
  ['1h 30m', '90'],
  ['massage 90 min', '90'],
  ['1,5 ч', '90'],
  ['2 часа', '120'],
  ['1:30', '90'],
  ['45', '45'],
  ['some time', ''],
])('duration reads %o as %o minutes', (text, expected) => {
  expect(render('{{ text | duration }}', text)).toBe(expected);
});

test.each([
  ['#book haircut AND beard for Vera', 'Haircut and beard'],
  ['haircuts', ''],
  ['маникюр в 10', 'Маникюр'],
])('service finds its name in %o', (text, expected) => {
  expect(render('{{ text | service }}', text)).toBe(expected);
});

test('the filters belong to bookings only, and their fields are known', () => {
  expect(checkTemplate('{{ description | phone }}', 'booking')).toBeUndefined();
  expect(checkTemplate('{{ customer_phone | phone }}', 'appointment')).toBeDefined();
  expect(checkTemplate('{{ descripton }}', 'booking')?.message).toContain(
    "no booking has a field 'descripton'",
  );
});

test('a template that cannot be rendered names no value', () => {
  expect(() => render('{{ text | nonsense }}', 'Vera')).toThrow(/cannot be rendered for what was seen$/);
});
