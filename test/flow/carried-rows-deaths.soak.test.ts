import { testDeathsOfARound } from './carried-rows-deaths.ts';

testDeathsOfARound(1);
