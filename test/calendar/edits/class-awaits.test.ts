import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfAClassMove } from './class-awaits.ts';

// Six scenarios: every call dies once, before or after it was carried out.
testDeathsOfAClassMove(dealtOut(12));
