import { testDeathsOfARound } from './carried-visits-deaths.ts';

testDeathsOfARound(1);
