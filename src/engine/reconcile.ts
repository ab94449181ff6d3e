// Takes a key, brings the state of the object to every mirror that takes its kind, and settles the revision. Level-based: one turn covers
// everything seen meanwhile. Each place of each mirror has its own due time, so that a waiting place does not delay the others.

import type { EditCarrier } from './carriers.ts';
import { asWorkerError, DeferredError, RetryableError, TerminalError, type WorkerError } from './errors.ts';
import type { Action, ClassReader, Handler, WorkQueue } from './handler.ts';
import type { History, HistoryEntry } from './history.ts';
import { openEdit } from './link.ts';
import { distanceMs } from './moments.ts';
import { parseKey, type Snapshot } from './object.ts';
import { foundOrAbsent, type PlatformReader } from './platform.ts';
import type { ProblemBoard } from './problem-board.ts';
import type { Clock, Log, Runtime } from './runtime.ts';
import type { PutOffTurns } from './sweep.ts';
import {
  type Attempt,
  type Claim,
  type Disposition,
  type FailureReason,
  holding,
  IDLE,
  isHopeless,
  isResting,
  placeKey,
  storeLast,
  type Wait,
  type Waits,
  waitAfter,
} from './work.ts';
import { isSettled, MappingOutdated, ObjectBusy, OUTDATED_PAUSE_MS, type WorkStore } from './work-store.ts';

export interface ReconcileParts extends Runtime {
  readonly work: WorkStore;
  /** Marks of the mapping by which this process works (`MappingMark.hashes`). Absent: it works by whichever mapping. */
  readonly marks?: readonly string[];
  readonly reader: PlatformReader;
  /** Absent if nothing is shown as a class. */
  readonly classes?: ClassReader;
  readonly handlers: readonly Handler[];
  /** The same in the same order, for objects that have waited for `LIVE_FOR_MS` or have not changed: their calls leave quota to fresh work. */
  readonly late?: readonly Handler[] | undefined;
  /** Judges people's changes to events before anything is written over them. */
  readonly editCarrier: EditCarrier;
  readonly history: History;
  /** Counted failures of one place before it is given up. */
  readonly attempts: number;
  /** Absent: no mirror is ever stopped. */
  readonly breaker?: Pick<MirrorBreaker, 'holding' | 'hindrance' | 'wrote' | 'failed'>;
}

interface Failure {
  readonly mirror: string;
  /** By `placeKey`. */
  readonly at: string;
  readonly error: WorkerError;
}

/** What was done and what failed in one turn. */
interface Turn {
  readonly key: string;
  readonly startedAtMs: number;
  readonly actions: Record<string, Action>;
  readonly failures: Failure[];
  /** When the object needs a turn although nothing happens to it, one moment per handler. */
  readonly moments: (number | undefined)[];
}

/** Stands in for a mirror if the object as a whole failed: no mirror had its turn. */
const WHOLE = '*';
/** What every turn tries, whatever waits: the object as a whole, and people's changes to its events. */
const isOfEveryTurn = (at: string) => at.startsWith(WHOLE);
/** Work for an object that has waited longer is part of a backlog. */
export const LIVE_FOR_MS = 2 * 60_000;
/** Pause before a turn of an object that another process has at work. */
const BUSY_PAUSE_MS = 500;
/** Pause before retrying a key whose outcome could not be recorded: Redis is unavailable, or another handler has it. */
const UNRECORDED_PAUSE_MS = 1_000;

/** Handles the keys of a queue, one each call. */
export function reconciler(parts: ReconcileParts): (key: string, attempt?: Attempt) => Promise<Disposition> {
  return (key, attempt) => reconcile(parts, key, attempt);
}

