import { strideOf } from '../stand/runs.ts';
import { testDeathsOfARound } from './carried-appointment-rows-deaths.ts';

testDeathsOfARound(strideOf(5));
