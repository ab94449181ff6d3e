// The worker's own webhook endpoint is looked at: is it there, enabled, subscribed to what the mirrors need? What is wrong is said,
// and what may have been missed meanwhile becomes a hole: events of a disabled endpoint are never sent again.

import { isNothing, type Lack, lackOf, widened } from '../../domain/endpoint-lack.ts';
import type { PlatformKind } from '../../domain/entity.ts';
import { TerminalError, WorkerError } from '../../domain/errors.ts';
import { awayMs, begunBy, canHaveBeen } from '../../domain/moments.ts';
import type { CoverageStore } from '../../ports/intake.ts';
import type { Memory } from '../../ports/memory.ts';
import type { ProblemBoard } from '../../ports/operator.ts';
import type { WebhookEndpoint, WebhookEndpoints } from '../../ports/platform.ts';
import type { Clock, Log } from '../../ports/runtime.ts';

export interface EndpointCareParts {
  readonly endpoints: WebhookEndpoints;
  readonly coverage: CoverageStore;
  readonly problems: ProblemBoard;
  readonly memory: Memory;
  /** The address that the endpoint should have; undefined: any endpoint will do that brings the needed events into the feed. */
  readonly url: string | undefined;
  readonly kinds: readonly PlatformKind[];
  /** Projects whose events the mirrors need, as far as they are known. */
  readonly projects: () => readonly string[];
  /** Enable it again when the platform disabled it, and subscribe it again to what is lacking. */
  readonly reenable: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const TARGET = 'webhook-endpoint';
/** Deliveries that failed before the endpoint was disabled were tried for up to 72 h (platform API, Delivery rules). */
const FAILING_MARGIN_MS = 72 * 3_600_000;
const MARGIN_MS = 10 * 60_000;
const OPEN_HOLE = 'endpoint-open';
const SEEN = 'endpoint-updated-at';
/** The last moment at which it was seen to be there, enabled and subscribed to enough: what came later may be missed. */
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
    // Nothing else tells that the conversation has a message more.
    'message.created',
  ],
  message: ['message.created', 'message.updated'],
  lead: ['lead.created', 'lead.updated'],
};

/** Looks once. Rejects with the three error families when the platform cannot be asked. */
export async function careForEndpoint(
  parts: EndpointCareParts,
): Promise<'healthy' | 'missing' | 'disabled' | 'narrow'> {
  const askedAtMs = parts.clock.now();
  const endpoint = choose(await parts.endpoints.list(), parts);
  if (endpoint === undefined) return missing(parts);
  if (endpoint.status !== 'enabled') return disabled(parts, endpoint);
  const lack = lackIn(endpoint, parts);
  if (lack !== undefined) return narrow(parts, endpoint, lack);
  await noticeChange(parts, endpoint);
  await healthy(parts, askedAtMs);
  return 'healthy';
}

/** So long a platform that cannot be asked about the endpoint is waited for before the feed is walked without an answer. */
const LOOK_PATIENCE_MS = 10 * 60_000;

/**
 * The endpoint could not be looked at. Rejects with the same error while that may pass. Rejects with that of `feed`, which asks for
 * anything of the feed, when that is refused as well. Otherwise the feed is walked all the same, because it has what webhooks lost. But
 * events that were not sent are missing there as well, so the time since the last healthy look is a hole.
 */
export async function endpointUnseen(
  parts: EndpointCareParts,
  error: unknown,
  feed: () => Promise<unknown>,
): Promise<void> {
  if (!(error instanceof WorkerError)) throw error;
  const healthyMs = Number((await parts.memory.get(HEALTHY)) ?? 0);
  if (awayMs(healthyMs, parts.clock.now()) < LOOK_PATIENCE_MS) throw error;
  await feed();
  await raise(parts, {
    code: 'endpoint-unseen',
    message: `the platform does not show its webhook endpoints (${error.code})`,
    advice:
      'Ask the platform’s support if it lasts. The feed is read meanwhile, but nothing can vouch that all events are in it.',
  });
  await openHole(parts, 'endpoint-unseen', await lastHealthyMs(parts));
}

/** True when a look has found the endpoint healthy since that moment, in whatever process. */
export async function isProvedSince(
  { memory, clock }: Pick<EndpointCareParts, 'memory' | 'clock'>,
  fromMs: number,
): Promise<boolean> {
  const healthyMs = Number((await memory.get(HEALTHY)) ?? 0);
  return healthyMs >= fromMs && canHaveBeen(healthyMs, clock.now());
}

/** Since when anything may be missed. Undefined: nobody knows, as after Redis was lost; then everything is read again. */
async function lastHealthyMs({ memory, clock }: EndpointCareParts): Promise<number | undefined> {
  const text = await memory.get(HEALTHY);
  if (text !== undefined) return begunBy(Number(text), clock.now()) - MARGIN_MS;
  // Versions before this one remembered its last change only: it was healthy then.
  const seen = await memory.get(SEEN);
  return seen === undefined ? undefined : Date.parse(seen) - MARGIN_MS;
}

async function healthy(parts: EndpointCareParts, askedAtMs: number): Promise<void> {
  await closeOpenHole(parts);
  await parts.memory.set(HEALTHY, String(askedAtMs));
  await parts.problems.clear(TARGET);
}

