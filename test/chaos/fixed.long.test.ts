import { firstSeed } from './fixed.ts';
import { testFixedPlans } from './fixed-plays.ts';

testFixedPlans(firstSeed());