/** Handles one key of the queue. Never rejects: records each failure and returns it in the disposition. */
export async function reconcile(
  parts: ReconcileParts,
  key: string,
  { isEarly = false }: Partial<Attempt> = {},
): Promise<Disposition> {
  const entity = parseKey(key);
  if (entity === undefined) return { next: 'done' };
  const turn: Turn = { key, startedAtMs: parts.clock.now(), actions: {}, failures: [], moments: [] };
  let claim: Claim | undefined;
  /** The waits of places that had no turn now. */
  let kept: Waits = {};
  try {
    claim = await parts.work.claim(entity, parts.marks, { ifDue: isEarly });
    if (claim === undefined || isSettled(claim)) return IDLE;
    kept = claim.waits ?? {};
    claim = await upToDate(parts, claim);
    const carried = await parts.editCarrier.carry(claim);
    for (const { mirror, place, error } of carried.failures)
      turn.failures.push({ mirror, at: placeKey(`${WHOLE}${mirror}`, place), error });
    // A decision just made about events counts like a newer revision.
    const rev = carried.claim === claim ? claim.desiredRev : Number.POSITIVE_INFINITY;
    const isWaiting = Object.keys(kept).length > 0;
    if (isWaiting) kept = parts.breaker?.holding(key, kept) ?? kept;
    const waits = isWaiting ? holding(kept, { rev, nowMs: turn.startedAtMs }) : {};
    claim = { ...carried.claim, waits: kept, last: {} };
    await bringAll(parts, { ...claim, waits }, turn);
    kept = Object.fromEntries(Object.entries(waits).filter(([at]) => !isOfEveryTurn(at)));
  } catch (error) {
    if (error instanceof ObjectBusy) return { next: 'defer', afterMs: BUSY_PAUSE_MS };
    if (error instanceof MappingOutdated) return { next: 'defer', afterMs: OUTDATED_PAUSE_MS };
    // Whoever observed the change asks for a turn once it is stored.
    if (isEarly && claim === undefined) return IDLE;
    turn.failures.push({ mirror: WHOLE, at: WHOLE, error: asWorkerError(error) });
  }
  try {
    return await record(parts, turn, { claim, kept });
  } catch {
    // The key is dirty and due: the sweep brings it back once Redis answers again.
    return { next: 'defer', afterMs: UNRECORDED_PAUSE_MS };
  } finally {
    // A turn that was fenced off, or not recorded, still has its lock. If this fails, the lock expires.
    if (claim !== undefined) await parts.work.release(claim).catch(() => undefined);
  }
}

/** A failure of one place does not keep the others from their turn. */
async function bringAll(parts: ReconcileParts, claim: Claim, turn: Turn): Promise<void> {
  const { handlers, late = handlers } = parts;
  const waitedMs = turn.startedAtMs - (claim.pendingSinceMs ?? turn.startedAtMs);
  for (const handler of claim.isUnchanged || waitedMs > LIVE_FOR_MS ? late : handlers) {
    const { name, from, onlyLinkedAs } = handler;
    if (from !== claim.key.kind) continue;
    if (onlyLinkedAs !== undefined && claim.links[onlyLinkedAs] === undefined) continue;
    await storeLast(claim);
    const failed = (place: string, error: unknown) =>
      void turn.failures.push({ mirror: name, at: placeKey(name, place), error: asWorkerError(error) });
    // Before the handler decides: a moment that comes during its run must not be lost.
    turn.moments.push(handler.nextTurnAtMs?.(claim, parts.clock.now()));
    if (isResting(claim, name)) continue;
    const hindrance = await parts.breaker?.hindrance(name, turn.key);
    if (hindrance !== undefined) {
      failed('', hindrance);
      continue;
    }
    const before = turn.failures.length;
    try {
      turn.actions[name] = await handler.reconcile(claim, failed);
    } catch (error) {
      failed('', error);
    }
    await tellBreaker(parts, turn, { name, before });
  }
}

/** `before`: number of failures before the handler's turn. */
async function tellBreaker(
  { breaker }: ReconcileParts,
  { key, failures, actions }: Turn,
  { name, before }: { readonly name: string; readonly before: number },
): Promise<void> {
  if (breaker === undefined) return;
  const own = failures.splice(before);
  for (const failure of own)
    failures.push({ ...failure, error: await breaker.failed(name, key, failure.error) });
  // What is right already may never have been rendered, so it proves nothing.
  if (own.length === 0 && actions[name] !== undefined && actions[name] !== 'nothing')
    await breaker.wrote(name);
}

