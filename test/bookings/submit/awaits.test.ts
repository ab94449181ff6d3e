import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfAPush } from './awaits.ts';

// Five memories of the platform: of each scenario every call dies in at least one, before and after it was carried out.
testDeathsOfAPush(dealtOut(5));
