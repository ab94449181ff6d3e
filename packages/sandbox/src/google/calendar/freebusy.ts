// freebusy.query: when calendars are busy. A calendar that the caller may not see gets its own error entry; the call
// succeeds.

import { isZone } from '../../zones/local.ts';
import { type JsonObject, listOf, numberOf, objectOf, stringOf } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { calendarRefusal, invalidValue, Refusal } from '../refusal.ts';
import type { Calendar } from './calendar.ts';
import { isCancelled, type StoredEvent } from './event.ts';
import { parseInstant, showInstant } from './moments.ts';
import type { CalendarOffice } from './office.ts';
import { instancesOf, isMaster } from './series.ts';

const calendarsMax = 50;

interface Window {
  fromMs: number;
  toMs: number;
  zone: string;
}

export function freeBusy(office: CalendarOffice, call: Call): Answer {
  const window = windowOf(call.body);
  const ids = listOf(call.body['items']).map((item) => stringOf(objectOf(item)['id']) ?? '');
  const max = numberOf(call.body['calendarExpansionMax']) ?? calendarsMax;
  if (max > calendarsMax || ids.length > max)
    throw calendarRefusal(400, {
      domain: 'calendar',
      reason: 'tooManyCalendarsRequested',
      message: 'Too many calendars were requested.',
    });
  const calendars: JsonObject = {};
  for (const id of ids) calendars[id] = answerFor(office, call, { id, window });
  return {
    body: {
      kind: 'calendar#freeBusy',
      timeMin: new Date(window.fromMs).toISOString(),
      timeMax: new Date(window.toMs).toISOString(),
      calendars,
    },
  };
}

function windowOf(body: JsonObject): Window {
  const instant = (name: string): number => {
    const text = stringOf(body[name]);
    if (text === undefined) throw calendarRefusal(400, { reason: 'required', message: `Missing ${name}.` });
    const ms = parseInstant(text);
    if (ms === undefined) throw calendarRefusal(400, { reason: 'badRequest', message: 'Bad Request' });
    return ms;
  };
  const [fromMs, toMs] = [instant('timeMin'), instant('timeMax')];
  if (toMs <= fromMs)
    throw calendarRefusal(400, {
      domain: 'calendar',
      reason: 'timeRangeEmpty',
      message: 'The specified time range is empty.',
    });
  const zone = stringOf(body['timeZone']) ?? 'UTC';
  if (!isZone(zone)) throw invalidValue('Invalid time zone definition.', 'timeZone');
  return { fromMs, toMs, zone };
}

function answerFor(office: CalendarOffice, call: Call, of: { id: string; window: Window }): JsonObject {
  try {
    const busy = busyIn(office.reach(of.id, call.principal), of.window);
    return {
      busy: busy.map(([from, to]) => ({
        start: showInstant(from, of.window.zone),
        end: showInstant(to, of.window.zone),
      })),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { errors: [{ domain: 'global', reason: 'notFound' }], busy: [] };
  }
}

/** Busy spans, merged, cut to the window, in order. */
function busyIn(calendar: Calendar, { fromMs, toMs }: Window): [number, number][] {
  const spans = calendar
    .live()
    .flatMap((event) => (isMaster(event) ? instancesOf(calendar, event) : [event]))
    .filter((event) => isBusy(event) && event.endMs > fromMs && event.startMs < toMs)
    .map((event): [number, number] => [Math.max(event.startMs, fromMs), Math.min(event.endMs, toMs)])
    .sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last !== undefined && span[0] <= last[1]) last[1] = Math.max(last[1], span[1]);
    else merged.push(span);
  }
  return merged;
}

function isBusy(event: StoredEvent): boolean {
  return !isCancelled(event) && event.fields['transparency'] !== 'transparent';
}
