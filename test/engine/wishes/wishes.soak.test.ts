import { EVERY_CALL } from '../../stand/sweep.ts';
import { testWishes } from './contract.ts';

testWishes({ calls: EVERY_CALL, answers: EVERY_CALL });
