import { expect, test } from 'vitest';
import { minutesIn } from '../../../src/mapping/phone-filter.ts';

test.each([
  ['1h 30m', 90],
  ['1h30m', 90],
  ['1 h 30', 90],
  ['1h30', 90],
  ['1 hour and 30 minutes', 90],
  ['1 ч. 30 мин.', 90],
  ['1 час и 5 минут', 65],
  ['massage 90 min, at ten', 90],
  ['90 min / 90 min', 90],
  ['2 часа', 120],
  ['1,5 ч', 90],
  ['1.25h', 75],
  ['1,1 ч', 66],
  ['1:30', 90],
  ['0:45', 45],
  ['1:30:00', 90],
  ['1:30 ч', 90],
  ['45', 45],
  ['massage 1h, 3 guests', 60],
  ['at 15 h, 60 min', 60],
  ['в 15 ч на 2 часа', 120],
  ['полтора часа', 90],
  ['массаж, полчаса', 30],
  ['half an hour', 30],
  ['час', 60],
])('%s is a length', (text, minutes) => {
  expect(minutesIn(text)).toBe(minutes);
});

test.each([
  ...[
    '1h 3',
    '1h3',
    'massage 1h 3',
    '1 ч 3',
    '1h 30 mi',
    '1h 90 min',
    '1h 99',
    '1:',
    '1:3',
    ':30',
    '1:60',
    '1:75',
  ],
  ...['90 mi', '90 minu', '9o min', '1,5', '1.', '1,', '1.5 h 30 min', '1,333 h', '1.5 min'],
  ...['30-60 min', '30–60 min', '1-2h', '60 min or 90 min', '1h / 90 min', '10:30 min', '12.5.30 min'],
  ...[
    '60 or 90 min',
    'from 60 to 90 min',
    'от 60 до 90 мин',
    '60 и 90 мин',
    'до 15:00',
    'до 15 ч',
    'в 15 часов',
  ],
  ...[
    '60+30 мин',
    '60 + 30 мин',
    '1h + 30 min',
    '2 x 30 min',
    '2×30 мин',
    '2 х 30 мин',
    '2*30 min',
    '3 раза по 30 мин',
    '1 1/2 h',
  ],
  ...['at 3h', 'in 2 hours', 'через полчаса', 'час с половиной', '1 час с половиной', '1.30 ч'],
  ...['0', '0 min', '00:00', '-30', '100000000 min', 'some time', 'h', ''],
])('%s is not finished, or could mean several lengths: it is none', (text) => {
  expect(minutesIn(text)).toBe('');
});
