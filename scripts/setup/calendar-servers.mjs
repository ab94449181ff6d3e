import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { debianStep } from './debian.mjs';
import { findProgram, house } from './system.mjs';

/** Folder of PostgreSQL's programs, which Debian keeps off PATH; the newest. */
export function findPostgres() {
  const folder = '/usr/lib/postgresql';
  if (!existsSync(folder)) return undefined;
  const newest = readdirSync(folder)
    .sort((a, b) => Number(a) - Number(b))
    .at(-1);
  return newest === undefined ? undefined : join(folder, newest, 'bin');
}

const isRoot = process.getuid?.() === 0;
const has = (...programs) => programs.every((each) => findProgram(each) !== undefined);

/**
 * Which CalDAV servers the tests can start. Three of them run as users of their own, which only root can start.
 */
export function findCalendarServers() {
  const canUsePostgres = isRoot && findPostgres() !== undefined && has('psql');
  return {
    radicale: has('radicale'),
    xandikos: has('xandikos'),
    davical: canUsePostgres && has('php') && existsSync('/usr/share/davical/htdocs/caldav.php'),
    cyrus: isRoot && has('saslpasswd2') && existsSync('/usr/lib/cyrus/bin/httpd'),
    sogo: canUsePostgres && has('sogod', 'memcached'),
  };
}

/** Version of one of these servers as Debian packages it; undefined elsewhere. */
export function versionOfServer(name) {
  const packageName = name === 'cyrus' ? 'cyrus-caldav' : name;
  const { stdout } = spawnSync('dpkg-query', ['-s', packageName], { encoding: 'utf8' });
  return /^Version: (.+)$/m.exec(stdout ?? '')?.[1];
}

const step = (names, { neededBy, folder, packages, services, otherwise }) =>
  debianStep({
    says: `a CalDAV server is missing (${names.join(', ')}), which ${neededBy}`,
    isNeeded: () => existsSync(join(house, folder)) && names.some((name) => !findCalendarServers()[name]),
    ...{ packages, services, missing: `a CalDAV server is missing (${names.join(', ')})`, otherwise },
    byHand: `Install them (Debian: sudo apt-get install ${packages}) and run this again.`,
  });

const ofTests = { neededBy: 'some tests need', folder: 'test/caldav' };

/** For the demo and chaos. */
export const installRadicale = step(['radicale'], {
  ...{ neededBy: 'keeps one of the calendars', folder: 'packages/rehearsal/demo/caldav' },
  ...{ packages: 'radicale', services: 'radicale' },
  otherwise: 'the calendar on a CalDAV server stays on Google',
});

/** Two small ones, for the short tests. */
export const installSmallCalendarServers = step(['radicale', 'xandikos'], {
  ...ofTests,
  packages: 'radicale xandikos',
  services: 'radicale xandikos',
  otherwise: 'tests with a real CalDAV server will be skipped',
});

const large = step(['davical', 'cyrus', 'sogo'], {
  ...ofTests,
  packages: `${findPostgres() === undefined ? 'postgresql ' : ''}davical php-cli php-pgsql php-xml cyrus-caldav cyrus-imapd sasl2-bin libsasl2-modules sogo memcached`,
  services: 'postgresql cyrus-imapd saslauthd sogo memcached exim4',
  otherwise: 'tests with davical, cyrus and sogo will be skipped',
});
/** Three large ones, for the long tests. Not as another user than root, who could not start them. */
export const installLargeCalendarServers = { ...large, isNeeded: () => isRoot && large.isNeeded() };
