import { describeOn } from '../servers/describe.ts';
import { calendarContract } from './contract.ts';
import { openCaldav } from './open-caldav.ts';

for (const name of ['radicale', 'xandikos'] as const)
  describeOn(name, (start) => calendarContract(() => openCaldav(start)));
