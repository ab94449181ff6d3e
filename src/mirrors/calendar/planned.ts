// The actions of one appointment in a mirror's calendars, as steps that can be told to people. Pure.
import type { CalendarLink } from '../../domain/link.ts';
import type { FieldChange, PlannedStep } from '../../domain/planned.ts';
import { calendarPlace } from '../../domain/standing.ts';
import type { CalendarAction } from './plan.ts';

/** What goes here and is new there is a move; `changes` says what the event that is written says otherwise than the link. */
export function plannedSteps(
  actions: readonly CalendarAction[],
  changes: (link: CalendarLink, calendarId: string) => readonly FieldChange[],
): readonly PlannedStep[] {
  const leaving = actions.flatMap((action) => (action.type === 'remove' ? [action.link] : []));
  const steps = actions.map((action): PlannedStep | undefined => {
    const { calendarId } = action;
    const place = calendarPlace(calendarId);
    if (action.type === 'remove') return undefined;
    if (action.type === 'nothing') return { action: action.why === 'unmapped' ? 'kept' : 'same', place };
    // An event that was about to be made, and of which nobody knows whether it stands.
    const isFirst = action.type === 'create' || action.link.event.etag === '';
    if (action.type === 'update' && !isFirst)
      return { action: 'updated', place, fields: changes(action.link, calendarId) };
    const left = leaving.shift();
    if (left === undefined) return { action: 'created', place };
    const from = calendarPlace(left.calendarId);
    return { action: 'moved', place, from, fields: changes(left, calendarId) };
  });
  return [
    ...steps.filter((step) => step !== undefined),
    ...leaving.map(
      ({ calendarId }): PlannedStep => ({ action: 'removed', place: calendarPlace(calendarId) }),
    ),
  ];
}
