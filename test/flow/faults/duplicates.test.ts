import { testDuplicates } from './duplicates.ts';

testDuplicates(200);
