import { testDuplicates } from './duplicates.ts';

testDuplicates(10_000);
