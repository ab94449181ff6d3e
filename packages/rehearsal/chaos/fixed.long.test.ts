import { firstSeed, shortOnes } from './fixed.ts';
import { testFixedPlans } from './fixed-plays.ts';

testFixedPlans([...shortOnes(), ...firstSeed()]);
