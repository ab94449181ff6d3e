import { expect, test } from 'vitest';
import { file, load, problemOf, problemsOf } from './fixture.ts';

const withUrl = (url: string) => file({ more: `redis: { url: "${url}" }\n` });

test('without a section redis the worker runs a private one', () => {
  expect(load(file({})).redis).toEqual({ prefix: 'slotbridge', dataDir: './data' });
});

test('an empty address means a private Redis, too', () => {
  expect(
    load(file({ more: `redis: { url: "\${REDIS_URL:-}", prefix: b-2_x, data_dir: /var/lib/slotbridge }\n` }))
      .redis,
  ).toEqual({
    prefix: 'b-2_x',
    dataDir: '/var/lib/slotbridge',
  });
});

test.each([
  'redis://localhost',
  'redis://localhost:6379/0',
  'redis://user:p%40ss@redis.example:6380/12',
  'redis://:pass@10.0.0.1',
  'redis://[::1]:6379',
  'rediss://redis.example:6380/1',
  'redis+sentinel://a:26379,b:26379,c:26379/mymaster',
  'redis+sentinel://:pass@a:26379/mymaster?db=2',
  'redis+cluster://a:7000,b:7001',
  'redis+cluster://user:pass@a',
])('%s is an address', (url) => {
  expect(load(withUrl(url)).redis.url).toBe(url);
});

test.each([
  ['mysql://h/1', 'not the address'],
  ['localhost:6379', 'not the address'],
  ['redis://', 'not the address'],
  ['redis://user:p@ss@h:6379', 'not the address'],
  ['redis://h:99999', 'port outside'],
  ['redis://h:0', 'port outside'],
  ['redis://h:6379/cache', 'database'],
  ['redis://h:6379/0?tls=true', 'query'],
  ['redis://a:6379,b:6379', 'several hosts'],
  ['redis+sentinel://a:26379', 'no master'],
  ['redis+sentinel://a:26379/m?password=x', 'query'],
  ['redis+sentinel://a:26379,/m', 'host'],
  ['redis+cluster://a:7000/1', 'only one'],
])('%s is refused', (url, reason) => {
  const problem = problemOf(withUrl(url));
  expect(problem).toMatchObject({ path: 'redis.url', line: 4 });
  expect(problem.what).toContain(reason);
});

test('a password in a wrong address is in no message', () => {
  expect(JSON.stringify(problemsOf(withUrl('redis://:hunter2@h:99999')))).not.toContain('hunter2');
});

test.each(['a:b', '"{x}"', '"a b"'])('the prefix %s would break the keys', (prefix) => {
  expect(problemOf(file({ more: `redis: { prefix: ${prefix} }\n` })).path).toBe('redis.prefix');
});
