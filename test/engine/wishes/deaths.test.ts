import { dealt } from '../../stand/sweep.ts';
import { testDeaths } from './contract.ts';
import { rounds } from './rounds.ts';
import { SITUATIONS } from './situations.ts';

// A turn or a round of each situation dies at a few of its calls, those of all situations of a group at every call.
testDeaths([...SITUATIONS, rounds], dealt(14));
