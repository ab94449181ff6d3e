import { expect, test } from 'vitest';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { file, load, MIRRORS, problemOf, problemsOf, STAFF } from './fixture.ts';

const PROJECT = '3f0c2a52-93b5-4c1c-8f1e-2b6f0d1f7a11';
const appointments = (where: string) => file({ mirrors: `mirrors:\n${STAFF}    where: { ${where} }\n` });
const contacts = (where: string) =>
  file({ mirrors: MIRRORS.replace('    sheet:', `    where: { ${where} }\n    sheet:`) });

test('one value and a list of one mean the same', () => {
  const single = load(appointments(`project: ${PROJECT}, status: confirmed, branch: Central`));
  const list = load(appointments(`project: [${PROJECT}], status: [confirmed], branch: [Central]`));
  expect(single).toEqual(list);
  expect(single.mirrors[0]?.where).toEqual({
    projects: [PROJECT],
    statuses: ['confirmed'],
    branches: ['Central'],
    sinceMs: 86_400_000,
  });
});

test('contacts are narrowed by project, lifecycle and status; a lifecycle may be a word of the company', () => {
  const [mirror] = load(contacts(`project: ${PROJECT}, lifecycle: [customer, VIP], status: active`)).mirrors;
  expect(mirror?.where).toEqual({
    projects: [PROJECT],
    lifecycles: ['customer', 'VIP'],
    statuses: ['active'],
  });
});

test('case 59: history is cut off by since, a day when nothing is said', () => {
  expect(load(appointments('')).mirrors[0]?.where).toEqual({ sinceMs: 86_400_000 });
  expect(load(appointments('since: 7d')).mirrors[0]?.where).toEqual({ sinceMs: 604_800_000 });
});

test('a project is an id, because the platform lists no projects by name', () => {
  const problem = problemOf(appointments('project: Clinic'));
  expect(problem).toMatchObject({
    path: 'mirrors.staff.where.project',
    what: '"Clinic" is not the id of a project',
  });
  expect(problem.fix).toContain('lists no projects');
});

test('the id of a project is compared without case', () => {
  expect(load(appointments(`project: ${PROJECT.toUpperCase()}`)).mirrors[0]?.where).toMatchObject({
    projects: [PROJECT],
  });
});

test('each wrong entry of a list is a problem in its own place', () => {
  expect(problemsOf(appointments('status: [confirmed, confrimed, done]'))).toMatchObject([
    {
      path: 'mirrors.staff.where.status[1]',
      line: 12,
      column: 34,
      fix: expect.stringContaining('did you mean confirmed?'),
    },
    { path: 'mirrors.staff.where.status[2]', line: 12, column: 45 },
  ]);
});

test('appointments and contacts have statuses of their own', () => {
  expect(problemOf(appointments('status: active')).what).toContain('status of an appointment');
  expect(problemOf(contacts('status: confirmed')).fix).toContain('active, archived, blocked');
});

test('an empty list would take nothing and is refused', () => {
  expect(problemOf(appointments('status: []')).fix).toContain('remove the line to take all');
});

test('an empty entry is refused', () => {
  expect(problemOf(contacts('lifecycle: [lead, ""]')).path).toBe('mirrors.contacts.where.lifecycle[1]');
});

test('a number in the place of a name says that it needs quotes', () => {
  expect(problemOf(appointments('branch: 12')).fix).toContain('quotes');
  expect(load(appointments('branch: "12"')).mirrors[0]?.where).toMatchObject({ branches: ['12'] });
});

test('a wrong since is refused', () => {
  expect(problemOf(appointments('since: 2024-01-01')).path).toBe('mirrors.staff.where.since');
});

test('until holds back appointments far ahead; for any other kind it is refused with the reason', () => {
  expect(load(appointments('until: 30d')).mirrors[0]?.where).toEqual({
    sinceMs: 86_400_000,
    untilMs: 30 * 86_400_000,
  });
  expect(problemOf(appointments('until: 0s')).path).toBe('mirrors.staff.where.until');
  const problem = problemOf(contacts('until: 30d'));
  expect([problem.path, problem.fix]).toEqual([
    'mirrors.contacts.where.until',
    expect.stringContaining('only appointments lie ahead'),
  ]);
});

