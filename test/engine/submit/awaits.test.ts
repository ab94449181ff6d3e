import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfAPush } from './awaits.ts';

// Five memories of the platform: of each scenario every call dies in one, before or after it was carried out.
testDeathsOfAPush(dealtOut(10));
