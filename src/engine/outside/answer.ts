import type { BookingAnswer, BookingLanguage, Refusal } from '../domain/outside-booking.ts';
import { OUTSIDE_WORDS } from '../words/outside-words.ts';
import { refusalText } from '../words/refusal-text.ts';

export interface Speech {
  readonly language: BookingLanguage;
  /** IANA zone for refusals that do not carry their branch's zone. */
  readonly zone: string;
  readonly resourceName: (id: string) => string | undefined;
}

/** An empty answer: it removes whatever the answer said before. */
export function silent(state: BookingAnswer['state']): BookingAnswer {
  return { state, text: '' };
}

/** A row may be a copy that includes another row's answer. Whoever cancels it reads that it booked nothing. */
export function ignoredAnswer(code: string, { language }: Speech): BookingAnswer {
  if (code !== 'cancelled-here') return silent('ignored');
  return { state: 'ignored', text: OUTSIDE_WORDS[language]['nothing-to-cancel'] };
}

export function refusedAnswer(refusal: Refusal, speech: Speech): BookingAnswer {
  const { standing } = refusal;
  const shown = standing && { ...standing, startsAt: new Date(standing.startsAt).toISOString() };
  return { state: 'refused', text: sentenceOf(refusal, speech), ...shown };
}

/** Answers for an existing appointment, and says what could not be done about it. */
export function appointmentAnswer(
  appointment: { readonly appointmentId: string; readonly startsAt: string; readonly isCancelled: boolean },
  speech: Speech,
  hindrance?: Refusal,
): BookingAnswer {
  const { appointmentId, startsAt, isCancelled } = appointment;
  const state = isCancelled ? 'cancelled' : 'booked';
  const words = OUTSIDE_WORDS[speech.language][state];
  const text = hindrance === undefined ? words : `${words} ${sentenceOf(hindrance, speech)}`;
  return { state, text, appointmentId, startsAt: new Date(startsAt).toISOString() };
}

/** For a row that names somebody else: the text must not present the appointment as the row's own. */
export function othersAppointmentAnswer(
  { appointmentId, startsAt, isCancelled }: Parameters<typeof appointmentAnswer>[0],
  speech: Speech,
): BookingAnswer {
  if (isCancelled) return { state: 'cancelled', text: OUTSIDE_WORDS[speech.language]['other-cancelled'] };
  const text = OUTSIDE_WORDS[speech.language]['other-customer'];
  return { state: 'booked', text, appointmentId, startsAt: new Date(startsAt).toISOString() };
}

/** Codes about the hour or the event itself. Any other code could reveal who is a customer, who works here or what is offered. */
const SAID_TO_OTHERS: ReadonlySet<string> = new Set([
  ...['slot-unavailable', 'outside-working-hours', 'starts-at-in-past', 'read-too-late', 'start-unreadable'],
  ...['recurring', 'series-too-long', 'moved-meanwhile', 'not-expressible', 'appointment-not-reschedulable'],
  ...['duration-unreadable', 'guests-unreadable', 'invited-too-often'],
  ...['start-missing', 'written-late'],
]);

/** The refusal as an outside organizer reads it: it says nothing about people. `Speech` decides whether to name resources. */
export function refusalForOthers({ code, slots, zone }: Refusal): Refusal {
  if (!SAID_TO_OTHERS.has(code)) return { code: 'ask-us', slots: [] };
  return { code, slots, ...(zone !== undefined && { zone }) };
}

function sentenceOf(refusal: Refusal, speech: Speech): string {
  const words: Readonly<Record<string, string>> = OUTSIDE_WORDS[speech.language];
  const own = Object.hasOwn(words, refusal.code) ? words[refusal.code] : undefined;
  return refusalText(refusal, speech, own);
}
