// Answers a verified delivery 2xx once its event is durable, and 503 only when it cannot be made durable. Any other answer would have the
// platform disable the endpoint after 72 hours, so what cannot be understood is kept and acknowledged.

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Memory } from '../engine/memory.ts';
import { readFact } from '../engine/object.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Runtime } from '../engine/runtime.ts';
import type { SignedScheme, TestedDelivery } from '../engine/signing-secret.ts';
import {
  checkSignature,
  type DeliveryBacklog,
  type DeliveryBackpressure,
  type DeliveryLog,
  type DeliveryVerdict,
  isEventLike,
  isSigned,
  parseDelivery,
  type Taken,
  type TakeParts,
  takeBody,
  verifySignature,
} from './webhook-delivery.ts';

/**
 * Reads every body in this scope as bytes, whatever content type the sender claims. Intermediaries drop, double or rewrite that header, and
 * a refusal for it would end with a disabled endpoint or a calendar without pings.
 */
export function readAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // fastify refuses a type of the wrong form before it looks for a parser.
  app.addHook('onRequest', async ({ raw }) => {
    raw.headers['content-type'] = undefined;
  });
}

export const WEBHOOK_PATH = '/webhooks/platform';

export interface WebhookRouteParts extends Runtime, TakeParts {
  readonly scheme: SignedScheme | 'doorbell';
  /** Lower case. */
  readonly header: string;
  /**
   * Read at each delivery: a rolled secret must be known before the platform signs with it. Without a secret, every delivery only wakes.
   * Never throws: that would refuse every delivery.
   */
  readonly secrets: () => readonly string[];
  readonly toleranceMs: number;
  readonly maxBodyBytes: number;
  /** Wakes a feed walk, which reads from the platform itself what this delivery may have reported. */
  readonly wakeFeed: () => void;
  /** How many of the secrets the YAML has; those of the file follow. */
  readonly yamlSecrets?: number;
  /** What people read of the newest deliveries. */
  readonly received?: DeliveryLog;
  /** Receives every scheme's verdict on a test delivery that one of them verifies. */
  readonly onTest?: (tested: TestedDelivery) => Promise<void>;
  /** Counts the deliveries that wait until they are durable. Only verified ones: strangers must not delay other work. */
  readonly backpressure?: DeliveryBackpressure;
  /** Keeps deliveries under backpressure; absent: every delivery is taken in before it is answered. */
  readonly backlog?: DeliveryBacklog;
}

/** A fastify plugin: `POST /webhooks/platform`. */
export function webhookRoute(parts: WebhookRouteParts) {
  return async (app: FastifyInstance): Promise<void> => {
    // The signature covers the bytes as received, so nothing may parse them first.
    readAnyBody(app);
    app.setErrorHandler((error, request, reply) => refuseUnread(parts, error, { request, reply }));
    const wakes = new WakeLimit(parts.wakeFeed);
    const limits = { wakes, looks: new LookLimit(), refused: new RareLine(), notDurable: new RareLine() };
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
      // An unsigned body is worth no more than a look now and then, unless deliveries are not verified at all.
      isSigned(request.headers, parts.header) ||
      isDoorbell(parts) ||
      (isShort(parts, request) && limits.looks.mayLook())
        ? undefined
        : refuse(parts, limits, { verdict: 'missing', reply });
    app.post(WEBHOOK_PATH, { bodyLimit: parts.maxBodyBytes, onRequest }, (request, reply) =>
      takeDelivery(parts, limits, { request, reply }),
    );
  };
}

interface Limits {
  readonly wakes: WakeLimit;
  readonly looks: LookLimit;
  readonly refused: RareLine;
  readonly notDurable: RareLine;
}

function isShort({ maxBodyBytes }: WebhookRouteParts, { headers }: FastifyRequest): boolean {
  return Number(headers['content-length']) <= maxBodyBytes;
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
    parts.received?.count('doorbell');
    limits.wakes.wake();
    return reply.code(202).send({ taken: 'doorbell' });
  }
  const { verdict, secret = 0 } = checkSignature({ scheme, header, secrets, toleranceMs }, delivery);
  if (verdict !== 'valid') {
    const refused = isCompressed(request.headers) ? 'compressed' : verdict;
    const isDelivery = isSigned(request.headers, header) || isEventLike(body.toString('utf8'));
    if (isDelivery) void parts.onVerdict?.(refused);
    return refuse(parts, limits, { verdict: refused, reply });
  }
  const kept = keep(parts, limits, { body: body.toString('utf8'), secret, reply });
  return parts.backpressure === undefined ? kept : parts.backpressure.during(kept);
}

