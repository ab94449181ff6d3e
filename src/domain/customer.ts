import { foldedText } from './plain-text.ts';
import { contentHash } from './snapshot.ts';

/** Whom a booking is for, as short hashes that can be compared but not read. They avoid further copies of what people typed. */
export interface CustomerMarks {
  readonly contactId?: string;
  readonly phone?: string;
  readonly email?: string;
  readonly name?: string;
}

/** `unknown`: there is nothing to compare. */
export type CustomerMatch = 'same' | 'other' | 'unknown';

const FIELDS = ['contactId', 'phone', 'email', 'name'] as const satisfies readonly (keyof CustomerMarks)[];
/**
 * Compared digits of a phone number, because people type it with or without country codes. Two customers of one company do not share these
 * digits by accident.
 */
const MARKED_DIGITS = 7;
/** Characters of a hash. */
const MARK_CHARS = 16;
/** Longest text to compare: a longer one is neither a name nor a number. */
const TEXT_MAX = 500;

export function customerMarks(customer: Readonly<Record<keyof CustomerMarks, unknown>>): CustomerMarks {
  const marks = FIELDS.flatMap((field) => {
    const text = field === 'phone' ? phoneOf(customer.phone) : foldedText(markText(customer[field]));
    return text === '' ? [] : [[field, contentHash(`${field} ${text}`).slice(0, MARK_CHARS)] as const];
  });
  return Object.fromEntries(marks);
}

/**
 * One match is enough, so correcting a typing error in a name or a number does not make another customer. A row that names no customer does
 * not match a known one.
 */
export function compareCustomers(typed: CustomerMarks, booked: CustomerMarks): CustomerMatch {
  if (Object.keys(booked).length === 0) return 'unknown';
  if (Object.keys(typed).length === 0) return 'other';
  const shared = FIELDS.filter((field) => typed[field] !== undefined && booked[field] !== undefined);
  if (shared.length === 0) return 'unknown';
  return shared.some((field) => typed[field] === booked[field]) ? 'same' : 'other';
}

/** The mark for looking a customer up: the one that the fewest people share. */
export function strongestMark(marks: CustomerMarks): string | undefined {
  return FIELDS.flatMap((field) => marks[field] ?? [])[0];
}

function phoneOf(value: unknown): string {
  const digits = markText(value).replaceAll(/\D/g, '');
  return digits.slice(-MARKED_DIGITS);
}

function markText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value).slice(0, TEXT_MAX).trim();
}
