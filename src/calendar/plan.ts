import { type CalendarLink, type ObjectLinks, openEdit } from '../engine/link.ts';
import type { StaffEdits } from '../engine/mirror.ts';
import { placementOf, type Snapshot } from '../engine/object.ts';

/** What an appointment needs in the calendars of one mirror, and what it has there. */
export interface PlanInput {
  /** Calendars that must show it, each once. */
  readonly calendars: readonly string[];
  /** Hash of the event that a calendar must show. A shared calendar may show less than the others. */
  readonly hashIn: (calendarId: string) => string;
  readonly links: readonly CalendarLink[];
  /** Calendars from which an event may be removed. Others do not, or no longer, belong to this mirror. */
  readonly mapped: ReadonlySet<string>;
  /** Events that differ only by an edit of the YAML, and are too old for it. */
  readonly isHistory?: (link: CalendarLink) => boolean;
  /** People deleted or moved the event, and the mapping leaves it alone. */
  readonly isLeft?: (link: CalendarLink) => boolean;
  /**
   * People dragged the event into a calendar for a branch, a service or everything. The appointment's event there has another id, so this
   * one does not stay.
   */
  readonly isGuest?: (link: CalendarLink) => boolean;
}

export type CalendarAction =
  | { readonly type: 'create'; readonly calendarId: string }
  | { readonly type: 'update'; readonly calendarId: string; readonly link: CalendarLink }
  | { readonly type: 'remove'; readonly calendarId: string; readonly link: CalendarLink }
  /**
   * - `same`: the event already says what it should.
   * - `history`: the event says what was true when the appointment was over.
   * - `open`: people changed it, and no decision was made about that yet.
   * - `left`: people changed it, and the mapping allows that.
   * - `unmapped`: the calendar left the mapping; a person decides about its events.
   */
  | {
      readonly type: 'nothing';
      readonly calendarId: string;
      readonly link: CalendarLink;
      readonly why: 'same' | 'history' | 'open' | 'left' | 'unmapped';
    };

/** Removals come last, so that an appointment that changes calendars is always in one. */
export function plan(input: PlanInput): readonly CalendarAction[] {
  const wanted = [...new Set(input.calendars)];
  const kept = new Map<string, CalendarLink>();
  // If a calendar holds two events of one appointment, keep an event that is already right, and drop one that people dragged there.
  const isRight = ({ calendarId, event }: CalendarLink) =>
    event.is === 'written' && event.hash === input.hashIn(calendarId);
  const worth = (link: CalendarLink) => (isRight(link) ? 2 : link.event.is === 'strayed' ? 0 : 1);
  for (const link of [...input.links].sort((a, b) => worth(b) - worth(a))) {
    if (wanted.includes(link.calendarId) && !kept.has(link.calendarId) && input.isGuest?.(link) !== true)
      kept.set(link.calendarId, link);
  }
  const stand = wanted.map((calendarId): CalendarAction => {
    const link = kept.get(calendarId);
    if (link === undefined) return { type: 'create', calendarId };
    const untouched = untouchedBecause(input, link);
    if (untouched !== undefined) return { type: 'nothing', calendarId, link, why: untouched };
    if (isRight(link)) return { type: 'nothing', calendarId, link, why: 'same' };
    if (link.event.is === 'written' && input.isHistory?.(link))
      return { type: 'nothing', calendarId, link, why: 'history' };
    return { type: 'update', calendarId, link };
  });
  const rest = input.links.filter((link) => !isSameEvent(link, kept.get(link.calendarId)));
  const leave = rest.map((link): CalendarAction => {
    const { calendarId } = link;
    const untouched = untouchedBecause(input, link);
    if (untouched !== undefined) return { type: 'nothing', calendarId, link, why: untouched };
    if (input.mapped.has(calendarId) || link.event.is === 'strayed')
      return { type: 'remove', calendarId, link };
    return { type: 'nothing', calendarId, link, why: 'unmapped' };
  });
  return [...stand, ...leave];
}

function untouchedBecause(input: PlanInput, link: CalendarLink): 'open' | 'left' | undefined {
  if (openEdit(link) !== undefined) return 'open';
  return input.isLeft?.(link) ? 'left' : undefined;
}

function isSameEvent(link: CalendarLink, other: CalendarLink | undefined): boolean {
  return link.calendarId === other?.calendarId && link.eventId === other.eventId;
}

/**
 * Holds until the appointment is moved, or until the mapping undoes such changes. A drag that was let be stays one when the mapping begins
 * to carry drags.
 */
export function isLeftByPeople(
  staffEdits: StaffEdits,
  snapshot: Snapshot,
  { link, links }: { readonly link: CalendarLink; readonly links: ObjectLinks },
): boolean {
  const leftAt = placementOf(snapshot);
  if (link.leftAt !== leftAt) return false;
  if (link.event.is === 'strayed') return staffEdits.moved !== 'revert' && snapshot['status'] !== 'cancelled';
  const isDragged = Object.values(links)
    .flatMap(({ calendars = [] }) => calendars)
    .some((each) => each.event.is === 'strayed' && each.eventId === link.eventId && each.leftAt === leftAt);
  if (isDragged) return staffEdits.moved !== 'revert';
  return staffEdits.deleted !== 'restore' || staffEdits.moved === 'ignore';
}
