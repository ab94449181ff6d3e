// Adds the present content of events to what a plan would write: each change with an event gets a field for each difference. Reads only
// events that would change, and writes nothing.
import { COLOR_NAME_OF } from '../config/schema/colours.ts';
import { WorkerError } from '../domain/errors.ts';
import { MARK } from '../domain/event-marks.ts';
import { isSameToPeople } from '../domain/event-texts.ts';
import type { FieldChange, PlannedEvent, PlannedStep, PlannedText } from '../domain/planned.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { CalendarEvent } from '../google/calendar-event.ts';
import { fieldsOfEvent } from '../mirrors/calendar/said.ts';
import { isHarmless } from './harmless.ts';

type Changed = Pick<PlannedStep, 'fields' | 'event'>;
type Seen = CalendarEvent | 'absent' | WorkerError;

/** Up to this many events of a calendar are read one by one; more are read with its list, 250 per request. */
const READ_SINGLY = 20;
const INSTANTS = ['start', 'end'];
const VALUES = [...INSTANTS, 'color', 'visibility', 'busy'];

export async function withOldEvents<Change extends Changed>(
  changes: readonly Change[],
  api: Pick<CalendarApi, 'get' | 'marked'>,
): Promise<readonly Omit<Change, 'event'>[]> {
  const planned = changes.flatMap(({ event }) => event ?? []);
  const seen = new Map<PlannedEvent, Seen>();
  for (const calendarId of new Set(planned.map((event) => event.calendarId))) {
    const events = planned.filter((event) => event.calendarId === calendarId);
    await look(calendarId, { events, api, seen });
  }
  return changes.map(({ event, ...change }) => {
    const found = event && seen.get(event);
    if (event === undefined || found === undefined) return change;
    return { ...change, fields: fieldsOf(event, found, change.fields ?? []) };
  });
}

/** A calendar that cannot be read leaves the rest of the plan as it is. After the first error, no more of its events are read. */
async function look(
  calendarId: string,
  about: {
    readonly events: readonly PlannedEvent[];
    readonly api: Pick<CalendarApi, 'get' | 'marked'>;
    readonly seen: Map<PlannedEvent, Seen>;
  },
): Promise<void> {
  const { events, api, seen } = about;
  try {
    if (events.length > READ_SINGLY) {
      const byId = new Map(events.map((event) => [event.id, event]));
      for await (const found of api.marked(calendarId, MARK)) {
        const event = byId.get(found.id);
        if (event !== undefined) seen.set(event, found);
      }
    }
    // People's own events have no mark until the worker writes them.
    for (const event of events) if (!seen.has(event)) seen.set(event, await api.get(calendarId, event.id));
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error;
    for (const event of events) if (!seen.has(event)) seen.set(event, error);
  }
}

function fieldsOf(event: PlannedEvent, found: Seen, known: readonly FieldChange[]): readonly FieldChange[] {
  if (found instanceof WorkerError)
    return [...known, { field: `event, which cannot be read now (${found.code})` }];
  if (found === 'absent' || found.status === 'cancelled')
    return [{ field: 'event', old: 'not in the calendar', new: 'written again' }];
  const old = fieldsOfEvent(found);
  const differing = event.fields.flatMap((text) => changeOf(text, old[text.field], event.harmless));
  return [...differing, ...known.filter(({ field }) => field === 'status')];
}

function changeOf(
  { field, value, isPersonal }: PlannedText,
  old: string,
  words: readonly string[],
): readonly FieldChange[] {
  const isSame = INSTANTS.includes(field)
    ? Date.parse(old) === Date.parse(value)
    : isSameToPeople(old, value);
  if (isSame) return [];
  const isQuiet = isPersonal || !(VALUES.includes(field) || isHarmless(old, words));
  const spoken = (text: string) => (field === 'color' ? (COLOR_NAME_OF.get(text) ?? text) : text);
  return [{ field, old: spoken(old), new: spoken(value), ...(isQuiet ? { personal: true as const } : {}) }];
}
