// Takes Google's pings. A ping says only that something in a calendar may have changed, and rings for a sync. Pings are lost, doubled and
// late by design (Google, push notifications). Anybody can send one, so only the channel's token proves that Google did.
import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CalendarCursors, Channel, ChannelStore } from '../../engine/ports/calendars.ts';
import type { Runtime } from '../../engine/ports/runtime.ts';
import { readAnyBody } from '../../platform/body.ts';

export const PING_PATH = '/webhooks/google';

/** Largest body of a ping: Google's have no body. */
const PING_BYTES_MAX = 16 * 1024;

export interface PingRouteParts extends Runtime {
  readonly channels: Pick<ChannelStore, 'get' | 'confirm'>;
  readonly cursors: Pick<CalendarCursors, 'pinged'>;
  readonly ring: (calendarId: string, ping: number) => void;
  /** Called for an unknown channel, left by an earlier installation. The ping itself names everything needed to stop it. */
  readonly onStranger: (channel: UnknownChannel) => void;
}

export interface UnknownChannel {
  readonly id: string;
  readonly resourceId: string;
  /** As written in the ping. */
  readonly calendarId: string | undefined;
}

/** A fastify plugin: `POST /webhooks/google`. Answers 204 to everything, and 503 only when Redis cannot say which channel it is. */
export function pingRoute(parts: PingRouteParts) {
  return async (app: FastifyInstance): Promise<void> => {
    readAnyBody(app);
    app.post(PING_PATH, { bodyLimit: PING_BYTES_MAX }, (request, reply) => takePing(parts, request, reply));
  };
}

async function takePing(
  parts: PingRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const outcome = await take(parts, (name) => headerOf(request, name));
    parts.meter.add('slotbridge_calendar_pings_total', { outcome });
    return reply.code(204).send();
  } catch (error) {
    parts.meter.add('slotbridge_calendar_pings_total', { outcome: 'not-taken' });
    parts.log.warn({ err: error }, 'ping of Google not taken');
    // Google sends it again. If not, the next poll finds the change.
    return reply.code(503).send();
  }
}

type PingOutcome = 'rung' | 'sync' | 'unknown-channel' | 'wrong-token' | 'no-channel';

async function take(
  parts: PingRouteParts,
  header: (name: string) => string | undefined,
): Promise<PingOutcome> {
  const id = header('x-goog-channel-id');
  if (id === undefined || id.length > CHANNEL_ID_CHARS_MAX) return 'no-channel';
  const channel = await parts.channels.get(id);
  const resourceId = header('x-goog-resource-id');
  if (channel === undefined) {
    const calendarId = calendarIn(header('x-goog-resource-uri') ?? '');
    if (resourceId !== undefined) parts.onStranger({ id, resourceId, calendarId });
    return 'unknown-channel';
  }
  if (!isSame(header('x-goog-channel-token') ?? '', channel.token)) return 'wrong-token';
  // The answer to the request may have been lost: the ping itself repeats what it said.
  if (channel.resourceId === undefined && resourceId !== undefined) {
    const expiresAtMs = expiryOf(header('x-goog-channel-expiration'), channel);
    await parts.channels.confirm(id, { resourceId, expiresAtMs });
  }
  // Polling becomes rare because pings arrive. The first one counts too, although it reports no change.
  const ping = await parts.cursors.pinged(channel.calendarId, parts.clock.now());
  // The first message of a channel says that it is open (X-Goog-Resource-State: sync). Message numbers promise no order.
  if (header('x-goog-resource-state') === 'sync') return 'sync';
  parts.ring(channel.calendarId, ping);
  return 'rung';
}

/** Longest channel id: Google's own limit (Events: watch). */
const CHANNEL_ID_CHARS_MAX = 64;

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function calendarIn(resourceUri: string): string | undefined {
  const [, name] = /\/calendars\/([^/?]+)\/events/.exec(resourceUri) ?? [];
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function expiryOf(text: string | undefined, channel: Channel): number {
  const atMs = Date.parse(text ?? '');
  return Number.isFinite(atMs) ? atMs : channel.expiresAtMs;
}
