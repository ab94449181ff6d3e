import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfAnEdit } from './awaits.ts';

// Seven variants: every call dies once before and once after it was carried out.
testDeathsOfAnEdit(dealtOut(7));
