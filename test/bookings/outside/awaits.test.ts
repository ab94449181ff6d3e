import { dealtOut } from '../../stand/sweep.ts';
import { testDeathsOfABooking } from './awaits.ts';

// Eight variants: every call dies once before and once after it was carried out. Three drags: one before every call.
testDeathsOfABooking({ deaths: dealtOut(8), drags: dealtOut(3) });
