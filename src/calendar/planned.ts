// Turns the actions of one appointment in a mirror's calendars into steps that can be shown to people. Pure.

import { calendarPlace } from '../engine/domain/actual.ts';
import type { CalendarLink } from '../engine/domain/link.ts';
import type { EventField, PlannedEvent, PlannedStep } from '../engine/domain/planned.ts';
import type { EventBody } from '../google/calendar-event.ts';
import type { CalendarAction } from './plan.ts';
import { fieldsOfBody } from './said.ts';

/** An event's body and its object's words, without personal data. */
export interface Impersonal {
  readonly body: EventBody;
  readonly harmless: readonly string[];
}

const TEXTS: readonly EventField[] = ['title', 'description', 'location'];

/** Reports a new event as a move if another one leaves. `changes` compares the event to be written with the linked one. */
export function plannedSteps(
  actions: readonly CalendarAction[],
  changes: (link: CalendarLink, calendarId: string) => Pick<PlannedStep, 'fields' | 'event'>,
): readonly PlannedStep[] {
  const leaving = actions.flatMap((action) => (action.type === 'remove' ? [action.link] : []));
  const steps = actions.map((action): PlannedStep | undefined => {
    const { calendarId } = action;
    const place = calendarPlace(calendarId);
    if (action.type === 'remove') return undefined;
    if (action.type === 'nothing') return { action: action.why === 'unmapped' ? 'kept' : 'same', place };
    // The link may be an intention, so it is unknown whether its event exists.
    const isFirst = action.type === 'create' || action.link.event.etag === '';
    if (action.type === 'update' && !isFirst)
      return { action: 'updated', place, ...changes(action.link, calendarId) };
    const left = leaving.shift();
    if (left === undefined) return { action: 'created', place };
    const from = calendarPlace(left.calendarId);
    return { action: 'moved', place, from, ...changes(left, calendarId) };
  });
  return [
    ...steps.filter((step) => step !== undefined),
    ...leaving.map(
      ({ calendarId }): PlannedStep => ({ action: 'removed', place: calendarPlace(calendarId) }),
    ),
  ];
}

/** A text is personal if masking people changes it. Without `nobodys`, every text counts as personal. */
export function plannedEvent(
  { calendarId, eventId }: CalendarLink,
  body: EventBody,
  nobodys: Impersonal | undefined,
): PlannedEvent {
  const maskedCells = nobodys === undefined ? {} : fieldsOfBody(nobodys.body);
  const fields = Object.entries(fieldsOfBody(body)) as [EventField, string][];
  return {
    ...{ calendarId, id: eventId, harmless: nobodys?.harmless ?? [] },
    fields: fields.map(([field, value]) => {
      return { field, value, isPersonal: TEXTS.includes(field) && value !== maskedCells[field] };
    }),
  };
}
