import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { debianStep } from './debian.mjs';
import { findProgram, house } from './system.mjs';

const packages = 'khal vdirsyncer calcurse python3-icalendar';
/** Debian's own: another Python on PATH does not see its packages. */
const python = '/usr/bin/python3';

/** The calendar programs that read a feed in the tests, and Debian's Python if it has icalendar; undefined for each that is missing. */
export function findFeedReaders() {
  const hasIcalendar = existsSync(python) && spawnSync(python, ['-c', 'import icalendar']).status === 0;
  return {
    khal: findProgram('khal'),
    vdirsyncer: findProgram('vdirsyncer'),
    calcurse: findProgram('calcurse'),
    python: hasIcalendar ? python : undefined,
  };
}

/** Only the tests of feeds need these programs. */
export const installFeedReaders = debianStep({
  says: 'a calendar program is missing, which the tests of feeds need',
  isNeeded: () =>
    existsSync(join(house, 'test/calendar/feed/programs.soak.test.ts')) &&
    Object.values(findFeedReaders()).includes(undefined),
  ...{ packages, missing: 'a calendar program is missing', otherwise: 'some tests of feeds will be skipped' },
  byHand: `Install them (Debian: sudo apt-get install ${packages}) and run this again.`,
});
