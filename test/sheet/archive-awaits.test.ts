import { dealtOut } from '../stand/sweep.ts';
import { testDeathsOfAMove } from './archive-awaits.ts';

// Six scenarios: every call dies once, before or after it was carried out.
testDeathsOfAMove(dealtOut(12));
