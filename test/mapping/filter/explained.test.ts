import { describe, expect, test } from 'vitest';
import type { AppointmentFilter, SheetMirror } from '../../../src/engine/mirror.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { compileCondition } from '../../../src/mapping/filter-condition.ts';
import { WHY } from '../../../src/operate/codes/codes.ts';
import { opinionOf } from '../../../src/operate/why.ts';
import { appointment, directory } from '../../calendar/stand.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-11-02T08:00:00Z');

function opinion(
  where: Partial<AppointmentFilter>,
  change: Record<string, unknown> = {},
  { isLinked = false, words = WHY.en } = {},
) {
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
  return opinionOf(mirror, claim, { directory, resolved: new Map(), nowMs: NOW_MS, words });
}

/** The reason in English and in Russian. */
type Said = readonly [english: string, russian: string];

describe('the line that leaves an appointment out is named, with what it says', () => {
  test.each<[Partial<AppointmentFilter>, string, Said]>([
    [
      { services: ['Colour', 'Haircut 2'] },
      'service',
      [
        "its service is Haircut, and the platform's lists do not have every name of the line",
        'услуга: Haircut, а в списках платформы есть не все имена из этого условия',
      ],
    ],
    [
      { resources: ['Boris'] },
      'resource',
      ['its resource is Anna Petrova, and only Boris is taken', 'ресурс: Anna Petrova, а нужно: Boris'],
    ],
    [
      { sources: ['api'] },
      'source',
      ['its source is widget, and only api is taken', 'источник: widget, а нужно: api'],
    ],
    [
      { price: { min: 30 } },
      'price',
      ['its price is 20, and only from 30 is taken', 'цена: 20, а нужно: от 30'],
    ],
    [
      { guests: { min: 2, max: 4 } },
      'guests',
      ['its guests is 1, and only from 2 to 4 is taken', 'число гостей: 1, а нужно: от 2 до 4'],
    ],
    [
      { metadata: [{ key: 'vip', values: ['true'] }] },
      'metadata.vip',
      ['its metadata has no vip that is one of: true', 'metadata.vip: нужно одно из значений: true'],
    ],
    [
      { condition: compileCondition('guests_count > 1') },
      'if',
      ['its condition does not hold', 'условие if не выполнено'],
    ],
    [
      { statuses: ['pending'] },
      'status',
      ['its status is confirmed, and only pending is taken', 'статус: confirmed, а нужно: pending'],
    ],
    [
      { branches: ['South'] },
      'branch',
      ['its branch is Centre, and only South is taken', 'филиал: Centre, а нужно: South'],
    ],
  ])('%j', (where, setting, [because, russian]) => {
    const said = { taken: false, rule: `mirrors.rows.where.${setting}` };
    expect(opinion(where)).toEqual({ ...said, because });
    expect(opinion(where, {}, { words: WHY.ru })).toEqual({ ...said, because: russian });
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
  expect(opinion(where, { guests_count: undefined }, { isLinked: true })).toMatchObject({
    taken: true,
    because: 'it stands there, and stays although its guests is not known yet',
  });
});
