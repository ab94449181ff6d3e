import * as z from 'zod';
import { complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';
import { type Reading, readAs } from './reading.ts';

const TEXT_LENGTH_MAX = 2_000;

export interface TextRules {
  /** Complaint when nothing is written. */
  readonly missing?: string;
  readonly pattern?: RegExp;
  /** Complaint when the pattern does not match. */
  readonly wrong?: string;
}

/** One line of text, trimmed: a key read from a file often ends in a line break. */
export function text(rules: TextRules = {}) {
  const form = () => z.string(complain(NOT_TEXT, rules.missing)).meta(ofType('text'));
  return readAs(form, (written): Reading<string> => {
    const value = written.trim();
    if (value === '') return { complaint: complaint('is empty', 'give it a value, or remove the line') };
    if (value.length > TEXT_LENGTH_MAX) return { complaint: TOO_LONG };
    if (/\p{Cc}/u.test(value)) return { complaint: NOT_ONE_LINE };
    if (rules.pattern && !rules.pattern.test(value)) return { complaint: rules.wrong ?? NOT_TEXT };
    return { value };
  });
}

const NOT_TEXT = complaint(
  'must be a text',
  'write it as a text; one that looks like a number, true or null needs quotes',
);
const TOO_LONG = complaint(`is longer than ${TEXT_LENGTH_MAX} characters`, 'shorten it');
const NOT_ONE_LINE = complaint('contains line breaks or control characters', 'write it in one line');
