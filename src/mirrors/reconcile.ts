// A key comes in, the state of the object is brought to every mirror that takes its kind, and the revision is settled.
// Level-based: whatever was seen meanwhile is looked at once; a failure of one mirror does not keep the others from theirs.
import { backoffMs } from '../domain/backoff.ts';
import { formatKey, parseKey } from '../domain/entity.ts';
import { DeferredError, RetryableError, TerminalError, WorkerError } from '../domain/errors.ts';
import type { Attempt, Claim, Disposition, FailureReason } from '../domain/work.ts';
import type { Clock } from '../ports/clock.ts';
import type { History } from '../ports/history.ts';
import type { Log } from '../ports/log.ts';
import type { Meter } from '../ports/meter.ts';
import type { MirrorAction, MirrorTarget } from '../ports/mirror-target.ts';
import type { PlatformReader } from '../ports/platform-reader.ts';
import type { WayBack } from '../ports/way-back.ts';
import type { WorkStore } from '../ports/work-store.ts';

export interface ReconcileParts {
  readonly work: WorkStore;
  readonly reader: PlatformReader;
  readonly targets: readonly MirrorTarget[];
  /** What people did to events is looked at before anything is written over it. */
  readonly wayBack: WayBack;
  readonly history: History;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

interface Failure {
  readonly mirror: string;
  readonly error: WorkerError;
}

/** Handles one key of the queue. Never rejects: what fails is recorded and told by the disposition. */
export async function reconcile(parts: ReconcileParts, key: string, attempt: Attempt): Promise<Disposition> {
  const startedAtMs = parts.clock.now();
  const entity = parseKey(key);
  if (entity === undefined) return { next: 'done' };
  let claim: Claim | undefined;
  const failures: Failure[] = [];
  const actions: Record<string, MirrorAction> = {};
  const turns: (number | undefined)[] = [];
  try {
    claim = await parts.work.claim(entity);
    if (claim === undefined || isSettled(claim)) return { next: 'done' };
    claim = await upToDate(parts, claim);
    const carried = await parts.wayBack.carry(claim);
    claim = carried.claim;
    failures.push(...carried.failures);
    for (const target of parts.targets) {
      if (target.from !== claim.key.kind) continue;
      // Before it decides: a moment that comes while it does must not be lost.
      turns.push(target.nextTurnAtMs?.(claim, parts.clock.now()));
      try {
        actions[target.name] = await target.reconcile(claim);
      } catch (error) {
        failures.push({ mirror: target.name, error: asWorkerError(error) });
      }
    }
    if (failures.length === 0)
      return await settle(parts, claim, { actions, startedAtMs, nextTurnAtMs: earliest(turns) });
  } catch (error) {
    failures.push({ mirror: '*', error: asWorkerError(error) });
  }
  return fail(parts, { key, claim, failures, actions, attempt, nextTurnAtMs: earliest(turns) });
}

function earliest(moments: readonly (number | undefined)[]): number | undefined {
  const set = moments.filter((moment) => moment !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

function isSettled(claim: Claim): boolean {
  return claim.desiredRev === claim.syncedRev && !claim.verify;
}

/** Reads the object when what was seen of it cannot be put in order. */
async function upToDate(parts: ReconcileParts, claim: Claim): Promise<Claim> {
  const isKnown = claim.snapshot !== undefined || claim.deleted;
  if (!claim.verify && isKnown) return claim;
  const found = await parts.reader.get(claim.key);
  if (found === undefined && !claim.deleted) await assertAbsenceIsProven(parts, claim);
  const refreshed = await parts.work.refresh(claim, { found });
  if (refreshed === undefined) throw new RetryableError('fenced', 'another handler took the object over');
  return refreshed;
}

/**
 * A 404 may mean that the object is gone or that its project is not in the key any more (platform API, general rule 2). Only the
 * first is a reason to touch a mirror, and appointments are never deleted on the platform at all.
 */
async function assertAbsenceIsProven(parts: ReconcileParts, claim: Claim): Promise<void> {
  if (claim.key.kind === 'appointment') {
    throw new TerminalError('object-not-visible', 'the platform does not show this appointment to the key', {
      target: 'platform',
      advice: 'Appointments are never deleted: see that the project of the appointment is in the API key.',
    });
  }
  const projectId = claim.projectId ?? text(claim.snapshot?.['project_id']);
  if (projectId !== undefined && (await parts.reader.isProjectVisible(projectId))) return;
  throw new TerminalError(
    'project-not-in-key',
    'the platform does not show this object, and its project is not in the key',
    {
      target: 'platform',
      advice: 'Use an API key that covers the project, then retry; nothing was deleted.',
    },
  );
}

async function settle(
  parts: ReconcileParts,
  claim: Claim,
  told: {
    actions: Record<string, MirrorAction>;
    startedAtMs: number;
    nextTurnAtMs: number | undefined;
  },
): Promise<Disposition> {
  const outcome = await parts.work.settle(claim, told.nextTurnAtMs);
  const tookMs = parts.clock.now() - told.startedAtMs;
  const fields = { key: formatKey(claim.key), rev: claim.desiredRev, actions: told.actions, tookMs, outcome };
  parts.log.info(fields, 'object mirrored');
  const done = Object.entries(told.actions).filter(([, action]) => action !== 'nothing');
  parts.history.note(fields.key, {
    what: 'mirrored',
    atMs: parts.clock.now(),
    rev: claim.desiredRev,
    actions: Object.fromEntries(done),
  });
  parts.meter.add('slotbridge_reconciled_total', { kind: claim.key.kind, outcome });
  return { next: 'done' };
}

async function fail(
  parts: ReconcileParts,
  told: {
    key: string;
    claim: Claim | undefined;
    failures: readonly Failure[];
    actions: Record<string, MirrorAction>;
    attempt: Attempt;
    nextTurnAtMs: number | undefined;
  },
): Promise<Disposition> {
  const { key, claim, failures, attempt } = told;
  const disposition = dispose(failures, attempt);
  const reasons = failures.map(toReason);
  parts.log.warn(
    { key, attempt: attempt.number, actions: told.actions, reasons, next: disposition.next },
    'object not mirrored',
  );
  parts.history.note(key, {
    what: 'failed',
    atMs: parts.clock.now(),
    attempt: attempt.number,
    reasons: reasons.map(({ mirror, code }) => ({ mirror, code })),
    next: disposition.next,
  });
  for (const { mirror, error } of failures) {
    parts.meter.add('slotbridge_failures_total', { mirror, code: error.code, family: error.family });
  }
  try {
    if (disposition.next === 'done' && claim !== undefined) {
      const letter = { key, atMs: parts.clock.now(), attempts: attempt.number, reasons };
      await parts.work.bury(claim, letter, told.nextTurnAtMs);
      parts.meter.add('slotbridge_dead_letters_total', { code: reasons[0]?.code ?? 'unknown' });
    } else if (claim !== undefined) {
      const waitMs = disposition.next === 'defer' ? disposition.afterMs : backoffMs(attempt.number);
      await parts.work.postpone(claim.key, parts.clock.now() + waitMs);
    }
  } catch {
    // The key is dirty and due: the sweep brings it back when Redis answers again.
    return { next: 'retry', code: 'store-unavailable' };
  }
  return disposition;
}

/** The most hopeful family decides: as long as something may still get through by itself, the object is no dead letter. */
function dispose(failures: readonly Failure[], attempt: Attempt): Disposition {
  const retryable = failures.find((failure) => failure.error instanceof RetryableError);
  if (retryable !== undefined && !attempt.isLast) return { next: 'retry', code: retryable.error.code };
  const deferred = failures.flatMap(({ error }) => (error instanceof DeferredError ? [error] : []));
  if (deferred.length > 0) {
    const afterMs = Math.min(...deferred.map(({ retryAfterMs }) => retryAfterMs));
    const waitsFor = deferred.flatMap(({ quota }) => (quota === undefined ? [] : [quota]));
    return { next: 'defer', afterMs, ...(waitsFor.length > 0 ? { waitsFor } : {}) };
  }
  return { next: 'done' };
}

function toReason({ mirror, error }: Failure): FailureReason {
  return {
    mirror,
    code: error.code,
    message: error.message,
    ...(error.advice === undefined ? {} : { advice: error.advice }),
    ...(error.target === undefined ? {} : { target: error.target }),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  };
}

/** A defect of ours is told by the kind of error only: its text may hold anything. */
function asWorkerError(error: unknown): WorkerError {
  if (error instanceof WorkerError) return error;
  const kind = error instanceof Error ? error.name : typeof error;
  return new RetryableError('unexpected', `unexpected ${kind}`, { cause: error });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
