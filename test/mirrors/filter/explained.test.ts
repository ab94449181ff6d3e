import { describe, expect, test } from 'vitest';
import type { AppointmentFilter, SheetMirror } from '../../../src/domain/mirror.ts';
import type { Claim } from '../../../src/domain/work.ts';
import { compileCondition } from '../../../src/mirrors/filter/condition.ts';
import { opinionOf } from '../../../src/mirrors/why.ts';
import { appointment, directory } from '../calendar/stand.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-02T08:00:00Z');

function opinion(where: Partial<AppointmentFilter>, change: Record<string, unknown> = {}, isLinked = false) {
  const mirror: SheetMirror = {
    ...{ kind: 'sheet', name: 'rows', from: 'appointment', spreadsheetId: 'book', tab: 'Rows' },
    ...{ timezone: undefined, columns: [], keyHeader: 'ID', unmatched: 'clear', deleted: 'keep' },
    where: { sinceMs: DAY_MS, ...where },
  };
  const snapshot = appointment({
    source: 'widget',
    guests_count: 1,
    price_amount: 2_000,
    metadata: {},
    ...change,
  });
  const links = isLinked ? { rows: { sheet: { spreadsheetId: 'book', tab: 'Rows', hash: 'h' } } } : {};
  const claim: Claim = {
    ...{ key: { kind: 'appointment', id: snapshot.id }, fence: '1', desiredRev: 1, syncedRev: 0, snapshot },
    ...{ deleted: false, verify: false, projectId: 'p-1', links, pendingSinceMs: undefined, sightings: [] },
  };
  return opinionOf(mirror, claim, { directory, resolved: new Map(), nowMs: NOW_MS });
}

describe('the line that leaves an appointment out is named, with what it says', () => {
  test.each<[Partial<AppointmentFilter>, string, string]>([
    [
      { services: ['Colour', 'Haircut 2'] },
      'service',
      "its service is Haircut, and the platform's lists do not have every name of the line",
    ],
    [{ resources: ['Boris'] }, 'resource', 'its resource is Anna Petrova, and only Boris is taken'],
    [{ sources: ['api'] }, 'source', 'its source is widget, and only api is taken'],
    [{ price: { min: 30 } }, 'price', 'its price is 20, and only from 30 is taken'],
    [{ guests: { min: 2, max: 4 } }, 'guests', 'its guests is 1, and only from 2 to 4 is taken'],
    [
      { metadata: [{ key: 'vip', values: ['true'] }] },
      'metadata.vip',
      'its metadata has no vip that is one of: true',
    ],
    [{ condition: compileCondition('guests_count > 1') }, 'if', 'its condition does not hold'],
    [{ statuses: ['pending'] }, 'status', 'its status is confirmed, and only pending is taken'],
    [{ branches: ['South'] }, 'branch', 'its branch is Centre, and only South is taken'],
  ])('%j', (where, setting, because) => {
    expect(opinion(where)).toEqual({ taken: false, rule: `mirrors.rows.where.${setting}`, because });
  });
});

test('the lines that take it are named', () => {
  expect(opinion({ sources: ['widget'], guests: { max: 3 } })).toEqual({
    taken: true,
    rule: 'mirrors.rows.where',
    because: 'every line of where takes it: source, guests',
  });
});

test('what is not known leaves out what is new, and keeps what stands', () => {
  const where = { guests: { min: 1 } };
  expect(opinion(where, { guests_count: undefined })).toMatchObject({
    taken: false,
    rule: 'mirrors.rows.where.guests',
  });
  expect(opinion(where, { guests_count: undefined }, true)).toMatchObject({
    taken: true,
    because: 'it stands there, and stays although its guests is not known yet',
  });
});