/** Stores how far the object got, and when its next turn is. */
async function record(
  parts: ReconcileParts,
  turn: Turn,
  { claim, kept }: { readonly claim: Claim | undefined; readonly kept: Waits },
): Promise<Disposition> {
  const nowMs = parts.clock.now();
  for (const { mirror, error } of turn.failures)
    parts.meter.add('slotbridge_failures_total', { mirror, code: error.code, family: error.family });
  if (claim === undefined) {
    noteFailures(parts, turn, { attempt: 1, next: 'retry' });
    return { next: 'defer', afterMs: UNRECORDED_PAUSE_MS };
  }
  const rev = claim.desiredRev;
  const failed: Record<string, Wait> = {};
  for (const { mirror, at, error } of turn.failures) {
    const wait = waitAfter(claim.waits?.[at], { error, reason: toReason(mirror, error), rev, nowMs });
    // If one calendar has two edits, the one that is due first decides.
    if (wait.untilMs <= (failed[at]?.untilMs ?? wait.untilMs)) failed[at] = wait;
  }
  const waits: Waits = { ...kept, ...failed };
  // While the object itself cannot be read, its places get no turn.
  const { [WHOLE]: whole } = failed;
  const open = whole === undefined ? Object.values(waits) : [whole];
  const attempt = Math.max(1, ...open.map(({ attempts }) => attempts));
  if (open.length === 0) return settle(parts, claim, turn);
  await storeLast(claim);
  // A row that is only queued has reached no one yet; the turn that ends the work notes it.
  if (Object.values(turn.actions).some((action) => action !== 'nothing' && action !== 'queued'))
    parts.history.note(turn.key, actionsEntry(parts, turn, rev));
  if (open.every((wait) => isHopeless(wait, parts.attempts))) {
    const reasons = open.map(({ reason }) => reason);
    const letter = { key: turn.key, atMs: nowMs, attempts: attempt, reasons };
    const buried = await parts.work.deadLetter(claim, letter, earliest(turn.moments));
    noteFailures(parts, turn, { attempt, next: buried === 'fenced' ? 'defer' : 'done' });
    if (buried === 'fenced') return { next: 'defer', afterMs: UNRECORDED_PAUSE_MS };
    parts.meter.add('slotbridge_dead_letters_total', { code: reasons[0]?.code ?? 'unknown' });
    return buried === 'dirty' ? IDLE : { next: 'done' };
  }
  noteFailures(parts, turn, {
    attempt,
    next: open.some(({ family }) => family === 'retryable') ? 'retry' : 'defer',
  });
  // A stop that ended during this turn has already recalled those who waited for it.
  const isRecalled =
    Object.keys(waits).length > Object.keys(parts.breaker?.holding(turn.key, waits) ?? waits).length;
  const untilMs = Math.min(
    ...open.map((wait) => wait.untilMs),
    isRecalled ? nowMs : Number.POSITIVE_INFINITY,
    earliest(turn.moments) ?? Number.POSITIVE_INFINITY,
  );
  const outcome = await parts.work.postpone(claim, { waits, untilMs });
  // The newer change has already queued its own turn.
  if (outcome === 'dirty') return IDLE;
  if (outcome === 'fenced') return { next: 'defer', afterMs: UNRECORDED_PAUSE_MS };
  const quotas = open.flatMap(({ quota }) => (quota === undefined ? [] : [quota]));
  const waitsFor = quotas.length > 0 ? { waitsFor: quotas } : {};
  const afterMs = Math.max(0, untilMs - nowMs);
  const retryable = turn.failures.find(({ error }) => error instanceof RetryableError);
  if (retryable === undefined) return { next: 'defer', afterMs, ...waitsFor };
  return { next: 'retry', code: retryable.error.code, afterMs, ...waitsFor };
}

