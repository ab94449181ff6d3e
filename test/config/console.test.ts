import { expect, test } from 'vitest';
import { file, load, problemOf } from './fixture.ts';

const HOUR_MS = 3_600_000;

test('the console is off, and for this machine only, unless the file says otherwise', () => {
  expect(load(file({})).console).toEqual({
    isEnabled: false,
    exposure: 'this-machine',
    sessionMs: 12 * HOUR_MS,
  });
});

test('every setting of the console reaches the worker; the address is kept without its path', () => {
  const more =
    'console: { enabled: true, exposure: network, address: "https://ops.clinic.example/console", session: 1h }\n';
  expect(load(file({ more })).console).toEqual({
    ...{ isEnabled: true, exposure: 'network', address: 'https://ops.clinic.example', sessionMs: HOUR_MS },
  });
});

test('a variable switches it on, and an empty one leaves it off', () => {
  const more = `console: { enabled: "$\{CONSOLE:-}" }\n`;
  expect(load(file({ more }), { CONSOLE: 'true' }).console.isEnabled).toBe(true);
  expect(load(file({ more })).console.isEnabled).toBe(false);
});

test.each([
  ['console: { enabled: yes please }', 'console.enabled'],
  ['console: { exposure: public }', 'console.exposure'],
  ['console: { enabled: true, exposure: network }', 'console.exposure'],
  ['console: { address: "http://ops.clinic.example" }', 'console.address'],
  ['console: { address: "https://ops.clinic.example/tools/" }', 'console.address'],
  ['console: { session: 1s }', 'console.session'],
  ['console: { people: anna }', 'console.people'],
])('%s is refused', (more, path) => {
  expect(problemOf(file({ more: `${more}\n` }))).toMatchObject({ path, line: 4 });
});
