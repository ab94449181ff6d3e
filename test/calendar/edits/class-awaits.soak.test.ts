import { EVERY_CALL } from '../../stand/sweep.ts';
import { testDeathsOfAClassMove } from './class-awaits.ts';

testDeathsOfAClassMove(EVERY_CALL);
