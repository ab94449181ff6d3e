import { describe, expect, test } from 'vitest';
import type { ContactFilter, SheetMirror } from '../../src/engine/mirror.ts';
import { takesIntoSheet } from '../../src/mapping/route.ts';
import { directory } from '../calendar/stand.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');
const BASE = {
  kind: 'sheet',
  name: 'rows',
  spreadsheetId: 'book',
  tab: 'Rows',
  timezone: undefined,
  columns: [],
  keyHeader: 'ID',
  unmatched: 'clear',
  deleted: 'keep',
} as const;

const takes = (mirror: SheetMirror, fields: object, linked = false) =>
  takesIntoSheet(
    mirror,
    { id: '1', created_at: '2026-11-20T10:00:00Z', ...fields },
    { nowMs: NOW, linked, directory },
  );

describe('a mirror of leads', () => {
  const mirror: SheetMirror = {
    ...BASE,
    from: 'lead',
    where: { projects: ['p'], statuses: ['missed'], sinceMs: DAY },
  };

  test('takes those of its project and status', () => {
    expect(takes(mirror, { project_id: 'p', status: 'missed' })).toBe(true);
    expect(takes(mirror, { project_id: 'q', status: 'missed' })).toBe(false);
    expect(takes(mirror, { project_id: 'p', status: 'queued' })).toBe(false);
  });

  test('takes up none that came in too long ago, and keeps the one that stands there', () => {
    const old = { project_id: 'p', status: 'missed', created_at: '2026-11-19T11:59:59Z' };
    expect(takes(mirror, old)).toBe(false);
    expect(takes(mirror, old, true)).toBe(true);
    expect(takes(mirror, { ...old, created_at: null })).toBe(true);
  });
});

test('a mirror of conversations takes those of its channels', () => {
  const mirror: SheetMirror = { ...BASE, from: 'conversation', where: { channels: ['web'], sinceMs: DAY } };
  expect(takes(mirror, { channel: 'web', status: 'spam' })).toBe(true);
  expect(takes(mirror, { channel: 'vk', status: 'open' })).toBe(false);
});

test('a mirror of messages takes those of its direction and authors', () => {
  const where = { directions: ['outbound'], authorTypes: ['ai'], sinceMs: DAY };
  const mirror: SheetMirror = { ...BASE, from: 'message', where };
  expect(takes(mirror, { direction: 'outbound', author_type: 'ai' })).toBe(true);
  expect(takes(mirror, { direction: 'outbound', author_type: 'operator' })).toBe(false);
  expect(takes(mirror, { direction: 'inbound', author_type: 'ai' })).toBe(false);
});

test('a mirror of contacts takes them by project, lifecycle and status; what is not named does not matter', () => {
  const contact = { project_id: 'p', lifecycle: 'from a file', status: 'active' };
  const by = (where: ContactFilter) => takes({ ...BASE, from: 'contact', where }, contact);
  expect(by({})).toBe(true);
  expect(by({ lifecycles: ['customer', 'from a file'], statuses: ['active'] })).toBe(true);
  expect(by({ lifecycles: ['customer'] })).toBe(false);
  expect(by({ projects: ['other'] })).toBe(false);
  expect(by({ statuses: ['archived'] })).toBe(false);
});
