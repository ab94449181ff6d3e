// Its tokens are seconds, and it closes connections that it promised to keep: each run takes another way.

import { describeOn } from '../servers/describe.ts';
import { calendarContract } from './contract.ts';
import { openCaldav } from './open-caldav.ts';

describeOn('sogo', (start) => calendarContract(() => openCaldav(start)));
