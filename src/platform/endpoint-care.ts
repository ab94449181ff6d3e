// Checks the worker's own webhook endpoint: does it exist, is it enabled, and is it subscribed to what the mirrors need? Reports problems.
// Time in which events may have been missed becomes a hole, because the platform never resends the events of a disabled endpoint.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { FORMATION_MS } from '../engine/coverage.ts';
import type { CoverageStore } from '../engine/coverage-store.ts';
import {
  chooseEndpoint,
  type EndpointChoice,
  endpointsAt,
  isNothing,
  type Lack,
  lackOf,
  widened,
} from '../engine/endpoint-lack.ts';
import { TerminalError, WorkerError } from '../engine/errors.ts';
import { idempotencyKey } from '../engine/ids.ts';
import type { Memory } from '../engine/memory.ts';
import { canHaveBeen, distanceMs, startedBy } from '../engine/moments.ts';
import type { PlatformKind } from '../engine/object.ts';
import type {
  CreateEndpoint,
  PlatformReader,
  Registration,
  Roll,
  WebhookEndpoint,
} from '../engine/platform.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { every, type Part } from '../engine/supervisor.ts';
import type { ApiWebhookEndpoints } from './webhook-endpoints.ts';

export interface EndpointCareParts {
  readonly endpoints: ApiWebhookEndpoints;
  readonly coverage: CoverageStore;
  readonly problems: ProblemBoard;
  readonly memory: Memory;
  /** The address that the endpoint should have. Undefined: any endpoint will do that brings the needed events into the feed. */
  readonly url: string | undefined;
  readonly kinds: readonly PlatformKind[];
  /** Projects whose events the mirrors need, as far as known. */
  readonly projects: () => readonly string[];
  /** Enable the endpoint again after the platform disabled it, and subscribe it again to what it lacks. */
  readonly reenable: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

type Chosen = EndpointChoice<WebhookEndpoint>;

const TARGET = 'webhook-endpoint';
/**
 * How far a hole reaches back before the endpoint was disabled, after failing deliveries and otherwise. The platform retried earlier failed
 * deliveries for up to 72 h (platform API, Delivery rules).
 */
const FAILING_MARGIN_MS = 72 * 3_600_000;
const MARGIN_MS = 10 * 60_000;
const OPEN_HOLE = 'endpoint-open';
const SEEN = 'endpoint-updated-at';
/** When a check last found the endpoint present, enabled and subscribed to enough. Later events may have been missed. */
const HEALTHY = 'endpoint-healthy-at';

/** The event types that mirrors of these kinds need (platform API, Event types). */
export function eventTypesFor(kinds: readonly PlatformKind[]): readonly string[] {
  return [...new Set(kinds.flatMap((kind) => EVENT_TYPES[kind]))];
}

const EVENT_TYPES: Readonly<Record<PlatformKind, readonly string[]>> = {
  appointment: [
    'appointment.created',
    'appointment.updated',
    'appointment.rescheduled',
    'appointment.cancelled',
  ],
  contact: ['contact.created', 'contact.updated', 'contact.deleted'],
  conversation: [
    'conversation.created',
    'conversation.closed',
    'conversation.reopened',
    'conversation.escalated',
    // Only this event reports another message in the conversation.
    'message.created',
  ],
  message: ['message.created', 'message.updated'],
  lead: ['lead.created', 'lead.updated'],
};

/** Checks once. Rejects with the three error families when the platform cannot be asked. */
export async function careForEndpoint(
  parts: EndpointCareParts,
): Promise<'healthy' | 'missing' | 'disabled' | 'narrow'> {
  const askedAtMs = parts.clock.now();
  const choice = chooseEndpoint(endpointsAt(await parts.endpoints.list(), parts.url), neededBy(parts));
  if (choice === undefined) return missing(parts);
  if (choice.endpoint.status !== 'enabled') return disabled(parts, choice);
  if (!isNothing(choice.lack)) return narrow(parts, choice);
  await noticeChange(parts, choice);
  await healthy(parts, askedAtMs);
  return 'healthy';
}

/** How long to wait for the endpoint check before walking the feed without it. */
const LOOK_PATIENCE_MS = 10 * 60_000;

/**
 * Handles a failed endpoint check. Rejects with the same error while it may pass. Calls `feed`, any request to the feed, and rejects with
 * its error if that is refused too. Otherwise the feed is walked anyway, because it has what webhooks lost. But it lacks events that were
 * never sent, so the time since the last healthy check is a hole.
 */
export async function endpointUnseen(
  parts: EndpointCareParts,
  error: unknown,
  feed: () => Promise<unknown>,
): Promise<void> {
  if (!(error instanceof WorkerError)) throw error;
  const healthyMs = Number((await parts.memory.get(HEALTHY)) ?? 0);
  if (distanceMs(healthyMs, parts.clock.now()) < LOOK_PATIENCE_MS) throw error;
  await feed();
  await raise(parts, {
    code: 'endpoint-unseen',
    message: `the platform does not show its webhook endpoints (${error.code})`,
    advice:
      'Ask the platform’s support if it lasts. The feed is read meanwhile, but nothing can vouch that all events are in it.',
  });
  await openHole(parts, 'endpoint-unseen', await lastHealthyMs(parts));
}

/** True when a check, in any process, has found the endpoint healthy since that moment. */
export async function isProvedSince(
  { memory, clock }: Pick<EndpointCareParts, 'memory' | 'clock'>,
  fromMs: number,
): Promise<boolean> {
  const healthyMs = Number((await memory.get(HEALTHY)) ?? 0);
  return healthyMs >= fromMs && canHaveBeen(healthyMs, clock.now());
}

/** Since when events may have been missed. Undefined: unknown, as after Redis was lost; then everything is read again. */
async function lastHealthyMs({ memory, clock }: EndpointCareParts): Promise<number | undefined> {
  const text = await memory.get(HEALTHY);
  if (text !== undefined) return startedBy(Number(text), clock.now()) - MARGIN_MS;
  // Earlier versions stored only the endpoint's last change. The endpoint was healthy then.
  const seen = await memory.get(SEEN);
  return seen === undefined ? undefined : Date.parse(seen) - MARGIN_MS;
}

async function healthy(parts: EndpointCareParts, askedAtMs: number): Promise<void> {
  await closeOpenHole(parts);
  await parts.memory.set(HEALTHY, String(askedAtMs));
  await parts.problems.clear(TARGET);
}

async function missing(parts: EndpointCareParts): Promise<'missing'> {
  await raise(parts, {
    code: 'endpoint-missing',
    message:
      parts.url === undefined
        ? 'the platform has no enabled webhook endpoint, so that its event feed stays empty'
        : 'the platform has no webhook endpoint with the address of this worker',
    advice:
      'Run `slotbridge webhook register`, or correct platform.webhook.public_url. Without one the event feed may stay empty.',
  });
  await openHole(parts, 'endpoint-missing', await lastHealthyMs(parts));
  return 'missing';
}

async function disabled(
  parts: EndpointCareParts,
  { endpoint, beside }: Chosen,
): Promise<'disabled' | 'narrow' | 'healthy'> {
  const disabledAtMs = endpoint.disabledAt === null ? parts.clock.now() : Date.parse(endpoint.disabledAt);
  const margin = endpoint.disabledReason === 'failing' ? FAILING_MARGIN_MS : MARGIN_MS;
  // It may also have been disabled and enabled before that, without a check in between.
  const sinceMs = Math.min(disabledAtMs - margin, (await lastHealthyMs(parts)) ?? disabledAtMs);
  await openHole(parts, 'endpoint-disabled', sinceMs);
  const outcome = await enable(parts, endpoint);
  if (outcome !== undefined && !(outcome instanceof TerminalError)) {
    // Checked once more before it counts as healthy, because it may lack something as well.
    const lack = lackOf(outcome, neededBy(parts), beside);
    if (!isNothing(lack)) return narrow(parts, { endpoint: outcome, beside, lack });
    await healthy(parts, parts.clock.now());
    return 'healthy';
  }
  const refused = outcome === undefined ? '' : `, and the platform refuses to enable it (${outcome.code})`;
  await raise(parts, {
    code: 'endpoint-disabled',
    message: `the webhook endpoint is disabled (${endpoint.disabledReason ?? 'no reason given'})${refused}`,
    advice:
      outcome?.advice ??
      'Run `slotbridge webhook enable`, or set platform.webhook.reenable. The worker then reads what was missed.',
  });
  return 'disabled';
}

/** Undefined when it must not be enabled. A refusal by the platform, such as for a key without rights to its events, is for a person. */
async function enable(
  { endpoints, memory, reenable, log }: EndpointCareParts,
  { id, disabledAt, disabledReason }: WebhookEndpoint,
): Promise<WebhookEndpoint | TerminalError | undefined> {
  if (!reenable || disabledReason !== 'failing') return undefined;
  try {
    const enabled = await endpoints.change(id, { status: 'enabled' });
    log.warn({ endpointId: id, since: disabledAt }, 'webhook endpoint enabled again');
    if (enabled.updatedAt !== null) await memory.set(SEEN, enabled.updatedAt);
    return enabled;
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return error;
  }
}

async function narrow(parts: EndpointCareParts, choice: Chosen): Promise<'narrow' | 'healthy'> {
  const { lack } = choice;
  // The feed holds only what an endpoint subscribes to (platform API, Event feed), so the feed lacks the same events.
  await openHole(parts, 'endpoint-narrow', await lastHealthyMs(parts));
  if (parts.reenable && (await subscribeToLack(parts, choice))) {
    await healthy(parts, parts.clock.now());
    return 'healthy';
  }
  const lacking = [
    ...lack.types,
    ...(lack.projects.length > 0 ? [`the events of project ${lack.projects.join(', ')}`] : []),
  ];
  await raise(parts, {
    code: 'endpoint-narrow',
    message: `the webhook endpoint is not subscribed to ${lacking.join(', ')}`,
    advice:
      'Run `slotbridge webhook register` again, subscribe it in the dashboard, or set platform.webhook.reenable. The worker then reads what was missed.',
  });
  return 'narrow';
}

/** False when the key may not do this, or something is still lacking. Then a person has to act. */
async function subscribeToLack(
  parts: EndpointCareParts,
  { endpoint, beside, lack }: Chosen,
): Promise<boolean> {
  const { id } = endpoint;
  try {
    const changed = await parts.endpoints.change(id, widened(endpoint, lack));
    parts.log.warn({ endpointId: id, ...lack }, 'webhook endpoint subscribed again to what it lacked');
    if (changed.updatedAt !== null) await parts.memory.set(SEEN, changed.updatedAt);
    return isNothing(lackOf(changed, neededBy(parts), beside));
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    parts.log.warn({ endpointId: id, code: error.code }, 'webhook endpoint could not be subscribed again');
    return false;
  }
}

/** Checks whether somebody changed an endpoint since the last check: it may have been disabled in between. */
async function noticeChange(parts: EndpointCareParts, { endpoint, beside }: Chosen): Promise<void> {
  const [updatedAt] = [endpoint, ...beside]
    .flatMap((each) => each.updatedAt ?? [])
    .sort((a, b) => Date.parse(b) - Date.parse(a));
  if (updatedAt === undefined) return;
  const seen = await parts.memory.get(SEEN);
  if (seen === updatedAt) return;
  const isOpen = (await parts.coverage.holes()).some((hole) => hole.id === OPEN_HOLE);
  // An open hole already reaches from the last healthy check until now.
  if (seen !== undefined && !isOpen) {
    const now = parts.clock.now();
    await parts.coverage.putHole({
      id: `endpoint-changed-${now}`,
      source: 'feed',
      fromMs: await lastHealthyMs(parts),
      toMs: now,
      cause: 'endpoint-changed',
      foundAtMs: now,
    });
  }
  await parts.memory.set(SEEN, updatedAt);
}

/** An open hole only grows back: what is found later may reach further back than what opened it. */
async function openHole(
  parts: EndpointCareParts,
  cause: 'endpoint-missing' | 'endpoint-disabled' | 'endpoint-narrow' | 'endpoint-unseen',
  fromMs: number | undefined,
): Promise<void> {
  const foundAtMs = parts.clock.now();
  const found = { id: OPEN_HOLE, source: 'feed', fromMs, toMs: undefined, cause, foundAtMs } as const;
  const open = (await parts.coverage.holes()).find((hole) => hole.id === OPEN_HOLE);
  if (open === undefined) return parts.coverage.putHole(found);
  if (open.fromMs === undefined || (fromMs !== undefined && fromMs >= open.fromMs)) return;
  await parts.coverage.putHole({ ...open, fromMs });
}

/** Gives the growing hole its end, so that the resync can take it. */
async function closeOpenHole(parts: EndpointCareParts): Promise<void> {
  const open = (await parts.coverage.holes()).find((hole) => hole.id === OPEN_HOLE);
  if (open === undefined) return;
  const toMs = parts.clock.now();
  // Stores the ended hole first: a crash in between leaves two holes, which is one resync too many and not one too few.
  await parts.coverage.putHole({ ...open, id: `endpoint-${open.foundAtMs}`, toMs });
  await parts.coverage.removeHole(OPEN_HOLE);
}

async function raise(
  parts: EndpointCareParts,
  problem: { readonly code: string; readonly message: string; readonly advice: string },
): Promise<void> {
  const isNew = !(await parts.problems.list()).some(
    (each) => each.target === TARGET && each.code === problem.code,
  );
  await parts.problems.raise({ target: TARGET, ...problem });
  if (isNew) parts.log.warn(problem, 'webhook endpoint needs care');
}

function neededBy(parts: EndpointCareParts): Lack {
  return { types: eventTypesFor(parts.kinds), projects: parts.projects() };
}

/** How often an unhealthy endpoint is checked; a person is probably repairing it. */
const UNHEALTHY_CHECK_EVERY_MS = 15_000;

export function endpointCare(parts: EndpointCareParts, everyMs: number): Part {
  return every({ name: 'endpoint care', everyMs, log: parts.log }, async () => {
    const found = await careForEndpoint(parts);
    return found === 'healthy' ? undefined : Math.min(UNHEALTHY_CHECK_EVERY_MS, everyMs);
  });
}

/**
 * Checks the endpoint before a walk through the feed, which vouches only for the time in which the endpoint was enabled. So the check must
 * come after all that the walk will cover.
 */
export async function lookBeforeWalk(
  parts: EndpointCareParts & { readonly formationMs?: number | undefined },
  reader: Pick<PlatformReader, 'eventPage'>,
): Promise<void> {
  if (await isProvedSince(parts, parts.clock.now() - (parts.formationMs ?? FORMATION_MS))) return;
  await careForEndpoint(parts).catch((error: unknown) =>
    endpointUnseen(parts, error, () => reader.eventPage({ limit: 1 })),
  );
}

// Stores the request that creates an endpoint or rolls its secret beside the secret file before the request leaves. If the process dies
// before the new secret is kept, the next one sends the same key and body. The platform then repeats its answer (platform API,
// Idempotency).

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
