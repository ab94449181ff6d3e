import { expect, test } from 'vitest';
import { file, load, PLATFORM, problemOf } from './fixture.ts';

const withTimeout = (value: string) => file({ platform: `${PLATFORM}  timeout: ${value}\n` });
const withBody = (value: string) => file({ platform: `${PLATFORM}  webhook: { max_body: ${value} }\n` });

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['1m', 60_000],
  ['"2 m"', 120_000],
])('the duration %s is %i milliseconds', (written, ms) => {
  expect(load(withTimeout(written)).platform.timeoutMs).toBe(ms);
});

test('hours and days are durations', () => {
  const platform = `${PLATFORM}  feed: { every: 1h, overlap: 7d }\n`;
  expect(load(file({ platform })).platform.feed).toEqual({ everyMs: 3_600_000, overlapMs: 604_800_000 });
});

test.each(['10', '"10"', '1.5s', '-1s', '1w', '10S', 'soon', '[1s]', '1s 500ms'])(
  '%s is not a duration',
  (written) => {
    const problem = problemOf(withTimeout(written));
    expect(problem).toMatchObject({ path: 'platform.timeout', line: 4 });
    expect(problem.what).toContain('is not a duration');
    expect(problem.fix).toContain('500ms, 10s, 1m, 2h or 7d');
  },
);

test('a duration beyond its bounds says both of them', () => {
  expect(problemOf(withTimeout('2h'))).toMatchObject({
    what: '"2h" is too long',
    fix: 'write a duration from 10ms to 5m',
  });
});

test.each([
  ['256kb', 262_144],
  ['1mb', 1_048_576],
  ['2MB', 2_097_152],
  ['300000b', 300_000],
])('the size %s is %i bytes', (written, bytes) => {
  expect(load(withBody(written)).platform.webhook.maxBodyBytes).toBe(bytes);
});

test.each(['1048576', '1gb', '1.5mb', 'big'])('%s is not a size', (written) => {
  expect(problemOf(withBody(written)).what).toContain('is not a size');
});

test.each([
  ['true', true],
  ['false', false],
  ['"true"', true],
])('%s is a flag', (written, value) => {
  const platform = `${PLATFORM}  webhook: { reenable: ${written} }\n`;
  expect(load(file({ platform })).platform.webhook.reenable).toBe(value);
});

test.each(['yes', 'on', '1', '"TRUE"'])('%s is no flag', (written) => {
  const platform = `${PLATFORM}  webhook: { reenable: ${written} }\n`;
  expect(problemOf(file({ platform })).fix).toBe('write true or false');
});

test.each(['1.5', '-1', '70000', '"0x1f"', 'http', '1e3x'])('%s is no port', (written) => {
  expect(problemOf(file({ more: `http: { port: ${written} }\n` }))).toMatchObject({
    path: 'http.port',
    line: 4,
    fix: 'write a whole number from 0 to 65535',
  });
});
