import * as z from 'zod';
import { AS_WRITTEN, complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';
import { type Reading, readAs, WITH_VARIABLE } from './reading.ts';

/** `true` or `false`, also as text, because a filled variable is text. */
export function flag() {
  const form = () =>
    z
      .union([z.boolean(), z.string().meta({ pattern: `^(true|false)$|${WITH_VARIABLE}` })], complain(WRONG))
      .meta(ofType('true, false'));
  return readAs(form, (seen): Reading<boolean> => {
    const word = String(seen).trim();
    return word === 'true' || word === 'false' ? { value: word === 'true' } : { complaint: WRONG };
  });
}

const WRONG = complaint(`${AS_WRITTEN} is neither true nor false`, 'write true or false');
