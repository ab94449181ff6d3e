import { testDeathsOfARound } from './carried-appointment-rows-deaths.ts';

testDeathsOfARound(1);
