import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfABooking } from './awaits.ts';

// Eight scenarios: every call dies once, before or after it was carried out. Three drags: one before every call.
testDeathsOfABooking({ deaths: dealtOut(16), drags: dealtOut(3) });
