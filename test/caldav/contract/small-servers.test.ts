import { describeOn } from '../servers/describe.ts';
import { calendarContract } from './contract.ts';
import { openCaldav } from './open-caldav.ts';

for (const name of ['radicale', 'xandikos'] as const)
  describeOn(name, (start) =>
    calendarContract(() => openCaldav(start), {
      // xandikos makes a line break of an escaped backslash before an n (findings/), and the worker takes 201 for "stored as sent".
      failsOnBackslashes: name === 'xandikos',
    }),
  );
