import { describe, expect, test } from 'vitest';
import type { Directory, Where } from '../../../src/engine/mirror.ts';
import type { PlatformKind } from '../../../src/engine/object.ts';
import { compileCondition } from '../../../src/mapping/filter-condition.ts';
import {
  assertReadable,
  contentLinesHash,
  filterNames,
  judgeAll,
  linesOf,
} from '../../../src/mapping/filter-lines.ts';
import { WHY } from '../../../src/operate/codes/codes.ts';

const HAIRCUT = '00000000-0000-4000-8000-000000000001';
const COLOUR = '00000000-0000-4000-8000-000000000002';
const GONE = '00000000-0000-4000-8000-00000000000f';
const ANNA = '00000000-0000-4000-8000-000000000011';
const ROOM = '00000000-0000-4000-8000-000000000012';
const about = { projectId: 'p', branchId: 'b', timezone: 'UTC' };
const named = (...pairs: readonly (readonly [string, string])[]) =>
  new Map(pairs.map(([id, name]) => [id, { ...about, id, name }]));
const directory: Directory = {
  branches: named(['b', 'Centre']),
  services: named([HAIRCUT, 'Haircut'], [COLOUR, 'Colour']),
  resources: named([ANNA, 'Anna'], [ROOM, 'Room 1']),
};

const APPOINTMENT = {
  id: 'a',
  project_id: 'p',
  branch_id: 'b',
  service_id: HAIRCUT,
  service_name: 'Haircut',
  resource_id: ANNA,
  resource_ids: [ANNA, ROOM],
  status: 'confirmed',
  source: 'widget',
  starts_at: '2026-11-03T09:00:00Z',
  guests_count: 2,
  price_amount: 45_050,
  price_currency: 'EUR',
  comment: null,
  metadata: { channel: 'site', vip: true, level: 3, empty: null },
};

function judge(where: Where, change: Record<string, unknown> = {}, kind: PlatformKind = 'appointment') {
  const snapshot = { ...APPOINTMENT, ...change };
  return judgeAll(linesOf(where), { kind, snapshot, directory });
}

const metadata = (key: string, ...values: string[]): Where => ({ metadata: [{ key, values }] });

