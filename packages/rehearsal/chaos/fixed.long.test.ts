import { rowsOf } from '../../../test/stand/runs.ts';
import { firstSeed, shortOnes } from './fixed.ts';
import { testFixedPlans } from './fixed-plays.ts';

testFixedPlans([...rowsOf(shortOnes(), 4), ...firstSeed()]);
