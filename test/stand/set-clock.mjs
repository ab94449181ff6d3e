// Preload of a worker process whose wall clock a test sets (process-clock.ts). Timers and `performance` go on, as on a machine whose
// clock is set.
import { readFileSync } from 'node:fs';
import { movedDate } from './moved-date.mjs';

const REREAD_EVERY_MS = 20;
const file = process.env.SLOTBRIDGE_TEST_CLOCK;

let aheadMs = 0;
const reread = () => {
  aheadMs = Number(readFileSync(file, 'utf8'));
};
reread();
setInterval(reread, REREAD_EVERY_MS).unref();
globalThis.Date = movedDate(() => aheadMs);
