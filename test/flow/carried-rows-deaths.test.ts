import { strideOf } from '../stand/runs.ts';
import { testDeathsOfARound } from './carried-rows-deaths.ts';

testDeathsOfARound(strideOf(5));
