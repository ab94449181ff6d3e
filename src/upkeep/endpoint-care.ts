// The worker's own webhook endpoint is looked at: is it there, enabled, subscribed to what the mirrors need? What is wrong is said,
// and what may have been missed meanwhile becomes a hole: events of a disabled endpoint are never sent again.
import type { PlatformKind } from '../domain/entity.ts';
import type { Clock } from '../ports/clock.ts';
import type { CoverageStore } from '../ports/coverage-store.ts';
import type { Log } from '../ports/log.ts';
import type { Memory } from '../ports/memory.ts';
import type { ProblemBoard } from '../ports/problem-board.ts';
import type { WebhookEndpoint, WebhookEndpoints } from '../ports/webhook-endpoints.ts';

export interface EndpointCareParts {
  readonly endpoints: WebhookEndpoints;
  readonly coverage: CoverageStore;
  readonly problems: ProblemBoard;
  readonly memory: Memory;
  /** The address that the endpoint should have; undefined: any endpoint will do that brings the needed events into the feed. */
  readonly url: string | undefined;
  readonly kinds: readonly PlatformKind[];
  /** Enable it again when the platform disabled it. */
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
  const endpoint = choose(await parts.endpoints.list(), parts);
  if (endpoint === undefined) return missing(parts);
  if (endpoint.status !== 'enabled') return disabled(parts, endpoint);
  await noticeChange(parts, endpoint);
  const lacking = lackingTypes(endpoint, parts.kinds);
  if (lacking.length > 0) return narrow(parts, lacking);
  await closeOpenHole(parts);
  await parts.problems.clear(TARGET);
  return 'healthy';
}

/** Without an address of its own the worker lives on what others' endpoints bring into the feed. */
function choose(
  endpoints: readonly WebhookEndpoint[],
  parts: EndpointCareParts,
): WebhookEndpoint | undefined {
  const { url, kinds } = parts;
  if (url !== undefined) return endpoints.find((each) => sameAddress(each.url, url));
  const enabled = endpoints.filter((each) => each.status === 'enabled');
  return enabled.find((each) => lackingTypes(each, kinds).length === 0) ?? enabled[0];
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
  await openHole(parts, 'endpoint-missing', parts.clock.now());
  return 'missing';
}

async function disabled(
  parts: EndpointCareParts,
  endpoint: WebhookEndpoint,
): Promise<'disabled' | 'healthy'> {
  const since = endpoint.disabledAt === null ? parts.clock.now() : Date.parse(endpoint.disabledAt);
  const margin = endpoint.disabledReason === 'failing' ? FAILING_MARGIN_MS : MARGIN_MS;
  await openHole(parts, 'endpoint-disabled', since - margin);
  if (parts.reenable && endpoint.disabledReason === 'failing') {
    const enabled = await parts.endpoints.change(endpoint.id, { status: 'enabled' });
    parts.log.warn({ endpointId: endpoint.id, since: endpoint.disabledAt }, 'webhook endpoint enabled again');
    if (enabled.updatedAt !== null) await parts.memory.set(SEEN, enabled.updatedAt);
    await closeOpenHole(parts);
    await parts.problems.clear(TARGET);
    return 'healthy';
  }
  await raise(parts, {
    code: 'endpoint-disabled',
    message: `the webhook endpoint is disabled (${endpoint.disabledReason ?? 'no reason given'})`,
    advice:
      'Run `slotbridge webhook enable`, or set platform.webhook.reenable; what was missed is read again by itself.',
  });
  return 'disabled';
}

async function narrow(parts: EndpointCareParts, lacking: readonly string[]): Promise<'narrow'> {
  await raise(parts, {
    code: 'endpoint-narrow',
    message: `the webhook endpoint is not subscribed to ${lacking.join(', ')}`,
    advice: 'Run `slotbridge webhook register` again, or subscribe it in the dashboard.',
  });
  // The feed holds only what an endpoint subscribes to (platform API, Event feed): what is lacking here is lacking there.
  await openHole(parts, 'endpoint-narrow', parts.clock.now());
  return 'narrow';
}

/** Somebody changed the endpoint since it was last seen; it may have been off in between. */
async function noticeChange(parts: EndpointCareParts, endpoint: WebhookEndpoint): Promise<void> {
  if (endpoint.updatedAt === null) return;
  const seen = await parts.memory.get(SEEN);
  if (seen === endpoint.updatedAt) return;
  if (seen !== undefined) {
    const now = parts.clock.now();
    await parts.coverage.putHole({
      id: `endpoint-changed-${now}`,
      source: 'feed',
      fromMs: Date.parse(seen) - MARGIN_MS,
      toMs: now,
      cause: 'endpoint-changed',
      foundAtMs: now,
    });
  }
  await parts.memory.set(SEEN, endpoint.updatedAt);
}

async function openHole(
  parts: EndpointCareParts,
  cause: 'endpoint-missing' | 'endpoint-disabled' | 'endpoint-narrow',
  fromMs: number,
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

function lackingTypes(endpoint: WebhookEndpoint, kinds: readonly PlatformKind[]): readonly string[] {
  if (endpoint.enabledEvents.includes('*')) return [];
  return eventTypesFor(kinds).filter((type) => !endpoint.enabledEvents.includes(type));
}

function sameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;
}
