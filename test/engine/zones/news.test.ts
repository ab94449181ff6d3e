import { expect, test } from 'vitest';
import { type OtherRules, unknownZoneAdvice, zoneNotices } from '../../../src/engine/zone-news.ts';
import { offsetAt, ZONES_VERSION, zoneNamed } from '../../../src/engine/zone-rules.ts';
import table from '../../../src/engine/zone-table.json' with { type: 'json' };

const nowMs = Date.parse('2026-11-28T12:00:00Z');
const DAY_MS = 86_400_000;

/** A Node whose Edmonton still goes back in November, and which knows a zone of the future. */
const other = (version: string | undefined): OtherRules => ({
  version,
  offsetAt: (name, ms) => {
    if (name === 'America/Newfound_City') return -180;
    const zone = zoneNamed(name);
    const offset = zone && offsetAt(zone, ms);
    return name === 'America/Edmonton' && new Date(ms).getUTCMonth() < 2 ? -420 : offset;
  },
});

test('zones with the same rules are no news', () => {
  const names = ['Europe/Berlin', 'UTC', 'UTC-07:00', 'asia/calcutta'];
  expect(zoneNotices(names, { nowMs, other: other('2025c') })).toEqual([]);
});

test('an older Node is named once, for all its zones', () => {
  const notices = zoneNotices(['Europe/Berlin', 'America/Edmonton', 'America/Edmonton'], {
    ...{ nowMs, other: other('2025c') },
  });
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain(
    `other rules (2025c) than slotbridge (${ZONES_VERSION}) for America/Edmonton.`,
  );
  expect(notices[0]).toContain('Those of slotbridge are newer');
});

test('a newer Node says that slotbridge is to be updated', () => {
  const [notice] = zoneNotices(['America/Edmonton'], { nowMs, other: other('2031a') });
  expect(notice).toContain('update slotbridge');
});

test('a zone that only Node knows is named with the release that has it', () => {
  const [notice] = zoneNotices(['America/Newfound_City'], { nowMs, other: other('2031a') });
  expect(notice).toBe(
    `The time zone America/Newfound_City is in release 2031a of the rules, and slotbridge has ${ZONES_VERSION}. Update slotbridge.`,
  );
});

test('a zone that nobody knows is a wrong name or a new one', () => {
  expect(unknownZoneAdvice('Mars/Olympus')).toContain(`not in release ${ZONES_VERSION}`);
  expect(unknownZoneAdvice('x'.repeat(10_000)).length).toBeLessThan(250);
});

test('rules that are older than a year are told, with what to do', () => {
  const writtenMs = Date.parse(table.written);
  const told = (ms: number) => zoneNotices([], { nowMs: ms, other: other('2025c') });
  expect(told(writtenMs + 364 * DAY_MS)).toEqual([]);
  expect(told(writtenMs + 367 * DAY_MS)).toEqual([
    `The rules of time zones (${ZONES_VERSION}) are more than a year old. Update slotbridge.`,
  ]);
});
