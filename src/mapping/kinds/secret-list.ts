import * as z from 'zod';
import { complain, complaint } from '../complaint.ts';
import { ofType } from './explained.ts';

const SECRETS_MAX = 20;

/** One secret or a list of them, trimmed. Empty ones are dropped: `${NAME:-}` is a secret that is not set yet. */
export function secretList() {
  return z
    .union(
      [z.string(), z.array(z.string().nullable()).max(SECRETS_MAX, { error: NOT_SECRETS })],
      complain(NOT_SECRETS),
    )
    .meta(ofType('text or list of texts'))
    .transform((written) => [written].flat().flatMap((secret) => secret?.trim() || []));
}

const NOT_SECRETS = complaint(
  `must be a list of at most ${SECRETS_MAX} texts`,
  `write secrets: ["\${PLATFORM_WEBHOOK_SECRET:-}"]`,
);
