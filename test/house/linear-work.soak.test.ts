import { attacks } from './linear.ts';
import { testLinearWork } from './linear-work.ts';

testLinearWork({ attacks: attacks(), thorough: true });
