import { ALL_CALLS } from '../../stand/sweep.ts';
import { testDeaths } from './contract.ts';
import { rounds } from './rounds.ts';
import { SITUATIONS } from './situations.ts';

testDeaths([...SITUATIONS, rounds], () => ALL_CALLS);
