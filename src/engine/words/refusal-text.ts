import type { FreeSlot, Refusal } from '../domain/outside-booking.ts';
import { readLocal } from '../zones/local.ts';
import { en } from './en.ts';
import { ru } from './ru.ts';
import type { FieldName, RefusalWord, Words } from './words.ts';

export type Language = 'en' | 'ru';

export const WORDS: Readonly<Record<Language, Words>> = { en, ru };

export interface Audience {
  readonly language: Language;
  /** IANA zone for refusals that do not carry their branch's zone. */
  readonly zone: string;
  /** What people call a resource; without a name, only the time is shown. */
  readonly resourceName?: (resourceId: string) => string | undefined;
}

/** A refusal for the person who asked: one sentence, the fields to check, and the free times in the branch's zone, one per line. */
export function refusalText(refusal: Refusal, told: Audience, own?: string): string {
  const words = WORDS[told.language];
  const lines = [own ?? sentence(refusal.code, words)];
  const fields = (refusal.fields ?? []).map((field) => fieldName(field, words));
  if (fields.length > 0) lines.push(`${words.fields} ${[...new Set(fields)].join(', ')}.`);
  if (refusal.slots.length > 0) {
    const zone = refusal.zone ?? told.zone;
    lines.push(words.freeTimes, ...refusal.slots.map((slot) => `– ${freeSlotText(slot, zone, told)}`));
  }
  return lines.join('\n');
}

/** For example `Tue, 3 March 2026, 10:00, Anna Petrova`. */
export function freeSlotText(slot: FreeSlot, zone: string, told: Omit<Audience, 'zone'>): string {
  const time = readLocal(slot.startsAt, zone).setLocale(told.language).toFormat('ccc, d MMMM yyyy, HH:mm');
  const name = told.resourceName?.(slot.resourceId);
  return name === undefined ? time : `${time}, ${name}`;
}

function sentence(code: string, words: Words): string {
  const word = Object.hasOwn(words.refusals, code) ? (code as RefusalWord) : 'unknown';
  return words.refusals[word];
}

function fieldName(field: string, words: Words): string {
  return Object.hasOwn(words.fieldNames, field) ? words.fieldNames[field as FieldName] : field;
}