function earliest(moments: readonly (number | undefined)[]): number | undefined {
  let first: number | undefined;
  for (const moment of moments)
    if (moment !== undefined && moment < (first ?? Number.POSITIVE_INFINITY)) first = moment;
  return first;
}

/** Reads the object if what was seen of it cannot be ordered. */
async function upToDate(parts: ReconcileParts, claim: Claim): Promise<Claim> {
  if (claim.key.kind === 'class') return parts.classes?.read(claim) ?? claim;
  // Only its place can show what people typed. If its content is no longer kept, the decision about it remains valid.
  const isKnown = claim.snapshot !== undefined || claim.deleted || claim.key.kind === 'booking';
  if (!claim.verify && isKnown) return claim;
  return parts.work.refresh(claim, { found: await foundNow(parts, claim) });
}

/**
 * A 404 may mean that the object is gone, or that its project is no longer in the key (platform API, general rule 2). Only the first is a
 * reason to touch a mirror, and the platform never deletes appointments at all.
 */
async function foundNow({ reader }: ReconcileParts, claim: Claim): Promise<Snapshot | undefined> {
  const { key } = claim;
  const ask = () => reader.get(key);
  if (claim.deleted) return ask();
  const projectId = claim.projectId ?? claim.snapshot?.['project_id'];
  const seen = key.kind === 'appointment' ? await ask() : await foundOrAbsent(reader, projectId, ask);
  if (seen === 'absent') return undefined;
  if (seen === undefined) {
    throw new TerminalError('object-not-visible', 'the platform does not show this appointment to the key', {
      target: 'platform',
      advice: 'Appointments are never deleted: see that the project of the appointment is in the API key.',
    });
  }
  if (seen !== 'hidden') return seen;
  throw new TerminalError(
    'project-not-in-key',
    'the platform does not show this object, and its project is not in the key',
    {
      target: 'platform',
      advice: 'Use an API key that covers the project, then retry; nothing was deleted.',
    },
  );
}

async function settle(parts: ReconcileParts, claim: Claim, turn: Turn): Promise<Disposition> {
  const { key, actions } = turn;
  const entry = actionsEntry(parts, turn, claim.desiredRev);
  const outcome = await parts.work.settle(claim, earliest(turn.moments), entry);
  const tookMs = parts.clock.now() - turn.startedAtMs;
  parts.log.info({ key, rev: claim.desiredRev, actions, tookMs, outcome }, 'object mirrored');
  if (outcome === 'fenced') parts.history.note(key, entry);
  parts.meter.add('slotbridge_reconciled_total', { kind: claim.key.kind, outcome });
  if (outcome === 'fenced') return { next: 'defer', afterMs: UNRECORDED_PAUSE_MS };
  return outcome === 'dirty' ? IDLE : { next: 'done' };
}

/** What was written, even if something else remains to be written. */
function actionsEntry({ clock }: ReconcileParts, { actions }: Turn, rev: number): HistoryEntry {
  const done: Record<string, Action> = {};
  for (const [mirror, action] of Object.entries(actions)) if (action !== 'nothing') done[mirror] = action;
  return { what: 'mirrored', atMs: clock.now(), rev, actions: done };
}

function noteFailures(
  { log, history, clock }: ReconcileParts,
  { key, failures, actions }: Turn,
  { attempt, next }: { readonly attempt: number; readonly next: 'retry' | 'defer' | 'done' },
): void {
  // Places that only wait were reported when they failed.
  if (failures.length === 0) return;
  const reasons = failures.map(({ mirror, error }) => toReason(mirror, error));
  log.warn({ key, attempt, actions, reasons, next }, 'object not mirrored');
  const codes = reasons.map(({ mirror, code }) => ({ mirror, code }));
  history.note(key, { what: 'failed', atMs: clock.now(), attempt, reasons: codes, next });
}

