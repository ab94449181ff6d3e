import { describe, expect, it } from 'vitest';
import { read } from '../../../../test/house/tree.ts';
import { EXPECT, EXPECTED_APPOINTMENT, EXPECTED_EVENT, GIVEN, STEPS } from '../../scenarios/schema.ts';

const text = read('docs/scenarios.md');

/** The first column of the table below a heading row. */
function rowsBelow(head: string): readonly (readonly string[])[] {
  const from = text.indexOf(`\n| ${head} |`, text.indexOf('\n## '));
  const table = text.slice(from + 1).split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()));
}

const keysIn = (cell = '') => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, key]) => key);
const firstKeys = (rows: readonly (readonly string[])[]) => rows.flatMap(([, cell]) => keysIn(cell));

describe('docs/scenarios.md tells of', () => {
  it('every step, and of each exactly the fields that it takes', () => {
    const told = rowsBelow('step | fields').map(([, name, fields]) => [...keysIn(name), keysIn(fields)]);
    const real = Object.entries(STEPS).map(([name, schema]) => [name, fieldsOf(schema)]);
    expect(told).toEqual(real);
  });

  it.each([
    ['of an event | meaning', EXPECTED_EVENT],
    ['of an appointment | meaning', EXPECTED_APPOINTMENT],
  ])('every field of an expectation: %s', (head, shape) => {
    expect(firstKeys(rowsBelow(head))).toEqual(Object.keys(shape));
  });

  it.each([
    ['## Given', GIVEN],
    ['## Expect', EXPECT],
  ])('every key of %s', (heading, shape) => {
    const chapter = text.slice(text.indexOf(`\n${heading}\n`));
    const table = chapter.slice(chapter.indexOf('| key |')).split('\n\n')[0] ?? '';
    const keys = table
      .split('\n')
      .slice(2)
      .flatMap((row) => keysIn(row.split('|')[1]));
    expect(keys).toEqual(Object.keys(shape));
  });
});

/** A step without fields takes `true` or a duration. */
function fieldsOf(schema: object): readonly string[] {
  const { out } = schema as { readonly out?: { readonly shape?: object } };
  return Object.keys(out?.shape ?? {});
}
