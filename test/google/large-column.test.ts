import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerReader, PackedTexts } from '../../src/google/large-column.ts';

const id = fc.integer({ min: 0, max: 12 }).map((n) => `1000000${n.toString(16)}-0000-4000-8000-000000000000`);
const cell = fc.oneof(
  { weight: 5, arbitrary: id },
  id.map((text) => text.toUpperCase()),
  id.map((text) => ` ${text}`),
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    '  total ',
    17,
    false,
    '00000000-0000-0000-0000-000000000000',
  ),
);
const trimmed = (value: unknown) => (value === undefined || value === null ? '' : String(value).trim());

function packedOf(cells: readonly unknown[]): PackedTexts {
  const texts = new PackedTexts();
  for (const each of cells) texts.push(each);
  return texts;
}

describe('a packed column', () => {
  test('holds what an array of texts would hold, also after changes', () => {
    const change = fc.record({
      at: fc.nat(30),
      cells: fc.array(fc.oneof(id, fc.constant('')), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(cell), fc.array(change), (cells, changes) => {
        const texts = packedOf(cells);
        const expected = cells.map(trimmed);
        for (const { at, cells: fresh } of changes) {
          if (fresh.length === 1 && at < expected.length) {
            texts.set(at, fresh[0]);
            expected[at] = fresh[0] ?? '';
          } else {
            while (expected.length < at) expected.push('');
            expected.splice(at, 0, ...fresh);
            texts.insert(at, fresh);
          }
        }
        expect([...texts]).toEqual(expected);
        expect(texts.length).toBe(expected.length);
        expect([...texts.entries()]).toEqual([...expected.entries()]);
        expect([texts.at(-1), texts.at(expected.length)]).toEqual([undefined, undefined]);
        for (const text of expected) if (text !== '') expect(texts.includes(text)).toBe(true);
        expect(texts.includes('1000000f-0000-4000-8000-000000000000')).toBe(false);
      }),
    );
  });

  test('finds the first row of each id, and counts the others', () => {
    fc.assert(
      fc.property(fc.array(cell), (cells) => {
        const texts = packedOf(cells);
        const isId = (text: unknown) => typeof text === 'string' && /^1[0-9a-f]{7}-/.test(text);
        const ids = cells.flatMap((each, row) => (isId(each) ? [[each as string, row] as const] : []));
        for (const [text] of ids) expect(texts.rowOf(text)).toBe(cells.indexOf(text));
        const once = new Set(ids.map(([text]) => text));
        expect(texts.doubledRows).toBe(ids.length - once.size);
        expect(texts.lastId).toBe(ids.at(-1)?.[1] ?? 0);
        for (const text of once)
          expect(texts.isDoubled(text)).toBe(ids.filter(([other]) => other === text).length > 1);
      }),
    );
  });

  test('finds each of many ids, where it was put last', () => {
    const ids = Array.from(
      { length: 5_000 },
      (_, n) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    );
    const texts = packedOf(['ID', ...ids]);
    texts.set(7, '');
    texts.insert(5_001, [ids[6] ?? '']);
    expect(ids.map((text) => texts.rowOf(text))).toEqual(ids.map((_, n) => (n === 6 ? 5_001 : n + 1)));
    expect([texts.doubledRows, texts.lastId]).toEqual([0, 5_001]);
  });
});

/** As a large answer. */
function parse(bytes: Buffer, partBytes = bytes.length): unknown {
  const reader = new AnswerReader(0);
  for (let at = 0; at < bytes.length; at += partBytes) reader.push(bytes.subarray(at, at + partBytes));
  return reader.end(true);
}

describe('an answer read in pieces', () => {
  const unpacked = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (_, each) => (each instanceof PackedTexts ? each.rows() : each)));
  const row = fc.oneof(
    fc.array(
      cell.map((each) => each ?? ''),
      { maxLength: 1 },
    ),
    fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom<unknown>('"values":[[', '\\"]', 1.5, true, ''),
      ),
      {
        maxLength: 3,
      },
    ),
  );
  const blank = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('[""]', '[]').replaceAll('[null]', '[]'));

  test('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(row)),
        fc.string({ unit: 'grapheme' }),
        fc.record({ indent: fc.constantFrom(undefined, 2), partBytes: fc.integer({ min: 1, max: 300 }) }),
        (lists, text, { indent, partBytes }) => {
          const answer = {
            text,
            valueRanges: lists.map((values) => ({ valueRange: { range: 'A1', values, note: 'after' } })),
          };
          const bytes = Buffer.from(JSON.stringify(answer, undefined, indent));
          expect(blank(unpacked(parse(bytes, partBytes)))).toEqual(blank(answer));
        },
      ),
    );
  });

  test('packs a long column of ids, and keeps one of texts', () => {
    const read = (values: unknown) =>
      (parse(Buffer.from(JSON.stringify({ values })), 64_000) as { values: unknown }).values;
    const ids = Array.from({ length: 9_000 }, (_, n) => [
      `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    ]);
    const packed = read([['Ключ'], ...ids]);
    expect(packed).toBeInstanceOf(PackedTexts);
    expect((packed as PackedTexts).rows()).toEqual([['Ключ'], ...ids]);
    const texts = ids.map((_, n) => [`ключ ${n}`]);
    expect(read(texts)).toEqual(texts);
  });

  test.each(['{"values":[["a"', '{"values":[["a"]', '{"values":[[}]]}', '{"values":[["a"],]}', '{'])(
    'that is cut or broken is a text: %s',
    (text) => {
      for (const partBytes of [1, 16, 100]) expect(parse(Buffer.from(text), partBytes)).toBeTypeOf('string');
    },
  );

  test('a small one packs nothing, and what is no JSON is its text', () => {
    const reader = new AnswerReader();
    reader.push(Buffer.from('{"values":[["10000000-0000'));
    reader.push(Buffer.from('-4000-8000-000000000000"]]}'));
    expect(reader.end(true)).toEqual({ values: [['10000000-0000-4000-8000-000000000000']] });
    const page = new AnswerReader();
    page.push(Buffer.from('<html>'));
    expect([page.end(true), new AnswerReader().end(false)]).toEqual(['<html>', '']);
  });

  test('its parts are held no longer than until the next one', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const reader = new AnswerReader();
    const rows = Array.from({ length: 40_000 }, (_, n) => `["10000000-0000-4000-8000-${1e11 + n}"]`);
    const bytes = Buffer.from(`{"range":"A1","values":[${rows.join(',')}]}`);
    const parts: WeakRef<ArrayBuffer>[] = [];
    for (let at = 0; at < bytes.length; at += 64_000) {
      const part = new Uint8Array(bytes.subarray(at, at + 64_000));
      parts.push(new WeakRef(part.buffer));
      reader.push(Buffer.from(part.buffer));
      await setImmediate();
    }
    collect();
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.flatMap((part) => part.deref() ?? []).length).toBeLessThanOrEqual(3);
    const { values } = reader.end(true) as { values: PackedTexts };
    expect([values.length, values.at(39_999)]).toEqual([40_000, '10000000-0000-4000-8000-100000039999']);
  });
});
