import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfAnEdit } from './awaits.ts';

// Seven scenarios: every call dies once, before or after it was carried out.
testDeathsOfAnEdit(dealtOut(14));
