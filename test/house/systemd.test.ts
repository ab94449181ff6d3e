import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STOP_MS } from './stop-time.ts';
import { house, read } from './tree.ts';

const UNIT = 'config/systemd/slotbridge.service';
/** Tenths: systemd's own scale ends at 10. */
const EXPOSURE_MAX = 30;
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.skipIf(!hasSystemd)('the unit, by systemd-analyze of the package systemd', () => {
  test('has an exposure below 3.0', () => {
    const analyze = (unit: string, most: number) =>
      spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--no-pager', `--threshold=${most}`, unit],
        { encoding: 'utf8' },
      );
    const { status, stdout, stderr } = analyze(join(house, UNIT), EXPOSURE_MAX);
    expect([status, stderr]).toEqual([0, '']);
    expect(Number(/exposure level for slotbridge\.service: (\d+\.\d)/.exec(stdout)?.[1])).toBeLessThan(3);
    // The same judge refuses less.
    expect(analyze(join(house, UNIT), 1).status).not.toBe(0);
  });

  test('has no line that systemd does not understand', () => {
    const root = mkdtempSync(join(tmpdir(), 'slotbridge-unit-'));
    const at = (path: string) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      return join(root, path);
    };
    writeFileSync(at('usr/local/bin/slotbridge'), '#!/bin/sh\n');
    chmodSync(join(root, 'usr/local/bin/slotbridge'), 0o755);
    cpSync(join(house, UNIT), at('etc/systemd/system/slotbridge.service'));
    // What a Debian system has, as far as the unit names it.
    for (const target of ['network-online', 'multi-user', 'sysinit', 'basic', 'shutdown'])
      writeFileSync(at(`etc/systemd/system/${target}.target`), `[Unit]\nDescription=${target}\n`);
    const verify = () =>
      spawnSync('systemd-analyze', ['verify', `--root=${root}`, 'slotbridge.service'], { encoding: 'utf8' });
    expect(`${verify().stdout}${verify().stderr}`).toBe('');
    writeFileSync(at('etc/systemd/system/slotbridge.service'), `${read(UNIT)}\nKilMode=mixed\n`);
    expect(verify().stderr).toContain('KilMode');
    rmSync(root, { recursive: true, force: true });
  });
});

test('the unit stops no worker before its time, ends no private Redis beside it, and lets a worker listen everywhere', () => {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(read(UNIT))?.[1];
  expect(value('KillMode')).toBe('mixed');
  expect(Number(value('TimeoutStopSec')) * 1000).toBeGreaterThan(STOP_MS);
  expect(value('RestartPreventExitStatus')).toBe('78');
  // Without it the process ends where it listens on all addresses.
  expect(value('RestrictAddressFamilies')).toContain('AF_NETLINK');
  expect(value('ExecReload')).toBe(value('ExecStart')?.replace(' start ', ' reload '));
});
