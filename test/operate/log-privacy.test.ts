import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DeferredError, RetryableError, TerminalError } from '../../src/engine/errors.ts';
import { createLog } from '../../src/operate/log.ts';
import { saltDigests } from '../../src/operate/personal-data.ts';
import { KeptLines } from '../doubles/kept-lines.ts';

const SECRETS = {
  phone: '+971501234567',
  email: 'anna.petrova@clinic.example',
  key: 'live-4f9c-platform-key',
  webhook: 'whsec_c2VjcmV0LXZhbHVl',
  google: 'ya29.a0AfH6SMBx-secret',
  name: 'Petrova',
};

function logInto(lines: KeptLines) {
  return createLog({ level: 'debug', format: 'json', stream: lines });
}

function expectNothingPrivate(text: string): void {
  for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
}

/** The form in which V8 and ioredis tell of an error: the class, the code, a message with anything in it. */
function foreignError(): Error {
  const message = `cannot read ${SECRETS.name} ${SECRETS.phone} ${SECRETS.email} ${SECRETS.key}`;
  return Object.assign(new TypeError(message), { code: 'ERR_ODD' });
}

describe('a log line never holds', () => {
  test('a private field, at any depth and however it is spelled', () => {
    const lines = new KeptLines();
    logInto(lines).info(
      {
        apiKey: SECRETS.key,
        api_key: SECRETS.key,
        headers: { Authorization: `Bearer ${SECRETS.key}`, Cookie: SECRETS.key },
        a: { b: { c: { customer_name: SECRETS.name, customerPhone: '501234567', LAST_NAME: SECRETS.name } } },
        list: [{ secret: SECRETS.webhook, comment: `call ${SECRETS.name}` }],
        snapshot: { first_name: SECRETS.name },
        cells: [SECRETS.name],
      },
      'fields',
    );
    expectNothingPrivate(lines.text);
    expect(lines.text).not.toContain('501234567');
    expect(lines.records[0]).toMatchObject({ apiKey: '[masked]', list: [{ secret: '[masked]' }] });
  });

  test('an e-mail, a phone or a secret inside any text', () => {
    const lines = new KeptLines();
    const log = logInto(lines);
    log.warn({ reason: `${SECRETS.email} said: call ${SECRETS.phone}` }, 'text');
    log.warn({ reason: 'call +971 50 123 45 67 or +7 (903) 123-45-67' }, 'text');
    log.warn(
      { url: `https://www.googleapis.com/calendar/v3/calendars/anna.petrova%40clinic.example/events` },
      'text',
    );
    log.warn({ url: `redis://worker:${SECRETS.key}@redis.internal:6379` }, 'text');
    log.warn({ reason: `Authorization: Bearer ${SECRETS.key}` }, 'text');
    log.warn({ reason: `${SECRETS.webhook} ${SECRETS.google}` }, 'text');
    log.warn({ [SECRETS.email]: 'as the name of a field' }, `as the message ${SECRETS.phone}`);
    expectNothingPrivate(lines.text);
    // The process number and the time may hold any digits.
    const told = lines.records.map(({ pid: _, time: __, ...rest }) => JSON.stringify(rest)).join('\n');
    expect(told).not.toMatch(/clinic\.example|123|903/);
  });

  test('a calendar id in the reasons of a failure, though one sees which calendar it is not', () => {
    const lines = new KeptLines();
    const log = logInto(lines);
    const reasons = (target: string) => ({ reasons: [{ mirror: 'staff', code: 'not-shared', target }] });
    log.warn(reasons('calendar:anna.petrova@clinic.example'), 'object not mirrored');
    log.warn(reasons('calendar:Anna.Petrova@clinic.example'), 'object not mirrored');
    log.warn(reasons('calendar:ivan@clinic.example'), 'object not mirrored');
    expect(lines.text).not.toContain('@');
    const targets = lines.records.map((record) => (record['reasons'] as { target: string }[])[0]?.target);
    expect(targets[0]).toMatch(/^calendar:\[email [0-9a-f]{6}\]$/);
    expect(targets[1]).toBe(targets[0]);
    expect(targets[2]).not.toBe(targets[0]);
  });

  test('digits of an address that another installation has too, or that anybody can compute', () => {
    const lines = new KeptLines();
    const log = logInto(lines);
    const installations = [
      { apiKey: 'one', dataDir: '/data', prefix: 'sb' },
      { apiKey: 'two', dataDir: '/data', prefix: 'sb' },
      { apiKey: 'one', dataDir: '/other', prefix: 'sb' },
      { apiKey: 'one', dataDir: '/data', prefix: 'other' },
    ];
    for (const { apiKey, dataDir, prefix } of [...installations, ...installations]) {
      saltDigests({ platform: { apiKey }, redis: { dataDir, prefix } });
      log.info({ calendar: SECRETS.email }, 'a calendar');
    }
    const digits = lines.records.map((record) => String(record['calendar']));
    const plain = createHash('sha256').update(SECRETS.email).digest('hex').slice(0, 6);
    expect(new Set([...digits, `[email ${plain}]`]).size).toBe(installations.length + 1);
    expect(digits.slice(installations.length)).toEqual(digits.slice(0, installations.length));
  });

  test('the message of an error that is not the worker’s own', () => {
    const lines = new KeptLines();
    const log = logInto(lines);
    log.error({ err: foreignError() }, 'as a field');
    log.error({ deep: { list: [foreignError()] } }, 'deep');
    log.error(foreignError(), 'as all there is');
    log.error(
      { err: new RetryableError('unexpected', 'unexpected TypeError', { cause: foreignError() }) },
      'cause',
    );
    expectNothingPrivate(lines.text);
    for (const record of lines.records)
      expect(JSON.stringify(record)).toContain('"type":"TypeError","code":"ERR_ODD"');
  });

  test('the message of an error through its stack, its name or its code', () => {
    const lines = new KeptLines();
    const error = new Error(`first line\n    at ${SECRETS.name}\n${SECRETS.phone}`);
    error.name = SECRETS.email;
    Object.assign(error, { code: `${SECRETS.name} ${SECRETS.phone}` });
    logInto(lines).error({ err: error }, 'odd error');
    const changed = new Error(`for ${SECRETS.name}`);
    changed.message = 'changed later';
    logInto(lines).error({ err: changed }, 'changed error');
    expectNothingPrivate(lines.text);
    expect(lines.records[0]).toMatchObject({ err: { type: 'Error' } });
  });
});