describe('a line takes what it names', () => {
  test.each<[string, { where: Where; change: Record<string, unknown> }, 'yes' | 'no' | 'unknown']>([
    ['nothing is written', { where: {}, change: {} }, 'yes'],
    ['service by name', { where: { services: ['Haircut'] }, change: {} }, 'yes'],
    [
      'service by name, with the spaces of who typed it',
      { where: { services: [' Haircut '] }, change: {} },
      'yes',
    ],
    ['service by id', { where: { services: [HAIRCUT] }, change: {} }, 'yes'],
    ['another service', { where: { services: ['Colour'] }, change: {} }, 'no'],
    ['another service by id', { where: { services: [COLOUR] }, change: {} }, 'no'],
    ['one of several services', { where: { services: ['Colour', 'Haircut'] }, change: {} }, 'yes'],
    ['a service that the platform does not list', { where: { services: ['Shave'] }, change: {} }, 'unknown'],
    [
      'an unlisted one beside the right one',
      { where: { services: ['Shave', 'Haircut'] }, change: {} },
      'yes',
    ],
    [
      'a switched-off service by the name that the appointment bears',
      { where: { services: ['Old cut'] }, change: { service_id: GONE, service_name: 'Old cut' } },
      'yes',
    ],
    [
      'a nameless service',
      { where: { services: ['Colour'] }, change: { service_id: GONE, service_name: null } },
      'unknown',
    ],
    [
      'a nameless service, by id',
      { where: { services: [COLOUR] }, change: { service_id: GONE, service_name: null } },
      'no',
    ],
    [
      'a service that is not known',
      { where: { services: ['Haircut'] }, change: { service_id: undefined } },
      'unknown',
    ],
    ['any of its resources', { where: { resources: ['Room 1'] }, change: {} }, 'yes'],
    ['resource by id', { where: { resources: [ANNA] }, change: {} }, 'yes'],
    ['none of its resources', { where: { resources: ['Room 1'] }, change: { resource_ids: [ANNA] } }, 'no'],
    ['the main resource alone', { where: { resources: ['Anna'] }, change: { resource_ids: [] } }, 'yes'],
    [
      'no resource at all',
      { where: { resources: ['Anna'] }, change: { resource_ids: [], resource_id: null } },
      'no',
    ],
    [
      'a cancelled one, whose resources are released',
      {
        where: { resources: ['Anna'] },
        change: { status: 'cancelled', resource_ids: [], resource_id: null },
      },
      'unknown',
    ],
    ['source', { where: { sources: ['api', 'widget'] }, change: {} }, 'yes'],
    ['another source', { where: { sources: ['api'] }, change: {} }, 'no'],
    ['a price within', { where: { price: { min: 450.5, max: 450.5 } }, change: {} }, 'yes'],
    ['a price below', { where: { price: { min: 450.51 } }, change: {} }, 'no'],
    ['a price above', { where: { price: { max: 450 } }, change: {} }, 'no'],
    ['no price', { where: { price: { min: 0 } }, change: { price_amount: null } }, 'no'],
    [
      'a price that is not known',
      { where: { price: { min: 0 } }, change: { price_amount: undefined } },
      'unknown',
    ],
    ['guests', { where: { guests: { min: 2 } }, change: {} }, 'yes'],
    ['too few guests', { where: { guests: { min: 3 } }, change: {} }, 'no'],
    ['a key of metadata', { where: metadata('channel', 'site'), change: {} }, 'yes'],
    ['a flag of metadata', { where: metadata('vip', 'true'), change: {} }, 'yes'],
    ['a number of metadata', { where: metadata('level', '2', '3'), change: {} }, 'yes'],
    ['another value', { where: metadata('channel', 'partner'), change: {} }, 'no'],
    ['a key that is null', { where: metadata('empty', 'null'), change: {} }, 'no'],
    ['a key that is not there', { where: metadata('nothing', 'site'), change: {} }, 'no'],
    ['no metadata', { where: metadata('channel', 'site'), change: { metadata: null } }, 'no'],
    [
      'metadata that is not known',
      { where: metadata('channel', 'site'), change: { metadata: undefined } },
      'unknown',
    ],
    [
      'a condition',
      { where: { condition: compileCondition('guests_count > 1 and source == "widget"') }, change: {} },
      'yes',
    ],
    [
      'a condition on metadata',
      { where: { condition: compileCondition('metadata.vip') }, change: {} },
      'yes',
    ],
    [
      'a condition on what the worker adds',
      { where: { condition: compileCondition('resource_names contains "Room 1"') }, change: {} },
      'yes',
    ],
    [
      'a condition that does not hold',
      { where: { condition: compileCondition('price > 1000') }, change: {} },
      'no',
    ],
    [
      'a condition on an empty field',
      { where: { condition: compileCondition('comment == nil') }, change: {} },
      'yes',
    ],
    [
      'a condition on a field that is not known',
      { where: { condition: compileCondition('comment == nil') }, change: { comment: undefined } },
      'unknown',
    ],
    [
      'a status that is not known',
      { where: { statuses: ['confirmed'] }, change: { status: undefined } },
      'unknown',
    ],
    ['a branch by name', { where: { branches: ['Centre'] }, change: {} }, 'yes'],
    ['a branch that is not listed', { where: { branches: ['South'] }, change: {} }, 'unknown'],
    [
      'a refusal, whatever else is unknown',
      { where: { services: ['Shave'], sources: ['api'] }, change: {} },
      'no',
    ],
  ])('%s', (_, { where, change }, judged) => {
    expect(judge(where, change)).toBe(judged);
  });

  test.each<[PlatformKind, Where, { change: Record<string, unknown>; judged: 'yes' | 'no' }]>([
    [
      'contact',
      { sources: ['api'], metadata: [{ key: 'tier', values: ['gold'] }] },
      { change: { source: 'api', metadata: { tier: 'gold' } }, judged: 'yes' },
    ],
    [
      'contact',
      { condition: compileCondition('phone == nil') },
      { change: { phone: '+4930' }, judged: 'no' },
    ],
    [
      'lead',
      { sources: ['api'], condition: compileCondition('call.duration_sec > 60') },
      { change: { source: 'api', call: { duration_sec: 61 } }, judged: 'yes' },
    ],
    [
      'conversation',
      { condition: compileCondition('message_count > 3') },
      { change: { message_count: 3 }, judged: 'no' },
    ],
    [
      'message',
      { condition: compileCondition('text contains "price"') },
      { change: { text: 'what is the price?' }, judged: 'yes' },
    ],
  ])('of a %s by %j', (kind, where, { change, judged }) => {
    expect(judge(where, change, kind)).toBe(judged);
  });
});

