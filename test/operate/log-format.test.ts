import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/operate/log.ts';
import { KeptLines } from '../doubles/kept-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the form of a line', () => {
  test('elsewhere than on a terminal it is one JSON object with level, time, fields and message', () => {
    const lines = new KeptLines();
    createLog({ level: 'info', format: 'auto', stream: lines }).warn(
      { key: 'contact/1' },
      'object not mirrored',
    );
    expect(lines.lines).toHaveLength(1);
    expect(lines.records[0]).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      pid: process.pid,
      key: 'contact/1',
      msg: 'object not mirrored',
    });
  });

  test('on a terminal it is pretty, one line with the fields in it', () => {
    const lines = new KeptLines(true);
    createLog({ level: 'info', format: 'auto', stream: lines }).info({ key: 'contact/1' }, 'object mirrored');
    expect(lines.lines).toHaveLength(1);
    expect(lines.text).toMatch(/INFO.*object mirrored.*contact\/1.*\n$/);
    expect(() => lines.records).toThrow();
  });

  test('the setting beats the terminal, both ways', () => {
    const terminal = new KeptLines(true);
    createLog({ level: 'info', format: 'json', stream: terminal }).info({}, 'as JSON');
    expect(terminal.records[0]).toMatchObject({ msg: 'as JSON' });
    const file = new KeptLines(false);
    createLog({ level: 'info', format: 'pretty', stream: file }).info({}, 'pretty');
    expect(file.text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}Z\] INFO: pretty\n$/);
  });

  test('a pretty line masks what a JSON line masks', () => {
    const lines = new KeptLines(true);
    const log = createLog({ level: 'info', format: 'auto', stream: lines });
    log.error({ phone: '+971501234567', err: new Error('for anna@clinic.example') }, 'failed');
    expect(lines.text).not.toMatch(/\+971|501234567|anna/);
    expect(lines.text).toContain('failed');
  });

  test('below the level nothing is written, and nothing at all at silent', () => {
    const lines = new KeptLines();
    const warnings = createLog({ level: 'warn', format: 'json', stream: lines });
    warnings.debug({}, 'debug');
    warnings.info({}, 'info');
    warnings.warn({}, 'warn');
    warnings.error({}, 'error');
    createLog({ level: 'silent', format: 'json', stream: lines }).error({}, 'silent');
    expect(lines.records.map((record) => record['msg'])).toEqual(['warn', 'error']);
  });
});

describe('a kill -9 right after the last line loses none', () => {
  const program = `
    import { createLog } from ${JSON.stringify(fileURLToPath(new URL('../../src/operate/log.ts', import.meta.url)))};
    const log = createLog({ level: 'info', format: process.argv[1], });
    for (let at = 1; at <= 500; at += 1) log.info({ at }, 'line');
    process.kill(process.pid, 'SIGKILL');
  `;

  test.each(['json', 'pretty'])('%s', async (format) => {
    const path = join(folder, `${format}.log`);
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program, format];
    const child = spawn(process.execPath, args, { stdio: ['ignore', openSync(path, 'w'), 'inherit'] });
    const signal = await new Promise((done) => child.once('exit', (_code, killedBy) => done(killedBy)));
    expect(signal).toBe('SIGKILL');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(500);
    expect(lines.at(-1)).toMatch(/"at":500/);
  });
});