/** Without an address of its own the worker lives on what others' endpoints bring into the feed. */
function choose(
  endpoints: readonly WebhookEndpoint[],
  parts: EndpointCareParts,
): WebhookEndpoint | undefined {
  const { url } = parts;
  if (url !== undefined) return endpoints.find((each) => sameAddress(each.url, url));
  const enabled = endpoints.filter((each) => each.status === 'enabled');
  return enabled.find((each) => lackIn(each, parts) === undefined) ?? enabled[0];
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
  endpoint: WebhookEndpoint,
): Promise<'disabled' | 'narrow' | 'healthy'> {
  const disabledAtMs = endpoint.disabledAt === null ? parts.clock.now() : Date.parse(endpoint.disabledAt);
  const margin = endpoint.disabledReason === 'failing' ? FAILING_MARGIN_MS : MARGIN_MS;
  // It may have been off before that as well, and on again, and nobody has looked in between.
  const sinceMs = Math.min(disabledAtMs - margin, (await lastHealthyMs(parts)) ?? disabledAtMs);
  await openHole(parts, 'endpoint-disabled', sinceMs);
  const outcome = await enable(parts, endpoint);
  if (outcome !== undefined && !(outcome instanceof TerminalError)) {
    // Before it counts as healthy it is looked at once more: it may lack something as well.
    const lack = lackIn(outcome, parts);
    if (lack !== undefined) return narrow(parts, outcome, lack);
    await healthy(parts, parts.clock.now());
    return 'healthy';
  }
  const refused = outcome === undefined ? '' : `, and the platform refuses to enable it (${outcome.code})`;
  await raise(parts, {
    code: 'endpoint-disabled',
    message: `the webhook endpoint is disabled (${endpoint.disabledReason ?? 'no reason given'})${refused}`,
    advice:
      outcome?.advice ??
      'Run `slotbridge webhook enable`, or set platform.webhook.reenable; what was missed is read again by itself.',
  });
  return 'disabled';
}

/** Undefined when it is not to be enabled. What the platform refuses, as to a key without the rights to its events, is for a person. */
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

async function narrow(
  parts: EndpointCareParts,
  endpoint: WebhookEndpoint,
  lack: Lack,
): Promise<'narrow' | 'healthy'> {
  // The feed holds only what an endpoint subscribes to (platform API, Event feed): what is lacking here is lacking there.
  await openHole(parts, 'endpoint-narrow', await lastHealthyMs(parts));
  if (parts.reenable && (await subscribeToLack(parts, endpoint, lack))) {
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
      'Run `slotbridge webhook register` again, subscribe it in the dashboard, or set platform.webhook.reenable; what was missed is read again by itself.',
  });
  return 'narrow';
}

/** False when the key may not: then a person has to. */
async function subscribeToLack(
  parts: EndpointCareParts,
  endpoint: WebhookEndpoint,
  lack: Lack,
): Promise<boolean> {
  const { id } = endpoint;
  try {
    const changed = await parts.endpoints.change(id, widened(endpoint, lack));
    parts.log.warn({ endpointId: id, ...lack }, 'webhook endpoint subscribed again to what it lacked');
    if (changed.updatedAt !== null) await parts.memory.set(SEEN, changed.updatedAt);
    return lackIn(changed, parts) === undefined;
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    parts.log.warn({ endpointId: id, code: error.code }, 'webhook endpoint could not be subscribed again');
    return false;
  }
}

/** Somebody changed the endpoint since it was last seen; it may have been off in between. */
async function noticeChange(parts: EndpointCareParts, endpoint: WebhookEndpoint): Promise<void> {
  if (endpoint.updatedAt === null) return;
  const seen = await parts.memory.get(SEEN);
  if (seen === endpoint.updatedAt) return;
  const isOpen = (await parts.coverage.holes()).some((hole) => hole.id === OPEN_HOLE);
  // What is open already reaches from the last moment of health until now.
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
  await parts.memory.set(SEEN, endpoint.updatedAt);
}

async function openHole(
  parts: EndpointCareParts,
  cause: 'endpoint-missing' | 'endpoint-disabled' | 'endpoint-narrow' | 'endpoint-unseen',
  fromMs: number | undefined,
): Promise<void> {
  const isOpen = (await parts.coverage.holes()).some((hole) => hole.id === OPEN_HOLE);
  if (isOpen) return;
  const foundAtMs = parts.clock.now();
  await parts.coverage.putHole({ id: OPEN_HOLE, source: 'feed', fromMs, toMs: undefined, cause, foundAtMs });
}

/** Gives the growing hole its end; the resync takes it from there. */
async function closeOpenHole(parts: EndpointCareParts): Promise<void> {
  const open = (await parts.coverage.holes()).find((hole) => hole.id === OPEN_HOLE);
  if (open === undefined) return;
  const toMs = parts.clock.now();
  // The ended one first: should this process die in between, there are two holes, which is one resync too many and none too few.
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

/** Undefined when it brings all that the mirrors need. */
function lackIn(endpoint: WebhookEndpoint, parts: EndpointCareParts): Lack | undefined {
  const projects = endpoint.projectIds === null ? [] : parts.projects();
  const lack = lackOf(endpoint, { types: eventTypesFor(parts.kinds), projects });
  return isNothing(lack) ? undefined : lack;
}

function sameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;
}
