import { expect, test } from 'vitest';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import { mirroredKinds } from '../../src/mapping/needs.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { file, load, MIRRORS, problemOf } from './fixture.ts';

const feeds = (entry: string) => file({ mirrors: `${MIRRORS}feeds:\n  ${entry}\n` });
const EVENT = 'event: { title: "{{ service_name }}" }';

test('a feed has a resource, a filter like that of a mirror, and what its events say', () => {
  const config = load(
    feeds(
      'anna: { resource: Anna, where: { status: confirmed, since: 30d }, event: { title: T, location: L } }',
    ),
  );
  expect(config.feeds).toEqual([
    {
      name: 'anna',
      from: 'appointment',
      resource: 'Anna',
      where: { statuses: ['confirmed'], sinceMs: 30 * 86_400_000 },
      event: { title: 'T', description: undefined, location: 'L' },
    },
  ]);
  expect(mirroredKinds(config)).toEqual(['contact', 'appointment']);
  expect(load(file({})).feeds).toEqual([]);
});

test.each([
  [`anna: { ${EVENT} }`, 'feeds.anna.resource', /missing/],
  ['anna: { resource: Anna }', 'feeds.anna.event.title', /missing/],
  ['anna: { resource: Anna, event: {} }', 'feeds.anna.event.title', /missing/],
  [`anna: { resource: Anna, ${EVENT}, calendar: x }`, 'feeds.anna.calendar', /not a setting/],
  [`"a b": { resource: Anna, ${EVENT} }`, 'feeds."a b"', /other characters/],
  [
    `anna: { resource: Anna, where: { lifecycle: x }, ${EVENT} }`,
    'feeds.anna.where.lifecycle',
    /not possible/,
  ],
])('feeds: { %s } is refused', (entry, path, what) => {
  expect(problemOf(feeds(entry))).toMatchObject({ path, what: expect.stringMatching(what) });
});

test.each([
  ['event: { title: "{{ custommer_name }}" }', 'feeds.anna.event.title'],
  [`where: { if: "status =" }, ${EVENT}`, 'feeds.anna.where.if'],
])('templates and conditions of a feed are checked: %s', (parts, path) => {
  const text = feeds(`anna: { resource: Anna, ${parts} }`);
  expect(() => loadConfig({ text, path: 'f.yaml' }, {}, { checkTemplate, compileCondition })).toThrow(path);
});
