import { EVERY_CALL } from '../stand/sweep.ts';
import { testDeathsOfAMove } from './archive-awaits.ts';

testDeathsOfAMove(EVERY_CALL);