describe('hostile metadata', () => {
  const long = 'x'.repeat(1_000_000);
  test.each<[string, Where, unknown]>([
    ['an inherited name', metadata('constructor', 'function Object() { [native code] }'), {}],
    ['__proto__', metadata('__proto__', '[object Object]'), {}],
    ['a group in the place of a text', metadata('channel', '[object Object]'), { channel: {} }],
    ['a list in the place of a text', metadata('channel', 'site'), { channel: ['site'] }],
    ['a list in the place of metadata', metadata('0', 'site'), 'site'],
    ['a value longer than the platform takes', metadata('channel', long), { channel: long }],
  ])('%s matches nothing', (_, where, value) => {
    expect(judge(where, { metadata: value })).toBe('no');
  });

  test('in a condition costs no more than its length', () => {
    expect(
      judge({ condition: compileCondition('metadata.note contains "needle"') }, { metadata: { note: long } }),
    ).toBe('no');
    // What Liquid's bounds do not let end is not known: nothing is taken away for it, and the object becomes a dead letter.
    const where = { condition: compileCondition('metadata.note | split: ""') };
    const snapshot = { ...APPOINTMENT, metadata: { note: long.repeat(2) } };
    expect(judge(where, snapshot)).toBe('unknown');
    expect(() => assertReadable(where, { kind: 'appointment', snapshot, directory })).toThrow(
      expect.objectContaining({ code: 'condition-failed' }),
    );
  });

  test('is not shown by what is told about it', () => {
    const where = metadata('note', 'x');
    const subject = {
      kind: 'appointment',
      directory,
      snapshot: { ...APPOINTMENT, metadata: { note: 'secret' } },
    } as const;
    expect(linesOf(where).map((line) => line.tell(subject, WHY.en))).toEqual([
      'its metadata has no note that is one of: x',
    ]);
  });
});

test('only the content lines name who took an object, and since or until change nothing', () => {
  expect(contentLinesHash({ statuses: ['confirmed'], branches: ['Centre'], sinceMs: 1 })).toBeUndefined();
  const hash = contentLinesHash({ services: ['Haircut'], sinceMs: 1 });
  expect(hash).toBe(contentLinesHash({ services: ['Haircut'], sinceMs: 2, statuses: ['pending'] }));
  expect(hash).not.toBe(contentLinesHash({ services: ['Colour'], sinceMs: 1 }));
});

test('names are held against the lists, by id or by name', () => {
  const where = { services: ['Haircut', COLOUR, 'Haircutt'], resources: ['Ana'], branches: ['Centre'] };
  expect(filterNames(where, directory).filter(({ isKnown }) => !isKnown)).toEqual([
    { setting: 'service', name: 'Haircutt', known: ['Haircut', 'Colour'], isKnown: false },
    { setting: 'resource', name: 'Ana', known: ['Anna', 'Room 1'], isKnown: false },
  ]);
});