describe('a log line tells', () => {
  test('of the worker’s own errors: family, code, message, target, request and advice', () => {
    const lines = new KeptLines();
    const error = new DeferredError('calendar-not-shared', 'the calendar refuses the worker', {
      retryAfterMs: 15_000,
      target: 'calendar:room1@group.calendar.google.com',
      status: 403,
      requestId: 'req_sb-1',
      advice: 'Share the calendar with the service account.',
    });
    logInto(lines).warn({ err: error }, 'put off');
    expect(lines.records[0]?.['err']).toEqual({
      type: 'DeferredError',
      family: 'deferred',
      code: 'calendar-not-shared',
      message: 'the calendar refuses the worker',
      target: expect.stringMatching(/^calendar:\[email/),
      status: 403,
      requestId: 'req_sb-1',
      advice: 'Share the calendar with the service account.',
    });
  });

  test('where in the code a defect is, without what it said', () => {
    const lines = new KeptLines();
    logInto(lines).error({ err: foreignError() }, 'defect');
    const described = lines.records[0]?.['err'] as { at: string[] } | undefined;
    expect(described?.at[0]).toMatch(/foreignError .*log-privacy\.test\.ts:\d+:\d+/);
  });

  test('ids, times and counts as they are', () => {
    const lines = new KeptLines();
    const fields = {
      key: 'appointment/0190b6a5-5f3e-7c1d-9a21-971501234567',
      eventId: '1234567890123456789',
      at: '2026-11-21T14:03:22.123456+00:00',
      tookMs: 12,
      ok: true,
      nothing: null,
      actions: { 'staff-calendars': 'create' },
      reasons: [{ mirror: 'contacts', code: 'tab-missing', target: 'spreadsheet:1AbC/Contacts' }],
    };
    logInto(lines).info(fields, 'object mirrored');
    expect(lines.records[0]).toMatchObject(fields);
  });
});

describe('whatever is handed in, the line is written and bounded', () => {
  test('circles, getters that throw, huge texts, lists and numbers that JSON does not know', () => {
    const lines = new KeptLines();
    const log = logInto(lines);
    const circle: Record<string, unknown> = { id: 1 };
    circle['self'] = circle;
    circle['twins'] = [circle, circle, circle];
    const trap = Object.defineProperty({}, 'x', { enumerable: true, get: () => assertTrap() });
    log.info(circle, 'circle');
    log.info(trap, 'trap');
    log.info({ text: 'x'.repeat(1_000_000), list: Array.from({ length: 100_000 }, (_, at) => at) }, 'huge');
    log.info(
      { big: 12n, when: new Date(0), bytes: Buffer.from(SECRETS.name), map: new Map([[1, 2]]) },
      'odd',
    );
    expect(lines.lines).toHaveLength(4);
    for (const line of lines.lines) expect(line.length).toBeLessThan(10_000);
    expect(lines.records[3]).toMatchObject({
      big: '12',
      when: '1970-01-01T00:00:00.000Z',
      bytes: '[7 bytes]',
    });
  });

  test('a long text that might hold addresses and numbers becomes a short line', () => {
    const lines = new KeptLines();
    logInto(lines).info({ text: 'a.'.repeat(500_000), other: '+1'.repeat(500_000) }, 'slow?');
    expect(lines.lines.map((line) => line.length < 10_000)).toEqual([true]);
  });

  test('an error of the three families is an error too when it is all there is', () => {
    const lines = new KeptLines();
    logInto(lines).error(
      new TerminalError('redis-not-installed', 'there is no redis-server'),
      'start failed',
    );
    expect(lines.records[0]).toMatchObject({ msg: 'start failed', err: { code: 'redis-not-installed' } });
  });
});

function assertTrap(): never {
  throw new Error('a getter that throws');
}
