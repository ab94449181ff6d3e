import { testKillAtEvery } from './kill-at-every-call.ts';

testKillAtEvery(1);
