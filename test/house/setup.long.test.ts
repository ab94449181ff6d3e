import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Clone } from './clone.ts';

let clone: Clone;

beforeEach(() => {
  clone = new Clone();
});

afterEach(() => clone.remove());

const setUp = (...args: string[]) =>
  clone.node(['scripts/setup.mjs', ...args], { PATH: clone.programs, DPKG_ROOT: clone.root });

/** An npm that leaves what the real one leaves behind, after a while. */
const npm =
  'sleep 0.7\necho "$@" >> npm.log\nmkdir -p node_modules\ncp package-lock.json node_modules/.package-lock.json';

describe('the packages', () => {
  beforeEach(() => clone.program('redis-server'));

  it('are installed when there are none, and not again', async () => {
    clone.program('npm', npm);
    expect(await setUp('--no-build')).toMatchObject({ code: 0, stdout: '' });
    expect(await setUp('--no-build')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(clone.read('npm.log')).toBe('ci --include=dev --no-audit --no-fund\n');
  });

  it('are installed again when the lock asks for another version', async () => {
    clone.program('npm', npm);
    await setUp('--no-build');
    clone.write(
      'package-lock.json',
      clone.read('package-lock.json').replace(/"version": "6\.\d+\.\d+"/, '"version": "6.0.1"'),
    );
    await setUp('--no-build');
    expect(clone.read('npm.log').trim().split('\n')).toHaveLength(2);
  });

  it('are installed again when an install broke off', async () => {
    clone.program('npm', npm);
    clone.write('node_modules/.package-lock.json', '{ "packages": { "');
    await setUp('--no-build');
    expect(clone.read('npm.log')).toContain('ci');
  });

  it('are installed once by two setups at the same time', async () => {
    clone.program('npm', npm);
    const both = await Promise.all([setUp('--no-build'), setUp('--no-build')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(clone.read('npm.log').trim().split('\n')).toHaveLength(1);
  });

  it('are installed once by two setups after a third one was killed', async () => {
    clone.program('npm', npm);
    const killed = `import('./scripts/setup/turn.mjs').then(({ takeTurn }) => takeTurn()).then(() => process.kill(process.pid, 'SIGKILL'))`;
    await clone.node(['-e', killed], { PATH: clone.programs, DPKG_ROOT: clone.root });
    const both = await Promise.all([setUp('--no-build'), setUp('--no-build')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(clone.read('npm.log').trim().split('\n')).toHaveLength(1);
  });

  it('that cannot be installed are an error with advice', async () => {
    clone.program('npm', 'echo "no network" >&2; exit 1');
    const { code, stderr } = await setUp('--no-build');
    expect(code).toBe(1);
    expect(stderr).toContain('no network');
    expect(stderr).toContain('npm ci failed');
  });
});

describe('Redis', () => {
  beforeEach(() => clone.linkPackages());

  it.each(['redis-server', 'valkey-server'])('is not installed where %s is on PATH', async (name) => {
    clone.program(name);
    clone.program('apt-get', 'echo "$@" >> apt.log');
    expect(await setUp('--no-build')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(existsSync(join(clone.root, 'apt.log'))).toBe(false);
  });

  it('that is missing on another system is an error that says what to install', async () => {
    const { code, stdout, stderr } = await setUp('--no-build');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Redis is missing, and this is no Debian or Ubuntu');
    expect(stderr).toContain('brew install redis');
  });

  it('that the package did not bring is an error', async () => {
    asRoot();
    clone.program('apt-get');
    const { code, stderr } = await setUp('--no-build');
    expect(code).toBe(1);
    expect(stderr).toContain('brought no redis-server');
  });

  it('is installed as a package whose daemon may not start, and the ban is gone afterwards', async () => {
    asRoot();
    clone.program('apt-get', aptGet);
    const { code, stderr } = await setUp('--no-build');
    expect(stderr).toContain("installing the distribution's package redis-server");
    expect(code).toBe(0);
    expect(clone.read('apt.log').split('\n')).toEqual([
      'update -qq',
      'install -y -qq --no-install-recommends redis-server',
      'redis-server.service start: 101',
      'cron.service start: 0',
      '',
    ]);
    expect(existsSync(join(clone.root, 'usr/sbin/policy-rc.d'))).toBe(false);
  });

  it('leaves a policy that was there as it was', async () => {
    asRoot();
    clone.write('usr/sbin/policy-rc.d', 'of the administrator');
    clone.program(
      'apt-get',
      'printf "#!/bin/sh\\n" > programs/redis-server; chmod 755 programs/redis-server',
    );
    expect(await setUp('--no-build')).toMatchObject({ code: 0 });
    expect(clone.read('usr/sbin/policy-rc.d')).toBe('of the administrator');
  });

  /** Who is root needs no sudo; who is not has one that changes nothing. */
  function asRoot() {
    clone.program('sudo', 'shift; exec "$@"');
    clone.program('systemctl');
    clone.write('usr/sbin/.keep', '');
    for (const name of ['sh', 'rm', 'chmod']) symlinkSync(join('/bin', name), join(clone.programs, name));
  }
});

/** An apt-get that asks the policy as Debian's maintainer scripts do, and brings a redis-server. */
const aptGet = `echo "$@" >> apt.log
if [ "$1" = install ]; then
  for service in redis-server cron; do
    usr/sbin/policy-rc.d "$service.service" start; echo "$service.service start: $?" >> apt.log
  done
  printf '#!/bin/sh\\n' > programs/redis-server
  chmod 755 programs/redis-server
fi`;

describe('the browser of the tests', () => {
  const withBrowser = () => setUp('--no-build', '--browser-if-possible');

  beforeEach(() => {
    clone.linkPackages();
    clone.program('redis-server');
    clone.write('test/browser/page.test.ts', '');
    clone.write('etc/os-release', 'NAME="Debian"\nID=debian\n');
    clone.program('sudo', 'shift; exec "$@"');
    for (const name of ['sh', 'timeout']) symlinkSync(join('/bin', name), join(clone.programs, name));
  });

  it('is installed as a package of the distribution, once', async () => {
    clone.program('apt-get', aptGetOfBrowser);
    const { code, stdout, stderr } = await withBrowser();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(
      "installing the distribution's packages chromium-headless-shell chromium-sandbox",
    );
    expect(clone.read('apt.log').match(/ (update|install.*)$/gm)).toEqual([
      ' update',
      ' install -y --no-install-recommends --download-only chromium-headless-shell chromium-sandbox',
      ' install -y --no-install-recommends chromium-headless-shell chromium-sandbox',
    ]);
    expect(await withBrowser()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each(['chromium-headless-shell', 'chromium', 'google-chrome'])(
    'is not installed where there is a %s',
    async (name) => {
      clone.program('apt-get', aptGetOfBrowser);
      clone.program(name);
      expect(await withBrowser()).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(existsSync(join(clone.root, 'apt.log'))).toBe(false);
    },
  );

  it.each([
    ['without a network', () => clone.program('apt-get', 'exit 100'), 'the packages were not installed'],
    ['without apt', () => {}, 'no Debian or Ubuntu'],
    ['on another system', () => clone.write('etc/os-release', 'ID=fedora\n'), 'this is no Debian'],
  ])('that cannot be installed (%s) is a notice and no error', async (_, prepare, reason) => {
    prepare();
    const { code, stdout, stderr } = await withBrowser();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`setup: the browser tests will be skipped: `);
    expect(stderr).toContain(reason);
  });

  it('is wanted by the test run only', async () => {
    clone.program('apt-get', aptGetOfBrowser);
    expect(await setUp('--no-build')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(existsSync(join(clone.root, 'apt.log'))).toBe(false);
  });
});

const aptGetOfBrowser = `echo "$@" >> apt.log
case "$*" in *download-only*) exit 0 ;; *install*) printf '#!/bin/sh\\n' > programs/chromium-headless-shell; chmod 755 programs/chromium-headless-shell ;; esac`;

describe('the calendar programs of the tests', () => {
  const withReaders = () => setUp('--no-build', '--feed-readers-if-possible');

  beforeEach(() => {
    clone.linkPackages();
    clone.program('redis-server');
    clone.write('test/calendar/feed/programs.soak.test.ts', '');
    clone.write('etc/os-release', 'ID=debian\n');
    clone.program('sudo', 'shift; exec "$@"');
    for (const name of ['sh', 'timeout']) symlinkSync(join('/bin', name), join(clone.programs, name));
  });

  it('are installed as packages of the distribution', async () => {
    clone.program('apt-get', 'echo "$@" >> apt.log');
    const { code, stdout, stderr } = await withReaders();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('packages khal vdirsyncer calcurse python3-icalendar');
    expect(clone.read('apt.log')).toContain(
      ' install -y --no-install-recommends khal vdirsyncer calcurse python3-icalendar',
    );
    // This apt brought none.
    expect(stderr).toContain('setup: some tests of feeds will be skipped: ');
  });

  it('that cannot be installed are a notice and no error', async () => {
    clone.program('apt-get', 'exit 100');
    const { code, stderr } = await withReaders();
    expect(code).toBe(0);
    expect(stderr).toContain('setup: some tests of feeds will be skipped: the packages were not installed');
  });
});

describe('the CalDAV servers of the tests', () => {
  const withServers = () => setUp('--no-build', '--calendar-servers-if-possible');

  beforeEach(() => {
    clone.linkPackages();
    clone.program('redis-server');
    clone.write('test/caldav/radicale.test.ts', '');
    clone.write('etc/os-release', 'ID=debian\n');
    clone.write('usr/sbin/.keep', '');
    clone.program('sudo', 'shift; exec "$@"');
    for (const name of ['sh', 'timeout', 'rm', 'chmod'])
      symlinkSync(join('/bin', name), join(clone.programs, name));
  });

  it('are installed once, by two test runs at the same time, and no daemon starts', async () => {
    clone.program('apt-get', aptGetOfServers);
    const both = await Promise.all([withServers(), withServers()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const log = clone.read('apt.log');
    expect(log.match(/install .*only radicale xandikos$/gm)).toHaveLength(1);
    expect(log.match(/radicale start: .*/g)).toEqual(['radicale start: 101']);
    expect(existsSync(join(clone.root, 'usr/sbin/policy-rc.d'))).toBe(false);
    expect(await withServers()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('that cannot be installed are a notice and no error', async () => {
    clone.program('apt-get', 'exit 100');
    const { code, stderr } = await withServers();
    expect(code).toBe(0);
    expect(stderr).toContain('setup: tests with a real CalDAV server will be skipped: the packages were not');
  });
});

describe('the CalDAV server of the demo', () => {
  const withRadicale = () => setUp('--no-build', '--radicale-if-possible');

  beforeEach(() => {
    clone.linkPackages();
    clone.program('redis-server');
    clone.write('packages/rehearsal/demo/caldav/radicale.ts', '');
    clone.write('etc/os-release', 'ID=debian\n');
    clone.write('usr/sbin/.keep', '');
    clone.program('sudo', 'shift; exec "$@"');
    for (const name of ['sh', 'timeout', 'rm', 'chmod'])
      symlinkSync(join('/bin', name), join(clone.programs, name));
  });

  it('is installed once, and no daemon starts', async () => {
    clone.program('apt-get', aptGetOfServers);
    expect((await withRadicale()).code).toBe(0);
    const log = clone.read('apt.log');
    expect(log.match(/install .*only radicale$/gm)).toHaveLength(1);
    expect(log.match(/radicale start: .*/g)).toEqual(['radicale start: 101']);
    expect(await withRadicale()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('that cannot be installed is a notice and no error', async () => {
    clone.program('apt-get', 'exit 100');
    const { code, stderr } = await withRadicale();
    expect(code).toBe(0);
    expect(stderr).toContain('setup: the calendar on a CalDAV server stays on Google: the packages were not');
  });
});

const aptGetOfServers = `echo "$@" >> apt.log
case "$*" in *download-only*) exit 0 ;; *install*)
  usr/sbin/policy-rc.d radicale start; echo "radicale start: $?" >> apt.log
  for each in radicale xandikos; do printf '#!/bin/sh\\n' > programs/$each; chmod 755 programs/$each; done ;;
esac`;

describe('dist', () => {
  beforeEach(() => {
    clone.linkPackages();
    clone.program('redis-server');
  });

  it('is built out of src, and again only after a change', async () => {
    const first = await setUp();
    expect(first).toEqual({ code: 0, stdout: '', stderr: 'setup: building dist/\n' });
    expect(clone.read('dist/main.js')).toContain('"slot"');
    expect(await setUp()).toEqual({ code: 0, stdout: '', stderr: '' });

    clone.write('src/domain/word.ts', `export const word: string = 'bridge';\n`);
    await setUp();
    expect(clone.read('dist/main.js')).toContain('"bridge"');
  });

  it('is built again when a file has gone', async () => {
    clone.write('src/domain/other.ts', 'export const other = 1;\n');
    await setUp();
    rmSync(join(clone.root, 'src/domain/other.ts'));
    expect((await setUp()).stderr).toContain('building');
  });

  it('of wrong source is an error', async () => {
    clone.write('src/domain/word.ts', 'export const word: string = 1;\n');
    const { code, stdout, stderr } = await setUp();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('src/domain/word.ts');
    expect(stderr).toContain('the build failed');
  });
});

it('with nothing to do it starts no program and writes no file', async () => {
  clone.linkPackages();
  clone.program('redis-server');
  await setUp();
  clone.write('no-child.cjs', NO_CHILD);
  const before = clone.state();
  const outcome = await clone.node(['--require', './no-child.cjs', 'scripts/setup.mjs'], {
    ...{ PATH: clone.programs, DPKG_ROOT: clone.root, TMPDIR: clone.root },
  });
  expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(clone.state()).toEqual(before);
});

/** Before anything else is loaded: a process that would be started is an error instead. */
const NO_CHILD = `
const children = require('node:child_process');
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'])
  children[name] = (program) => { throw new Error('started ' + program); };
require('node:module').syncBuiltinESMExports();
`;
