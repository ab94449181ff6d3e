import { test } from 'vitest';
import { eraseInEveryLife } from './class-guests-killed.ts';

test(
  'P1, P9: a person who is erased while the worker renders them into a class and dies at any call is named in it neither then nor later',
  () => eraseInEveryLife({ lives: 2, step: 40 }),
  600_000,
);
