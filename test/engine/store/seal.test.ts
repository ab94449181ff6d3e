import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Seal } from '../../../src/google/consent-store.ts';

const key = () => randomBytes(32).toString('base64');
const [OLD, NEW, OTHER] = [key(), key(), key()];

test('what is sealed opens again, shows nothing, and is never the same twice', () => {
  const seal = new Seal([NEW]);
  const sealed = seal.seal('1//secret-token', 'anna');
  expect(sealed).not.toContain('secret');
  expect(sealed).not.toBe(seal.seal('1//secret-token', 'anna'));
  expect(seal.open(sealed, 'anna')).toEqual({ text: '1//secret-token', isOld: false });
});

test('a second key only reads: what it opens is to be sealed anew', () => {
  const sealed = new Seal([OLD]).seal('t', 'anna');
  expect(new Seal([NEW, OLD]).open(sealed, 'anna')).toEqual({ text: 't', isOld: true });
  expect(new Seal([NEW]).open(sealed, 'anna')).toBe('foreign');
  expect(new Seal([NEW, OLD]).open(new Seal([NEW, OLD]).seal('t', 'anna'), 'anna')).toMatchObject({
    isOld: false,
  });
});

test('it opens for nobody else, and not when a single character was changed', () => {
  const seal = new Seal([NEW]);
  const sealed = seal.seal('token', 'anna');
  expect(seal.open(sealed, 'boris')).toBe('forged');
  for (let at = sealed.indexOf('.', 4) + 1; at < sealed.length; at += 1) {
    if (sealed[at] === '.') continue;
    // The last character of a part may hold bits that mean nothing.
    if (at === sealed.length - 1 || sealed[at + 1] === '.') continue;
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    expect(seal.open(changed, 'anna')).toBe('forged');
  }
});

test.each(['', 'v1', 'v2.x.y', 'v1.00000000.a.b.c', 'plain text'])('"%s" is nobody’s', (text) => {
  expect(new Seal([OTHER]).open(text, 'anna')).toBe('foreign');
});

test('a shortened tag is refused, which would be easier to guess', () => {
  const seal = new Seal([NEW]);
  const sealed = seal.seal('token', 'anna');
  expect(seal.open(sealed.slice(0, -16), 'anna')).toBe('forged');
});

test('without a key nothing is sealed', () => {
  expect(() => new Seal([]).seal('t', 'anna')).toThrow('no key');
});