test('what an appointment says narrows a mirror: one value, a list, a range, keys of metadata, a condition', () => {
  const where =
    'service: Haircut, resource: [Anna, Boris], source: api, price: { min: 12.5 }, guests: { min: 2, max: "4" }, metadata: { channel: [site, partner], vip: true, level: 3 }, if: "guests_count > 2"';
  expect(load(appointments(where)).mirrors[0]?.where).toEqual({
    services: ['Haircut'],
    resources: ['Anna', 'Boris'],
    sources: ['api'],
    price: { min: 12.5 },
    guests: { min: 2, max: 4 },
    metadata: [
      { key: 'channel', values: ['site', 'partner'] },
      { key: 'vip', values: ['true'] },
      { key: 'level', values: ['3'] },
    ],
    condition: { source: 'guests_count > 2' },
    sinceMs: 86_400_000,
  });
});

test('contacts are narrowed by source, metadata and a condition as well', () => {
  const where = 'source: [api], metadata: { tier: gold }, if: email contains "@"';
  expect(load(contacts(where)).mirrors[0]?.where).toEqual({
    sources: ['api'],
    metadata: [{ key: 'tier', values: ['gold'] }],
    condition: { source: 'email contains "@"' },
  });
});

test.each([
  ['price: {}', 'price', /neither min nor max/],
  ['price: { min: 5, max: 4 }', 'price', /take nothing/],
  ['price: { min: cheap }', 'price.min', /"cheap" is not a number/],
  ['price: { min: -1 }', 'price.min', /not a number from 0/],
  ['guests: { min: 2, least: 2 }', 'guests.least', /is not a setting/],
  ['metadata: {}', 'metadata', /has no key/],
  ['metadata: { channel: [] }', 'metadata.channel', /empty list/],
  [`metadata: { ${'k'.repeat(41)}: x }`, 'metadata', /40 characters/],
  [`metadata: { k: ${'v'.repeat(501)} }`, 'metadata.k', /500 characters/],
  ['metadata: { k: { deep: 1 } }', 'metadata.k', /one text or a list/],
  [`if: "${'a'.repeat(2_001)}"`, 'if', /2000 characters/],
  ['if: [a]', 'if', /must be a condition/],
])('where: { %s } is refused', (where, path, what) => {
  expect(problemOf(appointments(where))).toMatchObject({
    path: `mirrors.staff.where.${path}`,
    what: expect.stringMatching(what),
  });
});

test.each([
  ['service: Haircut', 'service'],
  ['guests: { min: 2 }', 'guests'],
  ['price: { min: 2 }', 'price'],
  ['resource: Anna', 'resource'],
])('of contacts, %s is told to belong to appointments', (where, path) => {
  expect(problemOf(contacts(where))).toMatchObject({
    path: `mirrors.contacts.where.${path}`,
    fix: expect.stringContaining('only appointments have one'),
  });
});

test('a condition is checked like a template, at its own place in the file', () => {
  const text = appointments('if: "custommer_name == 1"');
  expect(() =>
    loadConfig({ text, path: 'slotbridge.yaml' }, {}, { checkTemplate, compileCondition }),
  ).toThrow(/slotbridge.yaml:12:\d+ {2}mirrors.staff.where.if .*custommer_name/);
});

test('the lifecycle of the customer has a line of its own beside that of contacts', () => {
  expect(load(appointments('customer_lifecycle: customer')).mirrors[0]?.where).toEqual({
    customerLifecycles: ['customer'],
    sinceMs: 86_400_000,
  });
  expect(problemOf(appointments('lifecycle: customer')).fix).toContain('customer_lifecycle');
  expect(problemOf(contacts('customer_lifecycle: customer')).fix).toContain('write lifecycle');
});
