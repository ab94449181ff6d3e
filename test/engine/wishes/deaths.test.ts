import { dealt } from '../../stand/sweep.ts';
import { testDeaths } from './contract.ts';
import { rounds } from './rounds.ts';
import { SITUATIONS } from './situations.ts';

testDeaths([...SITUATIONS, rounds], dealt);