function toReason(mirror: string, error: WorkerError): FailureReason {
  return {
    mirror,
    code: error.code,
    message: error.message,
    ...(error.advice === undefined ? {} : { advice: error.advice }),
    ...(error.target === undefined ? {} : { target: error.target }),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  };
}

/**
 * Carries edits back to the platform: of contacts from rows, of appointments from calendars and rows. What the object holds decides, not the
 * YAML: a request that was begun still ends after its mirror has left.
 */
export function carriersInTurn(carriers: {
  readonly contactRows: EditCarrier;
  readonly appointmentRows: EditCarrier;
  readonly events: EditCarrier;
}): EditCarrier {
  const { contactRows, appointmentRows, events } = carriers;
  return {
    async carry(claim) {
      const isContact = claim.key.kind === 'contact';
      // In sequence: each judges by what the other has left on the platform.
      const after = hasEdits(claim) ? await events.carry(claim) : { claim, failures: [] };
      const { rowEdits = [], rowNotes = {} } = after.claim;
      if (rowEdits.length === 0 && Object.keys(rowNotes).length === 0) return after;
      const { claim: last, failures } = await (isContact ? contactRows : appointmentRows).carry(after.claim);
      return { claim: last, failures: [...after.failures, ...failures] };
    },
  };
}

/** Whether people changed an event of the object, or a decision about one is open. */
export function hasEdits({ key, snapshot, deleted, sightings, links }: Claim): boolean {
  if ((key.kind !== 'appointment' && key.kind !== 'class') || deleted || snapshot === undefined) return false;
  if (sightings.length > 0) return true;
  return Object.values(links).some(({ calendars = [] }) =>
    calendars.some((link) => openEdit(link) !== undefined),
  );
}

// Stops a mirror that one cause makes fail for each object, such as a template. Otherwise each object would become a dead letter. While a
// mirror is stopped, its objects wait in the dirty set. A reload starts anew; a success ends the stop, and then all of them get their turn.

export interface MirrorBreakerParts {
  /** Names of the mirrors of the YAML. Other handlers are never stopped. */
  readonly mirrors: readonly string[];
  /** Where the YAML has a setting, for people: its path, and its line if known. */
  readonly placeOf: (path: readonly string[]) => string;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear' | 'list' | 'mayTry'>;
  readonly putOff: PutOffTurns;
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Objects in a row that fail for the same reason before their mirror stops, if none was written between them. */
const FAILURES_MAX = 20;
/** Within this time: a few odd objects over days are no common cause. */
const FAILURES_WINDOW_MS = 10 * 60_000;
/** How long an object waits if nothing ends the stop. A start recalls whatever waits that long. */
const STOPPED_FOR_MS = 60 * 60_000;
/** How many objects that wait may try at once, and how many are remembered. */
const TRIES_AT_ONCE = 20;
const WAITING_MAX = 1_000;
/** Pause before another object may try. Each failed try doubles it, and each stop that soon follows another one, up to the longest. */
const TRY_EVERY_MS = 15_000;
const TRY_EVERY_MS_MAX = 30 * 60_000;
/** A stop this soon after the last one has the same cause. */
const SOON_MS = 60 * 60_000;

export const MIRROR_STOPPED = 'mirror-stopped';

interface Row {
  readonly cause: string;
  readonly sinceMs: number;
  readonly keys: Set<string>;
}

interface Stop {
  /** The objects that failed. Another turn of theirs was asked for, so it is not held back. */
  readonly failed: ReadonlySet<string>;
  /** Objects that wait; the last one tries first. */
  readonly waiting: string[];
  /** Objects that try: given a turn for it, at work in that turn, or the one that had a turn when the pause was over. */
  calls: Map<string, 'called' | 'begun' | 'alone'>;
  pauseMs: number;
  tryAtMs: number;
  /** Its problem stands on the board. */
  isTold: boolean;
}

export class MirrorBreaker {
  readonly #parts: MirrorBreakerParts;
  readonly #mirrors: ReadonlySet<string>;
  readonly #rows = new Map<string, Row>();
  readonly #stops = new Map<string, Stop>();
  /** Mirrors that have written an object since the last look. */
  readonly #written = new Set<string>();
  /** The last stop of each mirror: its end, epoch ms, and its pause. */
  readonly #ended = new Map<string, { readonly atMs: number; readonly pauseMs: number }>();

