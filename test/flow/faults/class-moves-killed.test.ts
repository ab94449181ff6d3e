import { test } from 'vitest';
import { moveInEveryLife } from './class-moves-killed.ts';

test(
  'P2, P7: a worker that dies at any call while it moves a class leaves all of it at the new hour, and nobody cancelled',
  () => moveInEveryLife({ lives: 2, step: 80 }),
  600_000,
);
