import { RetryableError } from '../engine/domain/errors.ts';
import { withAnswer } from '../engine/domain/event-texts.ts';
import type { BookingAnswer, SeenBooking } from '../engine/domain/outside-booking.ts';
import type { AnswerPlace } from '../engine/ports/bookings.ts';
import type { CalendarApi } from './calendar-api.ts';
import type { CalendarEvent, EventBody } from './calendar-event.ts';
import { ETAG_MISMATCH } from './errors.ts';

/** Reads of an event for one answer: each edit by people in between costs another read. */
const READS_MAX = 3;
/** Private property that stores the colour that people gave the event; `none` if it had none of its own, empty once it was restored. */
const FORMER_COLOUR = 'slotbridge_colour';
const NO_COLOUR = 'none';
/** Private property that stores the colour of the refusal. Any other colour was chosen by people since. Version 0.2.0 did not write it. */
const REFUSAL_COLOUR = 'slotbridge_refused_colour';

/** Writes answers into the description and colour of events that belong to people; leaves everything else in them unchanged. */
export function createEventAnswers(
  api: CalendarApi,
  options: { readonly refusedColorId: string | undefined },
): AnswerPlace {
  return {
    async assertWritable(seen) {
      await api.assertWritable(eventPlace(seen).calendarId);
    },
    async answer(seen, answer) {
      const { calendarId, eventId } = eventPlace(seen);
      for (let reads = 0; reads < READS_MAX; reads += 1) {
        const event = await api.get(calendarId, eventId);
        if (event === 'absent' || event.status === 'cancelled') return 'gone';
        const body = changesOf(event, answer, options.refusedColorId);
        if (body === undefined) return 'answered';
        const patched = await api.patch(calendarId, event, body);
        if (patched === 'absent') return 'gone';
        if (patched !== 'changed') return 'answered';
      }
      throw new RetryableError(ETAG_MISMATCH, 'the event keeps changing', {
        target: `calendar:${calendarId}`,
      });
    },
  };
}

function eventPlace(seen: SeenBooking): { calendarId: string; eventId: string } {
  if (seen.place !== 'calendar')
    throw new TypeError("an answer can only be written into the event's own calendar");
  return { calendarId: seen.calendar_id, eventId: seen.event_id };
}

/** Undefined when the event already shows the answer. */
function changesOf(
  event: CalendarEvent,
  answer: BookingAnswer,
  refusedColorId: string | undefined,
): Partial<EventBody> | undefined {
  const description = withAnswer(event.description ?? '', escaped(answer.text));
  const colour = colourOf(event, { isRefused: answer.state === 'refused', refusedColorId });
  const isSame = description === (event.description ?? '');
  return isSame && colour === undefined ? undefined : { description, ...colour };
}

/** Sets the colour of refusals. Once the answer is no longer a refusal, restores the colour from before, unless people chose another. */
function colourOf(
  event: CalendarEvent,
  { isRefused, refusedColorId }: { readonly isRefused: boolean; readonly refusedColorId: string | undefined },
): Pick<Partial<EventBody>, 'colorId' | 'extendedProperties'> | undefined {
  const marks = event.extendedProperties?.private ?? {};
  const former = marks[FORMER_COLOUR] ?? '';
  const isOurs = former !== '' && event.colorId === (marks[REFUSAL_COLOUR] ?? refusedColorId);
  if (isRefused && refusedColorId !== undefined) {
    if (event.colorId === refusedColorId) return undefined;
    const kept = isOurs ? former : (event.colorId ?? NO_COLOUR);
    const added = { [FORMER_COLOUR]: kept, [REFUSAL_COLOUR]: refusedColorId };
    return { colorId: refusedColorId, extendedProperties: { private: added } };
  }
  if (former === '') return undefined;
  return {
    ...(isOurs && { colorId: former === NO_COLOUR ? null : former }),
    extendedProperties: { private: { [FORMER_COLOUR]: '' } },
  };
}

/** Google treats a description as HTML. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
