import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlainHeaders } from '../../src/engine/plain-headers.ts';

const name = fc.constantFrom('Accept', 'ACCEPT', 'If-Match', 'if-match', 'x-own');
const value = fc.constantFrom('a', 'b, c', '');
const act = fc.oneof(
  fc.record({ do: fc.constantFrom('set', 'append'), name, value }),
  fc.record({ do: fc.constantFrom('delete', 'get', 'has'), name, value }),
);

test("headers hold what Node's own would hold", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), fc.array(act), (init, acts) => {
      const [own, nodes] = [new PlainHeaders(init), new Headers(init)];
      for (const each of acts) {
        const seen = [own, nodes].map((headers) => {
          if (each.do === 'set' || each.do === 'append') return headers[each.do](each.name, each.value);
          return headers[each.do as 'delete' | 'get' | 'has'](each.name);
        });
        expect(seen[0]).toEqual(seen[1]);
      }
      const byName = (pairs: Iterable<[string, string]>) => Object.fromEntries(pairs);
      expect(byName(own)).toEqual(byName(nodes));
      expect(byName(new PlainHeaders(own))).toEqual(byName(nodes));
    }),
  );
});

test('a plain object and each header in turn', () => {
  const seen: string[] = [];
  new PlainHeaders({ 'If-Match': '"1"', Accept: 'a' }).forEach(
    (text, key) => void seen.push(`${key} ${text}`),
  );
  expect(seen).toEqual(['if-match "1"', 'accept a']);
});
