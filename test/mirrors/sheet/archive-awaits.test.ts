import { testDeathsOfAMove } from './archive-awaits.ts';

// Six scenarios: every call dies once, before or after it was carried out.
testDeathsOfAMove((variant, call) => call % 12 === variant % 12);
