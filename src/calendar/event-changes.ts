// Compares a link with the wanted event and returns what a write would change, as far as the link remembers the event. Pure.
import { type EventTexts, hashTexts, type TextField, type TextHashes } from '../engine/domain/event-texts.ts';
import type { CalendarLink } from '../engine/domain/link.ts';
import type { FieldChange } from '../engine/domain/planned.ts';
import type { EventBody } from '../google/calendar-event.ts';

const NAMES: Readonly<Record<TextField, string>> = {
  summary: 'title',
  description: 'description',
  location: 'location',
};

/** `status` is the appointment's status now. Empty when the event's content is in doubt: such an event is read before it is written. */
export function eventChanges(
  link: CalendarLink,
  wanted: { readonly body: EventBody; readonly hash: string; readonly note: string | undefined },
  status: string,
): readonly FieldChange[] {
  const { body, hash, note } = wanted;
  const { event } = link;
  if (event.is !== 'written' || event.hash === hash) return [];
  const { hour, shown } = event;
  const known = [
    ...timeChange('start', hour.startsAt, body.start.dateTime),
    ...timeChange('end', hour.endsAt, body.end.dateTime),
    ...(event.status === undefined || event.status === status
      ? []
      : [{ field: 'status', old: event.status, new: status }]),
    ...textChanges(shown, textsOf(body), note),
  ];
  // The link stores no values of colour, visibility and busy.
  return known.length > 0 ? known : [{ field: 'color, visibility, busy or a note' }];
}

function timeChange(field: string, old: string | undefined, now: string): readonly FieldChange[] {
  if (old === undefined) return [];
  return Math.floor(Date.parse(old) / 1000) === Math.floor(Date.parse(now) / 1000)
    ? []
    : [{ field, old, new: now }];
}

function textsOf({ summary, description, location }: EventBody): EventTexts {
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    ...(location === undefined ? {} : { location }),
  };
}

function textChanges(
  shown: TextHashes | undefined,
  texts: EventTexts,
  note: string | undefined,
): readonly FieldChange[] {
  if (shown === undefined) return [];
  const hashes = hashTexts(texts, note);
  return (Object.keys(texts) as TextField[])
    .filter((field) => hashes[field] !== shown[field])
    .map((field) => ({ field: NAMES[field], new: texts[field] ?? '', personal: true }));
}
