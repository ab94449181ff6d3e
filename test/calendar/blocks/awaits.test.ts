import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfBlocks } from './awaits.ts';

testDeathsOfBlocks(dealtOut(4));
