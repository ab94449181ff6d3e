import { EVERY_CALL } from '../../stand/sweep.ts';
import { testDeathsOfAPush } from './awaits.ts';

testDeathsOfAPush(EVERY_CALL);
