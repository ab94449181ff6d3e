import { testDeathsOfAPoll } from './intake-sheet-deaths.ts';

testDeathsOfAPoll(1);
