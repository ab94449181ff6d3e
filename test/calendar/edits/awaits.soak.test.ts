import { EVERY_CALL } from '../../stand/sweep.ts';
import { testDeathsOfAnEdit } from './awaits.ts';

testDeathsOfAnEdit(EVERY_CALL);