function refuse(
  parts: WebhookRouteParts,
  { refused }: Limits,
  { verdict, reply }: { readonly verdict: Refused; readonly reply: FastifyReply },
): FastifyReply {
  const outcome = verdict === 'compressed' ? verdict : `signature-${verdict}`;
  parts.meter.add('slotbridge_webhooks_total', { outcome });
  refused.tell((deliveries) => {
    const advice = `${REFUSALS[verdict].advice} The feed walk brings the event all the same.`;
    parts.log.warn({ verdict, refused: deliveries, advice }, 'webhook refused');
  });
  if (verdict === 'compressed') reply.code(415).header('accept-encoding', 'identity');
  else reply.code(401);
  return reply.send({ error: outcome });
}

/**
 * A name of another meaning, such as `utf-8`, changes no bytes. Compressed deliveries are not unpacked: the signature may cover either form,
 * and a stranger's small body could become a huge one.
 */
function isCompressed({ 'content-encoding': coding = '' }: IncomingHttpHeaders): boolean {
  return coding.split(',').some((each) => CODINGS.has(each.trim().toLowerCase()));
}

/** Content codings that compress (IANA, HTTP Content Coding Registry). */
const CODINGS = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'x-compress', 'dcb', 'dcz']);

/** Time between two log lines about deliveries that met the same fate. */
const LINE_EVERY_MS = 10_000;

/**
 * For the delivery that arrives at another path: the platform gets 404 each time, and disables the endpoint in the end. Its signature shows
 * what it is. Nothing else of the request is read.
 */
export function noteOtherPath(
  { header, onVerdict, meter }: Pick<WebhookRouteParts, 'header' | 'onVerdict' | 'meter'>,
  headers: IncomingHttpHeaders,
): void {
  if (!isSigned(headers, header)) return;
  meter.add('slotbridge_webhooks_total', { outcome: 'wrong-path' });
  void onVerdict?.('wrong-path');
}

/** Unsigned bodies that are read at once, and the time after which one more is: strangers must not make the worker parse. */
const LOOKS_MAX = 10;
const LOOK_EVERY_MS = 2_000;

/** Lets an unsigned body through now and then, to see whether it is an event of the platform. */
class LookLimit {
  #looks = LOOKS_MAX;
  #atMs = performance.now();

  mayLook(): boolean {
    const nowMs = performance.now();
    this.#looks = Math.min(LOOKS_MAX, this.#looks + (nowMs - this.#atMs) / LOOK_EVERY_MS);
    this.#atMs = nowMs;
    if (this.#looks < 1) return false;
    this.#looks -= 1;
    return true;
  }
}

/** One line now and then, however many deliveries it is about: the counter has them all. */
class RareLine {
  #nextMs = Number.NEGATIVE_INFINITY;
  #untold = 0;

