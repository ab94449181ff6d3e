// Stores the request that creates an endpoint or rolls its secret beside the secret file before the request leaves. If the process dies
// before the new secret is kept, the next one sends the same key and body. The platform then repeats its answer (platform API,
// Idempotency).
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { idempotencyKey } from '../../engine/domain/ids.ts';
import type { CreateEndpoint, Registration, Roll } from '../../engine/ports/platform.ts';

/** How long a stored request is resumed; an older one gets a new key. The platform does not show how long it remembers a key. */
const RESUMED_FOR_MS = 12 * 3_600_000;

interface PendingRoll {
  readonly begunAtMs: number;
  readonly endpointId: string;
  readonly overlapHours: 1 | 24;
  readonly key: string;
}

interface PendingCreation {
  readonly begunAtMs: number;
  readonly request: CreateEndpoint;
}

/** Without `file` nothing is stored, because the terminal shows the secret. */
export function beginRegistration(
  file: string | undefined,
  endpoint: Omit<CreateEndpoint, 'idempotencyKey'>,
  nowMs: number,
): Registration {
  const key = idempotencyKey(['webhook', JSON.stringify(endpoint), String(nowMs)]);
  const request = { ...endpoint, idempotencyKey: key };
  if (file === undefined) return { request, end() {} };
  const path = creationFile(file);
  keep(path, { begunAtMs: nowMs, request } satisfies PendingCreation);
  return { request, end: () => forget(path) };
}

/** The stored request for this address, if its outcome is unknown. */
export function unfinishedRegistration(file: string, url: string, nowMs: number): Registration | undefined {
  const path = creationFile(file);
  const kept = read<PendingCreation>(path);
  if (kept === undefined || kept.request.url !== url || nowMs - kept.begunAtMs > RESUMED_FOR_MS)
    return undefined;
  return { request: kept.request, end: () => forget(path) };
}

/** Resumes the stored roll of this endpoint, or begins a new one. */
export function beginRoll(
  file: string,
  about: { readonly endpointId: string; readonly overlapHours: 1 | 24 },
  nowMs: number,
): Roll {
  const path = `${file}.rolling`;
  const known = read<PendingRoll>(path);
  const isResumed =
    known !== undefined && known.endpointId === about.endpointId && nowMs - known.begunAtMs < RESUMED_FOR_MS;
  const key = idempotencyKey(['roll', about.endpointId, String(nowMs)]);
  const pending: PendingRoll = isResumed ? known : { begunAtMs: nowMs, ...about, key };
  if (!isResumed) keep(path, pending);
  return {
    idempotencyKey: pending.key,
    overlapHours: pending.overlapHours,
    isResumed,
    end: () => forget(path),
  };
}

function creationFile(secretFile: string): string {
  return `${secretFile}.pending`;
}

function keep(path: string, pending: PendingCreation | PendingRoll): void {
  writeFileSync(path, JSON.stringify(pending), { mode: 0o600 });
}

/** A file that was cut off while it was written belongs to a request that was never sent. */
function read<Pending>(path: string): Pending | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Pending;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function forget(path: string): void {
  rmSync(path, { force: true });
}
