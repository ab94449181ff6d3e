import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Registration } from '../../cli/webhook.ts';
import { idempotencyKey } from '../../domain/idempotency-key.ts';
import type { CreateEndpoint } from '../../ports/webhook-endpoints.ts';

/** How long the platform remembers a key is not shown; a request that is older is made anew, with a key of its own. */
const RESUMED_FOR_MS = 12 * 3_600_000;

/**
 * The request that creates the endpoint, written beside the secret file before it leaves: whoever was cut off before the secret
 * was kept sends the very same key and body again, and the platform answers with the same endpoint and its secret (platform API,
 * Idempotency).
 */
export function beginRegistration(
  file: string | undefined,
  endpoint: Omit<CreateEndpoint, 'idempotencyKey'>,
  nowMs: number,
): Registration {
  const request = {
    ...endpoint,
    idempotencyKey: idempotencyKey(['webhook', JSON.stringify(endpoint), String(nowMs)]),
  };
  if (file === undefined) return { request, end() {} };
  writeFileSync(pendingFile(file), JSON.stringify({ begunAtMs: nowMs, request }), { mode: 0o600 });
  return { request, end: () => rmSync(pendingFile(file), { force: true }) };
}

/** A request for this address of which nobody knows the end. */
export function unfinishedRegistration(file: string, url: string, nowMs: number): Registration | undefined {
  const pending = pendingFile(file);
  if (!existsSync(pending)) return undefined;
  const kept = readPending(pending);
  if (kept === undefined || kept.request.url !== url || nowMs - kept.begunAtMs > RESUMED_FOR_MS)
    return undefined;
  const { request } = kept;
  return { request, end: () => rmSync(pending, { force: true }) };
}

/** A file that was cut off while it was written belongs to a request that never left. */
function readPending(
  pending: string,
): { readonly begunAtMs: number; readonly request: CreateEndpoint } | undefined {
  try {
    return JSON.parse(readFileSync(pending, 'utf8')) as ReturnType<typeof readPending>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function pendingFile(file: string): string {
  return `${file}.pending`;
}
