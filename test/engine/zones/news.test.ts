import { expect, test } from 'vitest';
import {
  NODE_RULES,
  type OtherRules,
  unknownZoneAdvice,
  zoneNotices,
} from '../../../src/engine/zone-news.ts';
import {
  nodeDatesShow,
  nodeOffsetAt,
  offsetAt,
  ZONES_VERSION,
  zoneNamed,
} from '../../../src/engine/zone-rules.ts';
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

test("Node's dates prove what Intl says of a zone, and nothing else, and leave the process in its own zone", () => {
  const days = Array.from({ length: 366 }, (_, day) => nowMs + day * DAY_MS);
  const own = process.env['TZ'];
  for (const name of ['Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Asia/Kolkata', 'UTC']) {
    const offsets = new Map(days.map((ms) => [ms, nodeOffsetAt(name, ms) ?? 0]));
    expect(nodeDatesShow(name, offsets)).toBe(true);
    expect(nodeDatesShow(name, offsets.set(nowMs, 17))).toBe(false);
  }
  expect(nodeDatesShow('Mars/Olympus', new Map([[nowMs, 60]]))).toBe(false);
  expect(process.env['TZ']).toBe(own);
});

test("Intl is not asked about a zone whose rules Node's dates prove, and has the last word about any other", () => {
  const asked = (show: boolean) => {
    let times = 0;
    const rules: OtherRules = {
      ...{ version: '2025c', show: () => show },
      offsetAt: (name, ms) => {
        times += 1;
        return NODE_RULES.offsetAt(name, ms);
      },
    };
    expect(zoneNotices(['Europe/Berlin'], { nowMs, other: rules })).toEqual([]);
    return times;
  };
  expect(asked(true)).toBe(0);
  expect(asked(false)).toBe(366);
});
