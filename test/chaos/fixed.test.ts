// The plans that found something once, and the first of the seeds; the other seeds are long tests.
import { fixedPlans } from './fixed.ts';
import { testFixedPlans } from './fixed-plays.ts';

const plans = fixedPlans();
const firstSeed = plans.find(({ plan }) => plan === undefined);
testFixedPlans(plans.filter((each) => each.plan !== undefined || each === firstSeed));
