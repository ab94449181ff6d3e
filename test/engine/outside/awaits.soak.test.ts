import { EVERY_CALL } from '../../stand/sweep.ts';
import { testDeathsOfABooking } from './awaits.ts';

testDeathsOfABooking({ deaths: EVERY_CALL, drags: EVERY_CALL });
