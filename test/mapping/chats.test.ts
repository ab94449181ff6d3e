import { describe, expect, test } from 'vitest';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { loadConfig } from '../../src/mapping/load.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { file, load, problemOf } from './fixture.ts';

const PROJECT = '3f0c2a52-93b5-4c1c-8f1e-2b6f0d1f7a11';
const SHEET = `    sheet: { spreadsheet: 1AbC, tab: Rows }
    columns: { ID: "{{ id }}" }
`;
const from = (source: string, where = '', rest = SHEET) =>
  file({
    mirrors: `mirrors:\n  rows:\n    from: ${source}\n${where === '' ? '' : `    where: { ${where} }\n`}${rest}`,
  });

test('leads are narrowed by project, status and age', () => {
  const [mirror] = load(from('leads', `project: ${PROJECT}, status: [missed, completed], since: 7d`)).mirrors;
  expect(mirror).toMatchObject({ kind: 'sheet', from: 'lead' });
  expect(mirror?.where).toEqual({
    projects: [PROJECT],
    statuses: ['missed', 'completed'],
    sinceMs: 7 * 86_400_000,
  });
});

test('conversations are narrowed by channel too, which may be one that is new on the platform', () => {
  const [mirror] = load(from('conversations', 'status: open, channel: [web, whatsapp]')).mirrors;
  expect(mirror).toMatchObject({ kind: 'sheet', from: 'conversation' });
  expect(mirror?.where).toEqual({
    statuses: ['open'],
    channels: ['web', 'whatsapp'],
    sinceMs: 30 * 86_400_000,
  });
});

test('messages are narrowed by direction and author', () => {
  const [mirror] = load(from('messages', 'direction: inbound, author_type: [customer, bot]')).mirrors;
  expect(mirror).toMatchObject({ kind: 'sheet', from: 'message' });
  expect(mirror?.where).toEqual({
    directions: ['inbound'],
    authorTypes: ['customer', 'bot'],
    sinceMs: 30 * 86_400_000,
  });
});

test.each(['leads', 'conversations', 'messages'])(
  '%s of thirty days are taken when nothing is said',
  (source) => {
    expect(load(from(source)).mirrors[0]?.where).toEqual({ sinceMs: 30 * 86_400_000 });
  },
);

test.each([
  ['leads', 'status: done', 'mirrors.rows.where.status'],
  ['leads', 'channel: web', 'mirrors.rows.where.channel'],
  ['conversations', 'status: archived', 'mirrors.rows.where.status'],
  ['conversations', 'direction: inbound', 'mirrors.rows.where.direction'],
  ['messages', 'direction: both', 'mirrors.rows.where.direction'],
  ['messages', `project: ${PROJECT}`, 'mirrors.rows.where.project'],
  ['messages', 'channel: web', 'mirrors.rows.where.channel'],
  ['messages', 'since: 30', 'mirrors.rows.where.since'],
])('%s cannot be chosen by %s', (source, where, path) => {
  expect(problemOf(from(source, where))).toMatchObject({ path });
});

describe.each(['leads', 'conversations', 'messages'])('%s', (source) => {
  test('stand in no calendar', () => {
    const rest = `    calendars: { map: { Anna: anna@clinic.example } }\n${SHEET}`;
    expect(problemOf(from(source, '', rest))).toMatchObject({
      path: 'mirrors.rows.calendars',
      fix: expect.stringContaining('only appointments'),
    });
  });

  test('have no fields of contacts in their templates', () => {
    const rest = SHEET.replace('{ ID: "{{ id }}" }', '{ ID: "{{ id }}", Mail: "{{ email }}" }');
    const text = from(source, '', rest);
    expect(() =>
      loadConfig({ text, path: 'slotbridge.yaml' }, {}, { checkTemplate, compileCondition }),
    ).toThrow(`no ${source.slice(0, -1)} has a field 'email'`);
  });
});

test('a misspelt source is told by what was probably meant', () => {
  expect(problemOf(from('conversation')).fix).toContain('did you mean conversations?');
});
