import { EVERY_CALL } from '../../stand/sweep.ts';
import { testDeathsOfBlocks } from './awaits.ts';

testDeathsOfBlocks(EVERY_CALL);
