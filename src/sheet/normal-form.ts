// Input: a cell of a carried column. Output: what it means. Pure. Google and users reformat: a typed phone number loses its plus, spaces
// come and go, e-mail addresses change case. A cell that means the same has not changed.

import { contentHash } from '../engine/object.ts';
import { cutText, visible } from '../engine/plain-text.ts';
import type { ContactField } from '../engine/row-edit.ts';
import { isCellError } from '../engine/sheet-row.ts';
import { emailIn, phoneIn } from '../mapping/phone-filter.ts';

/** Platform API, Limits: contact fields. */
const CHARS_MAX = { name: 255, email: 255, phone: 32 } as const;
/** Values that PATCH accepts (platform API, Contact). */
const LIFECYCLES: ReadonlySet<string> = new Set(['lead', 'mql', 'sql', 'customer', 'churned']);
/** A number and nothing else. Up to three digits of an international prefix may precede the 15 digits of E.164. */
const PHONE_ONLY = /^[+()\d .\-\u00a0\u2010-\u2015\u2212]{1,40}$/u;
const PHONE_DIGITS_MAX = 18;
const DIGITS_ONLY = /^\d{8,15}$/;
/** Characters read of a cell: no name, number or address is longer. */
export const CELL_TEXT_CHARS_MAX = 1_000;

export interface ReadBy {
  readonly field: ContactField;
  /** ISO 3166. */
  readonly region?: string | undefined;
  /** As in `RowEdit`. */
  readonly isNumber?: boolean | undefined;
}

/** The text of a cell, cut to a limit; a number as its digits. */
export function cellText(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  const text =
    typeof cell === 'number' && Number.isFinite(cell) ? cell.toLocaleString('en', PLAIN) : String(cell);
  return cutText(text, CELL_TEXT_CHARS_MAX);
}

/** Hash for comparing cells: equal when they mean the same. Empty for a blank cell. */
export function cellHash(text: string, by: ReadBy): string {
  return hashed(meaning(text, by));
}

/** True when the text has this hash, even if Google removed the plus from a typed number. */
export function saysSame(text: string, by: ReadBy, hash: string): boolean {
  if (cellHash(text, by) === hash) return true;
  const plain = oneLine(text);
  return by.field === 'phone' && DIGITS_ONLY.test(plain) && hashed(`+${plain}`) === hash;
}

/** The value to send to the platform; undefined when the text is unclear or invalid. */
export function wishedValue(text: string, by: ReadBy): string | undefined {
  const plain = oneLine(text);
  // The error of a formula is no content.
  if (isCellError(plain)) return undefined;
  switch (by.field) {
    case 'name':
      return plain === '' || [...plain].length > CHARS_MAX.name ? undefined : plain;
    case 'phone': {
      const phone = phoneOf(plain, by);
      return phone === undefined || phone.length > CHARS_MAX.phone ? undefined : phone;
    }
    case 'email':
      return emailIn(plain) === plain && plain.length <= CHARS_MAX.email ? plain : undefined;
    case 'lifecycle':
      return LIFECYCLES.has(plain.toLowerCase()) ? plain.toLowerCase() : undefined;
  }
}

const PLAIN = { useGrouping: false, maximumFractionDigits: 10 } as const;

function meaning(text: string, by: ReadBy): string {
  const plain = oneLine(text);
  if (by.field === 'phone') return phoneOf(plain, by) ?? plain;
  return by.field === 'name' ? plain : plain.toLowerCase();
}

/** E.164. Undefined for text that is not a phone number or is ambiguous. */
function phoneOf(typed: string, { region, isNumber }: Omit<ReadBy, 'field'>): string | undefined {
  const text = visible(typed);
  if (isNumber === true) return phoneIn(Number(text), region) || undefined;
  if (!PHONE_ONLY.test(text) || text.replaceAll(/\D/g, '').length > PHONE_DIGITS_MAX) return undefined;
  return phoneIn(text, region) || undefined;
}

function hashed(meant: string): string {
  return meant === '' ? '' : contentHash(meant);
}

function oneLine(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
}
