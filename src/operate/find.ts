import { bookingIdOf, calendarOrigin, objectOf } from '../engine/domain/ids.ts';
import { ENTITY_KINDS, type EntityKey, formatKey, isShortId, parseKey } from '../engine/domain/object.ts';
import type { Journal } from '../engine/ports/intake.ts';
import type { ObjectView } from '../engine/ports/work.ts';

/**
 * The objects that an id may mean, each once. It may be the object's own id, which is also in its row's key column. Or it is the id of an
 * event, of the platform or of a calendar. `what` narrows the search: `event`, `row`, or `any`. The beginning of an id is enough if nothing
 * has that whole id: pages and lists print ids shortened.
 */
export async function findObjects(
  parts: {
    readonly view: ObjectView;
    readonly journal: Journal;
    /** Calendars in which people book. */
    readonly calendars: readonly string[];
    readonly search?: { objectsBeginning(id: string): Promise<readonly string[]> };
  },
  what: string,
  id: string,
): Promise<readonly EntityKey[]> {
  const found: EntityKey[] = [];
  if (what !== 'event') found.push(...(await ownIds(parts.view, id)));
  if (what !== 'row') {
    const shown = objectOf(id);
    if (shown !== undefined) found.push(shown);
    found.push(...(await bookingsBy(parts, id)));
    const ofEvent = await parts.journal.objectOf(id);
    if (ofEvent !== undefined) found.push(ofEvent);
  }
  if (found.length === 0 && isShortId(id))
    found.push(
      ...((await parts.search?.objectsBeginning(id.toLowerCase())) ?? []).flatMap(
        (name) => parseKey(name) ?? [],
      ),
    );
  return [...new Map(found.map((key) => [formatKey(key), key])).values()];
}

/** Several calendars may contain the same event id. */
async function bookingsBy(
  { view, calendars }: { readonly view: ObjectView; readonly calendars: readonly string[] },
  eventId: string,
): Promise<readonly EntityKey[]> {
  const keys = calendars.map((calendarId): EntityKey => {
    return { kind: 'booking', id: bookingIdOf(calendarOrigin(calendarId, eventId)) };
  });
  const known = await Promise.all(keys.map((key) => view.peek(key)));
  return keys.filter((_, at) => known[at] !== undefined);
}

async function ownIds(view: ObjectView, id: string): Promise<readonly EntityKey[]> {
  const keys = ENTITY_KINDS.map((kind): EntityKey => ({ kind, id }));
  const known = await Promise.all(keys.map((key) => view.peek(key)));
  return keys.filter((_, at) => known[at] !== undefined);
}
