import { fixedPlans, shortOnes } from './fixed.ts';
import { testFixedPlans } from './fixed-plays.ts';

const short = new Set(shortOnes().map(({ found }) => found));
testFixedPlans(fixedPlans().filter(({ found }) => !short.has(found)));
