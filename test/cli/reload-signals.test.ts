import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openReloadSignals } from '../../src/cli/start.ts';
import { RELOAD_SIGNAL } from '../../src/operate/reload.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slotbridge-watch-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a save asks for a reload, and so does an editor that replaces the file', async () => {
  const file = join(dir, 'slotbridge.yaml');
  writeFileSync(file, 'one');
  const signals = openReloadSignals(file, true);
  let asked = signals.next();
  writeFileSync(file, 'two');
  expect(await asked).toBe('reload');
  asked = signals.next();
  writeFileSync(join(dir, 'other'), 'three');
  renameSync(join(dir, 'other'), file);
  expect(await asked).toBe('reload');
  signals.close();
});

test('a volume of Kubernetes that swaps the link above the file asks for a reload', async () => {
  const version = (name: string, text: string) => {
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, 'slotbridge.yaml'), text);
  };
  version('..first', 'one');
  symlinkSync('..first', join(dir, '..data'));
  const file = join(dir, 'slotbridge.yaml');
  symlinkSync(join('..data', 'slotbridge.yaml'), file);
  const signals = openReloadSignals(file, true);
  const asked = signals.next();
  version('..second', 'two');
  symlinkSync('..second', join(dir, '..data_tmp'));
  renameSync(join(dir, '..data_tmp'), join(dir, '..data'));
  expect(await asked).toBe('reload');
  signals.close();
});

test('on a terminal SIGHUP is left alone: its window was closed; `slotbridge reload` reaches it all the same', async () => {
  const before = process.listenerCount('SIGHUP');
  const onTerminal = openReloadSignals(undefined, true);
  expect(process.listenerCount('SIGHUP')).toBe(before);
  const asked = onTerminal.next();
  process.kill(process.pid, RELOAD_SIGNAL);
  expect(await asked).toBe('reload');
  const elsewhere = openReloadSignals(undefined, false);
  expect(process.listenerCount('SIGHUP')).toBe(before + 1);
  elsewhere.close();
  onTerminal.close();
  expect(process.listenerCount('SIGHUP')).toBe(before);
});
