import { fewAttacks } from './linear.ts';
import { testLinearWork } from './linear-work.ts';

testLinearWork({ attacks: fewAttacks(), thorough: false });
