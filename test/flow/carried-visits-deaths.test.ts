import { strideOf } from '../stand/runs.ts';
import { testDeathsOfARound } from './carried-visits-deaths.ts';

testDeathsOfARound(strideOf(5));
