import { testDuplicates } from './duplicates.ts';

testDuplicates(2_000);
