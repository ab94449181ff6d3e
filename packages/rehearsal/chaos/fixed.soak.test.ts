import { firstSeed, fixedPlans, shortOnes } from './fixed.ts';
import { testFixedPlans } from './fixed-plays.ts';

const played = new Set([...shortOnes(), ...firstSeed()].map(({ found }) => found));
testFixedPlans(fixedPlans().filter(({ found }) => !played.has(found)));