  /** Calls `write` with the number of deliveries since the last line. */
  tell(write: (deliveries: number) => void): void {
    this.#untold += 1;
    if (performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + LINE_EVERY_MS;
    write(this.#untold);
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
  if (onTest === undefined || !looksLikeTest(delivery.body)) return;
  const tested = judgeTest({ scheme, header, toleranceMs, secrets }, delivery);
  if (tested !== undefined) await onTest(tested).catch(() => undefined);
}

async function keep(
  parts: WebhookRouteParts,
  limits: Limits,
  { body, secret, reply }: { readonly body: string; readonly secret: number; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const atMs = parts.clock.now();
  try {
    const { backlog } = parts;
    const isKept = backlog?.takes(body) === true;
    if (isKept) void parts.onVerdict?.('valid');
    const taken: Taken = isKept ? { outcome: await backlog.keep(body) } : await takeBody(parts, body);
    const { outcome, event } = taken;
    const nth = secret + 1 - (parts.yamlSecrets ?? 0);
    parts.received?.note({
      ...{ atMs, outcome, secret: nth > 0 ? { from: 'file', nth } : { from: 'yaml', nth: secret + 1 } },
      ...{ eventId: event?.id ?? '', eventType: event?.type ?? '' },
    });
    parts.meter.add('slotbridge_webhooks_total', { outcome });
    return await reply.code(200).send({ taken: outcome });
  } catch (error) {
    parts.meter.add('slotbridge_webhooks_total', { outcome: 'not-durable' });
    parts.received?.count('not-durable');
    limits.notDurable.tell((deliveries) =>
      parts.log.error(
        { err: error, deliveries, advice: 'The platform sends it again.' },
        'webhook could not be made durable',
      ),
    );
    return reply.code(503).header('retry-after', '5').send({ error: 'not-durable' });
  }
}

/**
 * The body was too large, or cut off while it was read: there is no event to keep. The platform sends it again, and the next round of the
 * feed brings it. It triggers no walk, because its sender is not proved to be the platform.
 */
function refuseUnread(
  parts: WebhookRouteParts,
  error: unknown,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): FastifyReply {
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  const outcome = status === 413 ? 'too-large' : 'unreadable';
  parts.meter.add('slotbridge_webhooks_total', { outcome });
  if (isSigned(request.headers, parts.header)) void parts.onVerdict?.(outcome);
  if (status >= 500) parts.log.error({ err: error }, 'webhook could not be answered');
  else parts.log.debug({ status, limitBytes: parts.maxBodyBytes }, 'webhook not read');
  return reply.code(status).send({ error: outcome });
}

/** Wakes that pass in one go, before one per pause. A wake costs requests to the platform, and anybody with the address can send it. */
const WAKES_AT_ONCE = 3;
const WAKE_EVERY_MS = 5_000;

/** A token bucket that loses no wake: one that is too early is passed on in its turn, together with all that followed it. */
export class WakeLimit {
  readonly #wake: () => void;
  #tokens = WAKES_AT_ONCE;
  /** On the monotonic clock of this process. */
  #filledAtMs = performance.now();
  #due: NodeJS.Timeout | undefined;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  wake(): void {
    // The walk that is due begins after this delivery, and sees what it may have reported.
    if (this.#due !== undefined) return;
    const nowMs = performance.now();
    const filled = Math.floor((nowMs - this.#filledAtMs) / WAKE_EVERY_MS);
    this.#tokens = Math.min(WAKES_AT_ONCE, this.#tokens + filled);
    this.#filledAtMs += filled * WAKE_EVERY_MS;
    if (this.#tokens > 0) {
      this.#tokens -= 1;
      this.#wake();
      return;
    }
    const waitMs = this.#filledAtMs + WAKE_EVERY_MS - nowMs;
    this.#due = setTimeout(() => {
      this.#due = undefined;
      this.wake();
    }, waitMs).unref();
  }
}

const SCHEMES: readonly SignedScheme[] = ['timestamped', 'body', 'standard'];
/** Largest test delivery: test events are small, and a larger body is not worth three signatures. */
const TEST_BYTES_MAX = 64 * 1024;

interface TestedRules {
  readonly scheme: SignedScheme | 'doorbell';
  readonly header: string;
  readonly secrets: readonly string[];
  readonly toleranceMs: number;
}

/**
 * Which schemes verify a test delivery, even when the configured one refuses it: that is what people want to know. Undefined for other
 * deliveries, and for those that no known secret signed. Only the platform may leave a result here, or have a body parsed.
 */
function judgeTest(
  rules: TestedRules,
  delivery: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly nowMs: number },
): TestedDelivery | undefined {
  const verdicts = SCHEMES.map(
    (scheme) => [scheme, verifySignature({ ...rules, scheme }, delivery)] as const,
  );
  if (!verdicts.some(([, verdict]) => verdict === 'valid' || verdict === 'too-old')) return undefined;
  const parsed = parseDelivery(delivery.body.toString('utf8'));
  if (!('event' in parsed) || !parsed.event.test) return undefined;
  return {
    eventId: parsed.event.id,
    atMs: delivery.nowMs,
    configured: rules.scheme,
    verdicts: Object.fromEntries(verdicts),
  };
}

/** Cheap pre-check: most deliveries are not tests. */
function looksLikeTest(body: Buffer): boolean {
  if (body.length > TEST_BYTES_MAX) return false;
  return body.includes('"test":true') || body.includes('"test": true');
}

// Anybody may send one delivery that is refused. When many of the newest are refused, the platform's own are probably among them. Nothing
// is lost, because the feed has the events, but after 72 hours the platform disables the endpoint.

/** Number of newest deliveries that are judged, their age, and the count and share of refusals that raise the problem. */
const JUDGED_MAX = 20;
const JUDGED_FOR_MS = 3_600_000;
const REFUSED_MIN = 5;
const REFUSED_SHARE_MIN = 0.5;
/** Shortest time between two reports of a lasting problem: strangers must not make Redis work. */
const TOLD_EVERY_MS = 60_000;
/** A wall clock that differs by more from where it would have gone was set. */
const CLOCK_SET_MS_MIN = 1_000;
const TARGET = 'webhook-signature';

interface Judged {
  readonly verdict: DeliveryVerdict;
  readonly atMs: number;
}

/** By what a delivery was judged that may be put right while the worker runs. */
interface Standard {
  /** The wall clock minus the steady one. */
  readonly wallMs: number;
  /** The same array until they change. */
  readonly secrets: readonly string[];
}

/** True when what refused the delivery has changed since. */
function isOutdated({ verdict, by }: Judged & { readonly by: Standard }, now: Standard): boolean {
  if (verdict === 'too-old') return Math.abs(by.wallMs - now.wallMs) > CLOCK_SET_MS_MIN;
  return verdict === 'wrong' && by.secrets !== now.secrets;
}

/** True when so many of these deliveries were refused that the platform's own are probably among them. */
export function areRefused(judged: readonly Judged[]): boolean {
  const refused = judged.filter(({ verdict }) => verdict !== 'valid').length;
  return refused >= REFUSED_MIN && refused >= judged.length * REFUSED_SHARE_MIN;
}

export class RefusedWatch {
  readonly #problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly #clock: Clock;
  readonly #standard: () => Standard;
  readonly #received: DeliveryLog | undefined;
  #judged: readonly (Judged & { readonly by: Standard })[] = [];
  /** Undefined at first: an earlier process may have reported the problem before the secret was corrected. */
  #told: boolean | undefined;
  #toldAtMs = 0;
  /** One write at a time: a problem that is raised while it is cleared would stay. */
  #telling: Promise<void> = Promise.resolve();

  /** `clock`: a monotonic one. `wall`, `secrets`: what deliveries are judged by. */
  constructor(parts: {
    problems: Pick<ProblemBoard, 'raise' | 'clear'>;
    received?: DeliveryLog;
    clock: Clock;
    wall: Clock;
    secrets: () => readonly string[];
  }) {
    const { clock, wall, secrets } = parts;
    this.#received = parts.received;
    this.#problems = parts.problems;
    this.#clock = clock;
    this.#standard = () => ({ wallMs: wall.now() - clock.now(), secrets: secrets() });
  }

  /** Takes the verdict on every request that looks like a delivery. Never rejects: an answer to the platform does not wait for the board. */
  readonly saw = async (verdict: DeliveryVerdict): Promise<void> => {
    // What verifies but is no event stands in the list of the verified ones.
    if (verdict !== 'valid' && verdict !== 'not-understood') this.#received?.count(verdict);
    const by = this.#standard();
    // A clock or secret that verifies again was put right: what the former one refused tells nothing any more.
    const before = verdict === 'valid' ? this.#judged.filter((each) => !isOutdated(each, by)) : this.#judged;
    this.#judged = [...before.slice(1 - JUDGED_MAX), { verdict, atMs: this.#clock.now(), by }];
    await this.look();
  };

  /** Raises the problem or ends it, also when no delivery has arrived for a while. Never rejects. */
  async look(): Promise<void> {
    const nowMs = this.#clock.now();
    const by = this.#standard();
    // Without a clock to which they were too old, they count for nothing: no later delivery may come for an hour.
    this.#judged = this.#judged.filter(
      (each) => nowMs - each.atMs < JUDGED_FOR_MS && !(each.verdict === 'too-old' && isOutdated(each, by)),
    );
    const isProblem = areRefused(this.#judged);
    // One valid delivery ends what an earlier process reported; silence alone does not.
    if (!isProblem && this.#told === undefined && !this.#judged.some(({ verdict }) => verdict === 'valid'))
      return;
    if (isProblem === this.#told && (!isProblem || nowMs - this.#toldAtMs < TOLD_EVERY_MS)) return;
    [this.#told, this.#toldAtMs] = [isProblem, nowMs];
    this.#telling = this.#telling
      .then(() => this.#tell(isProblem))
      .catch(() => {
        // The board may show it all the same: the next look raises it again or ends it.
        [this.#told, this.#toldAtMs] = [true, Number.NEGATIVE_INFINITY];
      });
    await this.#telling;
  }

  #tell(isProblem: boolean): Promise<void> {
    if (!isProblem) return this.#problems.clear(TARGET);
    return this.#problems.raise({ target: TARGET, code: 'webhooks-refused', ...describe(this.#judged) });
  }
}

function describe(judged: readonly Judged[]): { readonly message: string; readonly advice: string } {
  const counts = new Map<Refused, number>();
  for (const { verdict } of judged)
    if (verdict !== 'valid') counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const kinds = [...counts].sort(([, one], [, other]) => other - one);
  const told = kinds.map(([verdict, count]) => `${count} ${REFUSALS[verdict].said}`).join(', ');
  const refused = kinds.reduce((sum, [, count]) => sum + count, 0);
  const advice = new Set([...kinds.map(([verdict]) => REFUSALS[verdict].advice), COMMON_ADVICE]);
  return {
    message: `${refused} of the newest ${judged.length} webhooks were refused (${told})`,
    advice: [...advice].join(' '),
  };
}

type Refused = Exclude<DeliveryVerdict, 'valid'>;

const SIGNATURE_ADVICE =
  'Run `slotbridge webhook test`: it shows which scheme verifies. Then correct platform.webhook.signature, header or secrets.';

/** Words and remedy for each kind of refusal. */
const REFUSALS: Readonly<Record<Refused, { readonly said: string; readonly advice: string }>> = {
  wrong: { said: 'with a wrong signature', advice: SIGNATURE_ADVICE },
  missing: { said: "without the scheme's signature", advice: SIGNATURE_ADVICE },
  malformed: { said: 'with a signature of another form', advice: SIGNATURE_ADVICE },
  'too-old': {
    said: 'signed too long ago',
    advice: "Check this machine's clock, or raise platform.webhook.tolerance.",
  },
  'too-large': { said: 'too large', advice: 'Raise platform.webhook.max_body.' },
  unreadable: {
    said: 'cut off',
    advice: 'Check the proxy in front of the worker: bodies arrive incomplete.',
  },
  compressed: {
    said: 'compressed',
    advice: 'Check the proxy in front of the worker: it must not compress requests.',
  },
  'wrong-path': {
    said: 'sent to another path',
    advice:
      "Correct the endpoint's address on the platform, or the proxy in front of the worker: the path ends with /webhooks/platform.",
  },
  'not-understood': {
    said: 'no events',
    advice: "They verify but cannot be read: look at the quarantine, and ask the platform's support.",
  },
};

const COMMON_ADVICE =
  'Do so within 72 hours, or the platform disables the endpoint. Until then the event feed brings their events later. If `slotbridge webhook test` verifies, strangers send forged deliveries: the worker ignores them, and this problem ends automatically.';

const NAME = 'webhook-tested';
/**
 * Test results stored per minute: anybody may replay a signed test, so no more are stored than the platform sends (platform API, Limits:
 * test events).
 */
const KEPT_PER_MINUTE_MAX = 10;
const MINUTE_MS = 60_000;

/** Stores the verdicts on the newest test delivery, for the command that requested it. */
export function testedKeeper(memory: Memory): (tested: TestedDelivery) => Promise<void> {
  let keptAtMs: readonly number[] = [];
  return async (tested) => {
    const lately = keptAtMs.filter((atMs) => Math.abs(tested.atMs - atMs) < MINUTE_MS);
    if (lately.length >= KEPT_PER_MINUTE_MAX) return;
    keptAtMs = [...lately, tested.atMs];
    await memory.set(NAME, JSON.stringify(tested));
  };
}

export function readTested(memory: Memory): Promise<TestedDelivery | undefined> {
  return readFact(memory, NAME);
}
