import { strideOf } from '../stand/runs.ts';
import { testDeathsOfAPoll } from './intake-sheet-deaths.ts';

testDeathsOfAPoll(strideOf(5));
