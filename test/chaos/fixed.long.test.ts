import { fixedPlans } from './fixed.ts';
import { testFixedPlans } from './fixed-plays.ts';

testFixedPlans(
  fixedPlans()
    .filter(({ plan }) => plan === undefined)
    .slice(1),
);
