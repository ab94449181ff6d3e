import { ALL_CALLS, EVERY_CALL } from '../../stand/sweep.ts';
import { testWishes } from './contract.ts';

testWishes({ calls: ALL_CALLS, answers: EVERY_CALL });
