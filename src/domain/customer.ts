import { foldedText } from './plain-text.ts';
import { contentHash } from './snapshot.ts';

/** Whom a booking is for, as short marks that can be compared and cannot be read: what people typed is not copied into more places. */
export interface CustomerMarks {
  readonly contactId?: string;
  readonly phone?: string;
  readonly email?: string;
  readonly name?: string;
}

/** `unknown`: nothing is there that could be compared. */
export type CustomerMatch = 'same' | 'other' | 'unknown';

const FIELDS = ['contactId', 'phone', 'email', 'name'] as const satisfies readonly (keyof CustomerMarks)[];
/** A number is typed with and without the codes of its country; these digits no two customers of one company share by accident. */
const PHONE_DIGITS = 7;
const MARK_CHARS = 16;
/** What is longer is no name and no number. */
const TEXT_MAX = 500;

export function customerMarks(customer: Readonly<Record<keyof CustomerMarks, unknown>>): CustomerMarks {
  const marks = FIELDS.flatMap((field) => {
    const text = field === 'phone' ? phoneOf(customer.phone) : foldedText(markText(customer[field]));
    return text === '' ? [] : [[field, contentHash(`${field} ${text}`).slice(0, MARK_CHARS)] as const];
  });
  return Object.fromEntries(marks);
}

/**
 * One thing in common is enough: a typing error in a name or a number is mended without becoming somebody else. A row that names nobody
 * is not the one of a known customer.
 */
export function compareCustomers(typed: CustomerMarks, booked: CustomerMarks): CustomerMatch {
  if (Object.keys(booked).length === 0) return 'unknown';
  if (Object.keys(typed).length === 0) return 'other';
  const shared = FIELDS.filter((field) => typed[field] !== undefined && booked[field] !== undefined);
  if (shared.length === 0) return 'unknown';
  return shared.some((field) => typed[field] === booked[field]) ? 'same' : 'other';
}

/** By which a customer is looked up: the mark that fewest people share. */
export function strongestMark(marks: CustomerMarks): string | undefined {
  return FIELDS.flatMap((field) => marks[field] ?? [])[0];
}

function phoneOf(value: unknown): string {
  const digits = markText(value).replaceAll(/\D/g, '');
  return digits.slice(-PHONE_DIGITS);
}

function markText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value).slice(0, TEXT_MAX).trim();
}
