// The guests of an event: their relation to this calendar, how many are shown, and how a guest answers.
import { type JsonObject, listOf, objectOf, stringOf } from '../json.ts';

export type ResponseStatus = 'needsAction' | 'declined' | 'tentative' | 'accepted';

/**
 * The guests as one calendar sees them. With more than `attendeesMax`, "only the participant is returned", and the
 * answer says that others were omitted.
 */
export function showGuests(
  fields: JsonObject,
  view: { calendarId: string; attendeesMax: number | undefined },
): JsonObject {
  const guests = listOf(fields['attendees']).map(objectOf);
  if (guests.length === 0) return {};
  // Recorded answers mark the calendar itself, and never the organizer.
  const marked = guests.map(
    ({ organizer: _, ...guest }): JsonObject =>
      guest['email'] === view.calendarId ? { ...guest, self: true } : guest,
  );
  if (view.attendeesMax === undefined || marked.length <= view.attendeesMax) return { attendees: marked };
  const participant = marked.filter((guest) => guest['email'] === view.calendarId);
  return { attendeesOmitted: true, ...(participant.length === 0 ? {} : { attendees: participant }) };
}

/** The list with one guest's answer changed. Throws when that guest is not invited. */
export function answered(
  guests: readonly unknown[],
  answer: { email: string; status: ResponseStatus; comment?: string | undefined },
): JsonObject[] {
  if (!guests.some((guest) => objectOf(guest)['email'] === answer.email))
    throw new Error(`${answer.email} is not invited`);
  return guests.map(objectOf).map((guest) =>
    guest['email'] === answer.email
      ? {
          ...guest,
          responseStatus: answer.status,
          ...(answer.comment === undefined ? {} : { comment: answer.comment }),
        }
      : guest,
  );
}

/** With `attendeesOmitted`, the body changes one participant's answer and leaves the other guests alone. */
export function withAnswers(held: unknown, given: unknown): JsonObject[] {
  const answers = new Map(
    listOf(given).map((guest) => [stringOf(objectOf(guest)['email']), objectOf(guest)]),
  );
  return listOf(held)
    .map(objectOf)
    .map((guest) => ({ ...guest, ...answers.get(stringOf(guest['email'])) }));
}
