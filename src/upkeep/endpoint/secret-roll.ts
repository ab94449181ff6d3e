import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Roll } from '../../cli/webhook-secret.ts';
import { idempotencyKey } from '../../domain/idempotency-key.ts';

/** How long the platform remembers a key is not shown; a request that is older is made anew, with a key of its own. */
const RESUMED_FOR_MS = 12 * 3_600_000;

interface Pending {
  readonly begunAtMs: number;
  readonly endpointId: string;
  readonly overlapHours: 1 | 24;
  readonly key: string;
}

/**
 * The request that rolls a secret, written beside the secret file before it leaves: whoever was cut off before the new secret was kept
 * sends the very same request again, and the platform answers with the same secret (platform API, Idempotency).
 */
export function beginRoll(
  file: string,
  about: { readonly endpointId: string; readonly overlapHours: 1 | 24 },
  nowMs: number,
): Roll {
  const path = `${file}.rolling`;
  const known = existsSync(path) ? readPending(path) : undefined;
  const isResumed =
    known !== undefined && known.endpointId === about.endpointId && nowMs - known.begunAtMs < RESUMED_FOR_MS;
  const key = idempotencyKey(['roll', about.endpointId, String(nowMs)]);
  const pending: Pending = isResumed ? known : { begunAtMs: nowMs, ...about, key };
  if (!isResumed) writeFileSync(path, JSON.stringify(pending), { mode: 0o600 });
  return {
    idempotencyKey: pending.key,
    overlapHours: pending.overlapHours,
    isResumed,
    end: () => rmSync(path, { force: true }),
  };
}

/** A file that was cut off while it was written belongs to a request that never left. */
function readPending(path: string): Pending | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Pending;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
