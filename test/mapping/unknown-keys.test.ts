import { expect, test } from 'vitest';
import { suggest } from '../../src/mapping/problem.ts';
import { file, load, MIRRORS, PLATFORM, problemOf, problemsOf, STAFF } from './fixture.ts';

test('an unknown setting is an error at its name, with the one that was meant', () => {
  const problem = problemOf(file({ more: 'redis:\n  prefx: x\n' }));
  expect(problem).toMatchObject({ path: 'redis.prefx', line: 5, column: 3, what: 'is not a setting' });
  expect(problem.fix).toBe('did you mean prefix? known here: url, prefix, data_dir');
});

test('an unknown setting that resembles nothing gets the list of what is known', () => {
  expect(problemOf(file({ more: 'log: { colour: red }\n' })).fix).toBe('known here: level, format');
});

test('an unknown section is an error', () => {
  expect(problemOf(file({ more: 'loging: {}\n' }))).toMatchObject({ path: 'loging', line: 4, column: 1 });
});

test('an unknown setting without a value is an error, too', () => {
  expect(problemOf(file({ more: 'http:\n  prot:\n' })).path).toBe('http.prot');
});

test('every unknown setting is its own problem', () => {
  const platform = `${PLATFORM}  webhook: { secret: a, publicUrl: b }\n`;
  expect(problemsOf(file({ platform })).map((problem) => problem.path)).toEqual([
    'platform.webhook.secret',
    'platform.webhook.publicUrl',
  ]);
});

test('settings of appointments in a mirror of contacts are explained', () => {
  const mirrors = MIRRORS.replace('    sheet:', '    where: { since: 1d, branch: Central }\n    sheet:');
  const [since, branch] = problemsOf(file({ mirrors }));
  expect(since?.fix).toContain('contacts have no time');
  expect(branch?.fix).toContain('contacts belong to no branch');
});

test('a lifecycle in a mirror of appointments is explained', () => {
  const mirrors = `mirrors:\n${STAFF}    where: { lifecycle: lead }\n`;
  expect(problemOf(file({ mirrors })).fix).toContain('only contacts have a lifecycle');
});

test('a section without settings, and a setting without a value, are as if they were not there', () => {
  const more = 'redis:\nhttp:\n  host:\n  port:\nlog: {}\ngoogle:\n  act_as: ""\n  quotas:\n';
  expect(load(file({ more }))).toEqual(load(file({})));
});

test('a section that is a word or a list is an error', () => {
  expect(problemsOf(file({ more: 'redis: localhost\nhttp: [8080]\n' }))).toMatchObject([
    { path: 'redis', line: 4, what: 'must be a group of settings' },
    { path: 'http', line: 5, what: 'must be a group of settings' },
  ]);
});

test('a word is suggested for a slip of the keyboard, and for nothing further away', () => {
  expect(suggest('tomatoe', ['tomato', 'basil'])).toBe('tomato');
  expect(suggest('overlpa', ['overlap', 'every'])).toBe('overlap');
  expect(suggest('LEVEL', ['level'])).toBe('level');
  expect(suggest('colour', ['level', 'format'])).toBeUndefined();
});