  constructor(parts: MirrorBreakerParts) {
    this.#parts = parts;
    this.#mirrors = new Set(parts.mirrors);
  }

  /** The waits of an object that still hold: those for a stop that has ended do not, nor does one that is to try. */
  holding(key: string, waits: Waits): Waits {
    return Object.fromEntries(
      Object.entries(waits).filter(([, { reason }]) => {
        const stop = this.#stops.get(reason.mirror);
        if (reason.code !== MIRROR_STOPPED) return true;
        if (stop === undefined || stop.calls.get(key) === 'called') return false;
        // It may wait since an earlier stop, and has not asked since this one began.
        if (!stop.waiting.includes(key)) wait(stop, key);
        return true;
      }),
    );
  }

  /** Undefined: the mirror takes the object now. */
  async hindrance(mirror: string, key: string): Promise<DeferredError | undefined> {
    const stop = this.#stops.get(mirror);
    if (stop === undefined || stop.failed.has(key)) return undefined;
    if (stop.calls.get(key) === 'called') {
      stop.calls.set(key, 'begun');
      return undefined;
    }
    if (await this.#mayTry(mirror, stop)) {
      stop.calls.set(key, 'alone');
      return undefined;
    }
    wait(stop, key);
    return stoppedError(mirror);
  }

  /** Once the pause is over, objects that wait get a turn: otherwise a company in which nothing changes would wait for the hour. */
  async tryWaiting(): Promise<void> {
    for (const mirror of [...this.#written]) {
      // The worker that stopped it may be gone.
      await this.#parts.problems.clear(targetOf(mirror));
      this.#written.delete(mirror);
    }
    const stops = [...this.#stops].filter(([, { isTold }]) => isTold);
    if (stops.length === 0) return;
    const problems = new Set((await this.#parts.problems.list()).map(({ target }) => target));
    for (const [mirror, stop] of stops) {
      // Another worker saw a success, and ended the problem. A stop that nobody can see would hold objects back in silence (P8).
      if (!problems.has(targetOf(mirror)) && this.#stops.get(mirror) === stop) await this.#end(mirror);
      if (this.#stops.get(mirror) !== stop) continue;
      if (stop.waiting.length === 0 || !(await this.#mayTry(mirror, stop))) continue;
      const keys = stop.waiting.splice(-TRIES_AT_ONCE);
      stop.calls = new Map(keys.map((key) => [key, 'called']));
      lengthen(stop, this.#parts.clock.now());
      this.#parts.queue.add(keys);
    }
  }

  /** Call when the mirror has written an object. */
  async wrote(mirror: string): Promise<void> {
    this.#rows.delete(mirror);
    this.#written.add(mirror);
    if (this.#stops.has(mirror)) await this.#end(mirror);
  }

  /** Call when an object failed. Resolves with the error to record: while its mirror is stopped, an object waits instead. */
  async failed(mirror: string, key: string, error: WorkerError): Promise<WorkerError> {
    if (!this.#mirrors.has(mirror) || !(error instanceof TerminalError)) return error;
    const stop = this.#stops.get(mirror);
    if (stop !== undefined) {
      if (stop.failed.has(key)) return error;
      // Turns that were under way when the stop began prove nothing new, and the call of many has lengthened the pause already.
      if (stop.calls.get(key) === 'alone') lengthen(stop, this.#parts.clock.now());
      wait(stop, key, { isLast: true });
      return stoppedError(mirror);
    }
    const nowMs = this.#parts.clock.now();
    const cause = [error.code, ...error.setting].join(' ');
    const known = this.#rows.get(mirror);
    const isSame = known?.cause === cause && distanceMs(known.sinceMs, nowMs) < FAILURES_WINDOW_MS;
    const row = isSame ? known : { cause, sinceMs: nowMs, keys: new Set<string>() };
    row.keys.add(key);
    this.#rows.set(mirror, row);
    if (row.keys.size >= FAILURES_MAX) await this.#stop(mirror, row, error);
    return error;
  }

  async #stop(mirror: string, { keys }: Row, error: TerminalError): Promise<void> {
    const { problems, placeOf, clock, log } = this.#parts;
    const nowMs = clock.now();
    const last = this.#ended.get(mirror);
    const isSoon = last !== undefined && distanceMs(last.atMs, nowMs) < SOON_MS;
    const pauseMs = isSoon ? Math.min(2 * last.pauseMs, TRY_EVERY_MS_MAX) : TRY_EVERY_MS;
    const stop: Stop = {
      failed: keys,
      waiting: [],
      calls: new Map(),
      pauseMs,
      tryAtMs: nowMs + pauseMs,
      isTold: false,
    };
    this.#stops.set(mirror, stop);
    this.#rows.delete(mirror);
    this.#written.delete(mirror);
    const setting = ['mirrors', mirror, ...error.setting];
    const where = placeOf(setting);
    log.error({ mirror, code: error.code, where }, 'a mirror has stopped');
    await problems.raise({
      target: targetOf(mirror),
      code: MIRROR_STOPPED,
      message: `${keys.size} objects in a row failed at ${where} (${error.code}): the mirror has stopped, and its objects wait`,
      names: [setting.join('.'), error.code],
      advice: `Correct ${where}, then reload. Or retry one of the dead letters: the first success lets the mirror continue.`,
    });
    stop.isTold = true;
  }

  async #mayTry(mirror: string, stop: Stop): Promise<boolean> {
    const { problems, clock } = this.#parts;
    const nowMs = clock.now();
    // A clock that was set back must not hold back tries.
    if (nowMs < stop.tryAtMs && stop.tryAtMs - nowMs <= stop.pauseMs) return false;
    stop.tryAtMs = nowMs + stop.pauseMs;
    const may = await problems.mayTry(targetOf(mirror));
    // Another worker has seen a success, or began anew.
    if (may === 'free') await this.#end(mirror);
    return may !== false;
  }

  async #end(mirror: string): Promise<void> {
    const { problems, putOff, clock, log } = this.#parts;
    const pauseMs = this.#stops.get(mirror)?.pauseMs ?? TRY_EVERY_MS;
    this.#stops.delete(mirror);
    const nowMs = clock.now();
    this.#ended.set(mirror, { atMs: nowMs, pauseMs });
    await problems.clear(targetOf(mirror));
    const objects = await putOff.recall(nowMs, nowMs);
    log.info({ mirror, objects }, 'a stopped mirror continues');
  }
}

function lengthen(stop: Stop, nowMs: number): void {
  stop.pauseMs = Math.min(2 * stop.pauseMs, TRY_EVERY_MS_MAX);
  stop.tryAtMs = nowMs + stop.pauseMs;
}

/** `isLast`: it has just tried. Keys beyond the limit are forgotten, those to try last first: they wait for the end of the stop, or for their hour. */
function wait({ waiting }: Stop, key: string, { isLast = false } = {}): void {
  const at = waiting.indexOf(key);
  if (at >= 0) waiting.splice(at, 1);
  if (isLast) waiting.unshift(key);
  else waiting.push(key);
  if (waiting.length > WAITING_MAX) waiting.shift();
}

function targetOf(mirror: string): string {
  return `mirror:${mirror}`;
}

function stoppedError(mirror: string): DeferredError {
  return new DeferredError(
    MIRROR_STOPPED,
    'the mirror has stopped, because one cause made each object fail',
    {
      target: targetOf(mirror),
      retryAfterMs: STOPPED_FOR_MS,
    },
  );
}
