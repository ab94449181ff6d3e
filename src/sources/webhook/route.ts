// Answers a verified delivery 2xx once its event is durable, and 503 only when it cannot be made durable. Any other answer would have the
// platform disable the endpoint after 72 hours, so what cannot be understood is kept and acknowledged.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignedScheme } from '../../domain/signing-secret.ts';
import type { TestedDelivery } from '../../domain/tested-delivery.ts';
import type { Intake } from '../../ports/intake.ts';
import type { Log, Runtime } from '../../ports/runtime.ts';
import { takeBody } from './delivery.ts';
import type { DeliveryBacklog } from './delivery-backlog.ts';
import type { DeliveryRush } from './delivery-rush.ts';
import { RingLimit } from './ring-limit.ts';
import { isSigned, verifySignature } from './signature.ts';
import { judgeTest } from './tested.ts';

export const WEBHOOK_PATH = '/webhooks/platform';

export interface WebhookRouteParts extends Runtime {
  readonly intake: Intake;
  readonly scheme: SignedScheme | 'doorbell';
  /** Lower case. */
  readonly header: string;
  /**
   * Read at each delivery: a rolled secret must be known before the platform signs with it. Without a secret, every delivery only rings.
   * Never throws: that would refuse every delivery.
   */
  readonly secrets: () => readonly string[];
  readonly toleranceMs: number;
  readonly maxBodyBytes: number;
  /** Rings for a feed walk, which reads from the platform itself what this delivery may have reported. */
  readonly ringDoorbell: () => void;
  /** Receives every scheme's verdict on a test delivery that one of them verifies. */
  readonly onTest?: (tested: TestedDelivery) => Promise<void>;
  /** Receives the verdict on the signature of every delivery that has one. */
  readonly onVerdict?: (verdict: string) => Promise<void>;
  /** Counts the deliveries that wait until they are durable. Only verified ones: strangers must not delay other work. */
  readonly rush?: DeliveryRush;
  /** Keeps deliveries in a rush; absent: every delivery is taken in before it is answered. */
  readonly backlog?: DeliveryBacklog;
}

/** A fastify plugin: `POST /webhooks/platform`. */
export function webhookRoute(parts: WebhookRouteParts) {
  return async (app: FastifyInstance): Promise<void> => {
    // The signature covers the bytes as received, so nothing may parse them first, whatever content type they claim.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    app.setErrorHandler((error, _request, reply) => refuseUnread(parts, error, reply));
    const limits = { rings: new RingLimit(parts.ringDoorbell), refusals: new RefusalLog(parts) };
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
      mustBeRead(parts, request) ? undefined : refuse(parts, limits, { verdict: 'missing', reply });
    app.post(WEBHOOK_PATH, { bodyLimit: parts.maxBodyBytes, onRequest }, (request, reply) =>
      takeDelivery(parts, limits, { request, reply }),
    );
  };
}

interface Limits {
  readonly rings: RingLimit;
  readonly refusals: RefusalLog;
}

/** An unsigned body is not worth reading, unless deliveries are not verified at all. */
function mustBeRead(parts: WebhookRouteParts, { headers }: FastifyRequest): boolean {
  return isDoorbell(parts) || isSigned(headers, parts.header);
}

function isDoorbell({ scheme, secrets }: WebhookRouteParts): boolean {
  return scheme === 'doorbell' || secrets().length === 0;
}

async function takeDelivery(
  parts: WebhookRouteParts,
  limits: Limits,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { scheme, header, toleranceMs } = parts;
  const secrets = parts.secrets();
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const delivery = { headers: request.headers, body, nowMs: parts.clock.now() };
  await noteTest(parts, delivery, secrets);
  if (scheme === 'doorbell' || secrets.length === 0) {
    parts.meter.add('slotbridge_webhooks_total', { outcome: 'doorbell' });
    limits.rings.ring();
    return reply.code(202).send({ taken: 'doorbell' });
  }
  const verdict = verifySignature({ scheme, header, secrets, toleranceMs }, delivery);
  void parts.onVerdict?.(verdict);
  if (verdict !== 'valid') return refuse(parts, limits, { verdict, reply });
  const kept = keep(parts, body.toString('utf8'), reply);
  return parts.rush === undefined ? kept : parts.rush.during(kept);
}

function refuse(
  parts: WebhookRouteParts,
  { refusals }: Limits,
  { verdict, reply }: { readonly verdict: string; readonly reply: FastifyReply },
): FastifyReply {
  parts.meter.add('slotbridge_webhooks_total', { outcome: `signature-${verdict}` });
  refusals.tell(verdict);
  return reply.code(401).send({ error: `signature-${verdict}` });
}

/** Time between two log lines about refused deliveries. */
const REFUSAL_LINE_EVERY_MS = 10_000;

/** One line now and then, however many deliveries are refused: the counter has them all. */
class RefusalLog {
  readonly #log: Log;
  #nextMs = Number.NEGATIVE_INFINITY;
  #untold = 0;

  constructor({ log }: { readonly log: Log }) {
    this.#log = log;
  }

  tell(verdict: string): void {
    this.#untold += 1;
    if (performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + REFUSAL_LINE_EVERY_MS;
    this.#log.warn({ verdict, refused: this.#untold, advice: SIGNATURE_ADVICE }, 'webhook refused');
    this.#untold = 0;
  }
}

/** Diagnostic only; never changes the reply. */
async function noteTest(
  parts: WebhookRouteParts,
  delivery: Parameters<typeof judgeTest>[1],
  secrets: readonly string[],
): Promise<void> {
  const { onTest, scheme, header, toleranceMs } = parts;
  const tested =
    onTest === undefined ? undefined : judgeTest({ scheme, header, toleranceMs, secrets }, delivery);
  if (tested !== undefined) await onTest?.(tested).catch(() => undefined);
}

const SIGNATURE_ADVICE =
  'If the platform sent it, check platform.webhook.signature and secrets; the feed walk brings the event all the same.';

async function keep(parts: WebhookRouteParts, body: string, reply: FastifyReply): Promise<FastifyReply> {
  try {
    const outcome = await (parts.backlog?.takes(body) ? parts.backlog.keep(body) : takeBody(parts, body));
    parts.meter.add('slotbridge_webhooks_total', { outcome });
    return await reply.code(200).send({ taken: outcome });
  } catch (error) {
    parts.meter.add('slotbridge_webhooks_total', { outcome: 'not-durable' });
    parts.log.error(
      { err: error, advice: 'The platform sends it again.' },
      'webhook could not be made durable',
    );
    return reply.code(503).header('retry-after', '5').send({ error: 'not-durable' });
  }
}

/**
 * The body was too large, or cut off while it was read: there is no event to keep. The platform sends it again, and the next round of the
 * feed brings it. It triggers no walk, because its sender is not proved to be the platform.
 */
function refuseUnread(parts: WebhookRouteParts, error: unknown, reply: FastifyReply): FastifyReply {
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  parts.meter.add('slotbridge_webhooks_total', { outcome: status === 413 ? 'too-large' : 'unreadable' });
  if (status >= 500) parts.log.error({ err: error }, 'webhook could not be answered');
  else parts.log.debug({ status, limitBytes: parts.maxBodyBytes }, 'webhook not read');
  return reply.code(status).send({ error: status === 413 ? 'too-large' : 'unreadable' });
}
