// Handles people's own events, by which they booked, while the mirror does not take the appointment. The mirror neither writes into them
// nor removes them.

import { mayBeUnmarked } from '../engine/domain/event-rule.ts';
import { type CalendarLink, openEdit } from '../engine/domain/link.ts';

export interface DraggedRules {
  /** The mapping lets people leave the event this way, so it proves nothing. */
  readonly isLeft: (link: CalendarLink) => boolean;
  /** The appointment's resources, if none of them owns this calendar: the appointment did not follow the event there. */
  readonly missedAt: (calendarId: string) => readonly string[];
}

/**
 * Returns the links, with each dragged event linked where people dragged it instead of where it was booked. Its absence from the old
 * calendar must not count as a deletion, and later changes to it are handled here. Returns the same array when nothing was dragged.
 */
export function followDragged(links: readonly CalendarLink[], rules: DraggedRules): readonly CalendarLink[] {
  const isDecided = (link: CalendarLink) => openEdit(link) === undefined && !rules.isLeft(link);
  return links.reduce((known, stray) => {
    if (stray.event.is !== 'strayed' || !isDecided(stray)) return known;
    const home = known.find((link) => link.eventId === stray.eventId && mayBeUnmarked(link));
    if (home === undefined || !isDecided(home)) return known;
    const others = known.filter((link) => link !== home && link !== stray);
    return [...others, settled(stray, home, rules.missedAt(stray.calendarId))];
  }, links);
}

/** Keeps the note, which appears where the appointment is shown next. */
function settled(stray: CalendarLink, { note }: CalendarLink, resourceIds: readonly string[]): CalendarLink {
  const { leftAt: _, ...link } = stray;
  const event = { ...link.event, is: 'found' } as const;
  return { ...link, event, ...(resourceIds.length > 0 && { resourceIds }), ...(note && { note }) };
}
