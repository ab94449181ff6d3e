import { expect, test } from 'vitest';
import { contentHash } from '../../../src/engine/object.ts';

test('a hash that an earlier version stored is still the hash of its content', () => {
  const odd = { b: 1, a: [{ z: null, y: undefined, x: 'ü' }], '10': 1, '9': 2 };
  expect(contentHash(odd)).toBe('58495a13a018410791d610f72b4c44cc');
  expect(contentHash(JSON.parse('{"__proto__":{"b":1,"a":2},"c":[]}'))).toBe(
    '09b389a5fe10bbc55de522cf38b6631f',
  );
  expect(contentHash(null)).toBe('74234e98afe7498fb5daf1f36ac2d78a');
  expect(contentHash([1, [2]])).toBe('f0a3b3a97cad28da4f115aead7b6aeeb');
  expect(contentHash({})).toBe('44136fa355b3678a1146ad16f7e8649e');
});

test('the order of the fields does not count, that of a list does', () => {
  expect(contentHash({ a: 1, b: { c: 2, d: 3 } })).toBe(contentHash({ b: { d: 3, c: 2 }, a: 1 }));
  expect(contentHash({ a: [1, 2] })).not.toBe(contentHash({ a: [2, 1] }));
});
