import * as z from 'zod';
import { complain, complaint } from '../problem.ts';
import { ofType, type Reading, readAs } from './reading.ts';

const TEMPLATE_LENGTH_MAX = 10_000;

/** A Liquid template, kept exactly as written. The renderer checks whether it parses. */
export function template(missing?: string) {
  const form = () => z.string(complain(NOT_TEMPLATE, missing)).meta(ofType('Liquid template'));
  return readAs(form, (written): Reading<string> => {
    if (written.trim() === '') return { complaint: EMPTY };
    if (written.length > TEMPLATE_LENGTH_MAX) return { complaint: TOO_LONG };
    return { value: written };
  });
}

const NOT_TEMPLATE = complaint('must be a template', 'write a text in quotes, for example "{{ name }}"');
const EMPTY = complaint('is empty', 'write a template such as "{{ name }}", or remove the line');
const TOO_LONG = complaint(`is longer than ${TEMPLATE_LENGTH_MAX} characters`, 'shorten it');
