import { expect, test } from 'vitest';
import { RetryableError } from '../../src/engine/errors.ts';
import type { PlannedStep, PlannedText } from '../../src/engine/planned.ts';
import { CALENDAR_EVENT, type CalendarEvent } from '../../src/google/calendar-event.ts';
import { withOldEvents } from '../../src/operate/audit.ts';

const CALENDAR = 'anna@clinic.example';
const text = (field: PlannedText['field'], value: string, isPersonal = false): PlannedText => ({
  ...{ field, value, isPersonal },
});
const START = text('start', '2026-11-24T09:00:00Z');

function change(fields: readonly PlannedText[], more: { id?: string; known?: PlannedStep['fields'] } = {}) {
  const { id = 'e1', known } = more;
  const event = { calendarId: CALENDAR, id, fields, harmless: ['Haircut', 'confirmed'] };
  return { place: `calendar:${CALENDAR}`, ...(known && { fields: known }), event };
}

const seen = (about: object): CalendarEvent =>
  CALENDAR_EVENT.parse({
    ...{
      id: 'e1',
      start: { dateTime: '2026-11-24T12:00:00+03:00' },
      end: { dateTime: 'x' },
      summary: 'Haircut',
    },
    ...about,
  });

/** A calendar with these events; counts its calls. */
function calendarOf(events: readonly CalendarEvent[], marked = events) {
  const calls: string[] = [];
  const api = {
    get: async (_: string, id: string) => {
      calls.push('get');
      return events.find((event) => event.id === id) ?? ('absent' as const);
    },
    async *marked() {
      calls.push('list');
      yield* marked;
    },
  };
  return { api, calls };
}

async function fieldsOf(event: object, fields: readonly PlannedText[]) {
  const [told] = await withOldEvents([change(fields)], calendarOf([seen(event)]).api);
  return told?.fields;
}

test('a field that would be another is told with both values; one that stays is not, whatever zone Google shows it in', async () => {
  expect(await fieldsOf({}, [START, text('title', 'Beard'), text('color', '11')])).toEqual([
    { field: 'title', old: 'Haircut', new: 'Beard' },
    { field: 'color', old: 'default', new: 'tomato' },
  ]);
});

test('an event of a whole day has another start', async () => {
  expect(await fieldsOf({ start: { date: '2026-11-24' } }, [START])).toEqual([
    { field: 'start', old: '2026-11-24', new: START.value },
  ]);
});

test('blanks and markup that Google has changed are no other text', async () => {
  expect(await fieldsOf({ description: 'Call <b>first</b> ' }, [text('description', 'Call first')])).toEqual(
    [],
  );
});

test('an old text that is no word of the object may name somebody', async () => {
  expect(await fieldsOf({ summary: 'Haircut, Vera' }, [text('title', 'Haircut')])).toEqual([
    { field: 'title', old: 'Haircut, Vera', new: 'Haircut', personal: true },
  ]);
  expect(await fieldsOf({}, [text('title', 'Haircut, Vera', true)])).toEqual([
    { field: 'title', old: 'Haircut', new: 'Haircut, Vera', personal: true },
  ]);
});

test('what the event does not show stays as it was told', async () => {
  const status = { field: 'status', old: 'pending', new: 'confirmed' };
  const known = [{ field: 'title', new: 'Haircut', personal: true as const }, status];
  const told = await withOldEvents(
    [change([text('title', 'Haircut')], { known })],
    calendarOf([seen({})]).api,
  );
  expect(told).toEqual([{ place: `calendar:${CALENDAR}`, fields: [status] }]);
});

test.each([
  ['gone', []],
  ['in the bin', [seen({ status: 'cancelled' })]],
])('an event that is %s would be written again', async (_, events) => {
  const [told] = await withOldEvents([change([START])], calendarOf(events).api);
  expect(told?.fields).toEqual([{ field: 'event', old: 'not in the calendar', new: 'written again' }]);
});

test('a calendar that cannot be read is asked once, and takes nothing else from the plan', async () => {
  let asked = 0;
  const refuse = async () => {
    asked += 1;
    throw new RetryableError('google-unreachable', 'Google cannot be reached');
  };
  const changes = [change([START], { id: 'e1' }), change([START], { id: 'e2' })];
  const told = await withOldEvents(changes, { get: refuse, marked: calendarOf([]).api.marked });
  expect(told.map(({ fields }) => fields)).toEqual([
    [{ field: 'event, which cannot be read now (google-unreachable)' }],
    [{ field: 'event, which cannot be read now (google-unreachable)' }],
  ]);
  expect(asked).toBe(1);
});

test('many events of one calendar are read by its list, and one that has no mark yet by its id', async () => {
  const events = Array.from({ length: 300 }, (_, at) => seen({ id: `e${at}` }));
  const { api, calls } = calendarOf(events, events.slice(1));
  const told = await withOldEvents(
    events.map(({ id }) => change([text('title', 'Beard')], { id })),
    api,
  );
  expect(told.every(({ fields }) => fields?.[0]?.old === 'Haircut')).toBe(true);
  expect(calls).toEqual(['list', 'get']);
});
