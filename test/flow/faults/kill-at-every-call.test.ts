import { strideOf } from '../../stand/runs.ts';
import { testKillAtEvery } from './kill-at-every-call.ts';

// Every fourth call: a start of a whole worker each. The single parts die at every call in test/engine and test/mapping.
testKillAtEvery(strideOf(7));
