import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfAnEdit } from './awaits.ts';

// Five variants: every call dies once before and once after it was carried out.
testDeathsOfAnEdit(dealtOut(5));
