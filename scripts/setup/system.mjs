import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const house = fileURLToPath(new URL('../..', import.meta.url));

const nodeAtLeast = [20, 19];
const redisPrograms = ['redis-server', 'valkey-server'];

export function assertNodeIsNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > nodeAtLeast[0] || (major === nodeAtLeast[0] && minor >= nodeAtLeast[1])) return;
  throw new Error(
    `this is Node ${process.versions.node}; slotbridge needs ${nodeAtLeast.join('.')} or newer.`,
  );
}

/** Path of a Redis on PATH that the worker can run privately, if any. */
export function findRedis() {
  return redisPrograms.map(findProgram).find((path) => path !== undefined);
}

/** Without REDIS_URL, the worker, the demo and the tests run a private Redis from a program on PATH. */
export const installRedis = {
  says: `no ${redisPrograms.join(' or ')} on PATH: installing the distribution's package redis-server`,
  isNeeded: () => findRedis() === undefined,
  run() {
    const rights = rightsToInstall('Redis is missing', byHand);
    run([...rights, 'sh', '-c', withoutDaemon], `the package was not installed. ${byHand}`);
    if (findRedis() === undefined)
      throw new Error(`the package brought no redis-server onto PATH. ${byHand}`);
  },
};

/**
 * The prefix for a command that needs root: nothing for root, otherwise sudo if it needs no password.
 * @throws an Error that says what is missing, and how to install it by hand
 */
export function rightsToInstall(missing, byHand) {
  if (findProgram('apt-get') === undefined)
    throw new Error(`${missing}, and this is no Debian or Ubuntu. ${byHand}`);
  if (process.getuid?.() === 0) return [];
  const sudo = findProgram('sudo');
  if (sudo !== undefined && spawnSync(sudo, ['-n', 'true'], { stdio: 'ignore' }).status === 0)
    return [sudo, '-n'];
  throw new Error(`${missing}, and installing it needs root (or sudo without a password). ${byHand}`);
}

const byHand = `Install Redis 6.2 or newer (or Valkey) and run this again:
  Debian, Ubuntu   sudo apt-get install redis-server
  Fedora           sudo dnf install valkey
  Alpine           sudo apk add redis
  macOS            brew install redis`;

/**
 * A script that installs packages without starting the daemons that match `pattern`. policy-rc.d forbids the start while this shell
 * lives, so the file of a killed shell has no effect. Services that are new are also disabled, so that they do not start after a reboot.
 * An existing policy (containers have one) stays unchanged.
 */
export const withoutDaemons = ({ pattern, services, install }) => `
set -e
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
policy="$DPKG_ROOT/usr/sbin/policy-rc.d"
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' HUP INT TERM
  printf '#!/bin/sh\\n# Left by the setup of slotbridge; without effect once process %s has ended.\\ncase "$1" in ${pattern}) kill -0 %s 2>/dev/null && exit 101 ;; esac\\nexit 0\\n' "$$" "$$" > "$policy"
  chmod 755 "$policy"
fi
fresh=
if command -v systemctl > /dev/null; then
  for each in ${services}; do systemctl is-enabled "$each" > /dev/null 2>&1 || fresh="$fresh $each"; done
fi
${install}
if [ -n "$fresh" ]; then systemctl disable $fresh > /dev/null 2>&1 || true; fi
`;

const withoutDaemon = withoutDaemons({
  pattern: 'redis*',
  services: 'redis-server.service',
  install: `apt-get update -qq || true
apt-get install -y -qq --no-install-recommends redis-server`,
});

/** Runs a command with its output on stderr. @throws an Error with this advice when it fails */
export function run([program, ...args], advice) {
  const { status, error } = spawnSync(program, args, { cwd: house, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw new Error(`${program} could not be started (${error.code}). ${advice}`);
  if (status !== 0) throw new Error(advice);
}

/** Path of a program on PATH; undefined when it is not found. */
export function findProgram(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
