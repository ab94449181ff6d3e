import * as z from 'zod';
import { complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';

export interface EntriesRules {
  /** What messages call one entry: `column`. */
  readonly noun: string;
  readonly example: string;
  readonly max: number;
  /** The pattern of the names, for editors. The caller checks it: the schema would skip an entry with a bad name. */
  readonly names?: RegExp;
}

/** Entries under names that the operator chooses. An empty group is an error: it would silently do nothing. */
export function entries<Value extends z.ZodType>(value: Value, rules: EntriesRules) {
  const fix = `write one ${rules.noun} per line, for example ${rules.example}`;
  const none = complaint(`has no ${rules.noun}`, fix);
  return z
    .record(z.string(), value, complain(complaint(`must be a group of ${rules.noun}s`, fix), none))
    .refine((found) => Object.keys(found).length > 0, { error: none })
    .refine((found) => Object.keys(found).length <= rules.max, {
      error: complaint(`has more than ${rules.max} ${rules.noun}s`, 'split it'),
    })
    .meta({
      ...ofType(`one line per ${rules.noun}`),
      minProperties: 1,
      ...(rules.names ? { propertyNames: { type: 'string', pattern: rules.names.source } } : {}),
    });
}
