import { expect, test } from 'vitest';
import { createBookingTemplates, emailIn, minutesIn, phoneIn } from '../../../src/mapping/phone-filter.ts';
import { growsTooFast } from '../../house/linear.ts';

test.each([
  ['vera@example.com', 'vera@example.com'],
  ['Vera <vera.orlova+spa@mail.example.co.uk>, at ten', 'vera.orlova+spa@mail.example.co.uk'],
  ['write to vera@example.com.', 'vera@example.com'],
  ['mailto:vera@example.com', 'vera@example.com'],
  ["*vera@example.com* or 'olga@example.com'", 'vera@example.com'],
  ['почта: вера@пример.рф', 'вера@пример.рф'],
  ['ten @ home, then vera@example.com', 'vera@example.com'],
  ['@vera_instagram, vera@example.com', 'vera@example.com'],
  ['тел.84950001101/vera@example.com', 'vera@example.com'],
  ['mail=vera@example.com|olga@example.com', 'vera@example.com'],
  ['vera@xn--e1afmkfd.xn--p1ai', 'vera@xn--e1afmkfd.xn--p1ai'],
  ['vera@example.com84950001101', ''],
  ['почтаvera@example.com', ''],
  ['vera@example.com-мама', ''],
  ['vera@example.comВера', ''],
  ['vera@mail.example.comтел', ''],
  ['vera@example.co\u200bm', 'vera@example.com'],
  ['ve\u00adra@exam\u2060ple.org', 'vera@example.org'],
  ['vera@example.org_x', ''],
  ['nobody @ home', ''],
  ['vera@localhost', ''],
  ['vera@example.', ''],
  ['vera@@example.com', ''],
  ['vera@example.com@elsewhere.org', ''],
  ['vera@-.com', ''],
  [`${'v'.repeat(65)}@example.com`, ''],
  [`vera@${'e'.repeat(64)}.com`, ''],
  [`vera@${'e.'.repeat(140)}com`, ''],
  ['', ''],
])('email finds the first address in %o', (text, expected) => {
  expect(emailIn(text)).toBe(expected);
});

const FINDERS = [
  ['email', emailIn],
  ['phone', (text: string) => phoneIn(text, 'RU')],
  ['duration', minutesIn],
] as const;

test.each(
  FINDERS.flatMap(([name, find]) =>
    ['a', '@', 'a@', 'a.', 'a@a.', '1', '1 ', '1-', '(', '+', '8 495 000-11-0 ', '1h ', '1,', '1:'].map(
      (part) => [name, part, find] as const,
    ),
  ),
)('the %s filter takes no longer for a text of nothing but %o than its length asks for', (_, part, find) => {
  expect(growsTooFast(find, (chars) => part.repeat(Math.ceil(chars / part.length)))).toBe(false);
});

test('a text that is cut for its length is not taken for what stands at the cut', () => {
  const templates = createBookingTemplates({ region: 'RU', serviceNames: () => [] });
  const before = `8 495 000-11-01,${'x'.repeat(19_000)}\n`;
  const at = 20_000 - before.length;
  const cut = `${before}${' '.repeat(at - 16)}vera@example.community`;
  expect(templates.text('{{ text | email }}', { text: cut })).toBe('');
  expect(templates.text('{{ text | phone }}', { text: cut })).toBe('+74950001101');
});
