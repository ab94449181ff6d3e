import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfAMove } from './archive-awaits.ts';

// Six variants: every call dies once before and once after it was carried out.
testDeathsOfAMove(dealtOut(6));
