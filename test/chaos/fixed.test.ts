import { shortOnes } from './fixed.ts';
import { testFixedPlans } from './fixed-plays.ts';

testFixedPlans(shortOnes().slice(0, 1));
