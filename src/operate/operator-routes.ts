import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WorkerError } from '../engine/domain/errors.ts';
import type { Log } from '../engine/ports/runtime.ts';
import { inTime } from './deadline.ts';
import { type HostRules, refuseForwarded, refuseUnknownHosts } from './known-hosts.ts';
import type { Metrics } from './metrics.ts';
import { maskAll } from './personal-data.ts';
import { isFromThisMachine } from './request-origin.ts';
import type { StatusSource } from './status.ts';
import type { StatusReport } from './status-report.ts';

export interface OperatorParts {
  readonly status: StatusSource;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Anyone may see the reasons, and they are logged: they must contain no secrets and no names. */
  readonly isReady: () => Promise<Readiness>;
  /** Additional host names under which `/readyz`, `/status` and `/metrics` answer. */
  readonly hosts?: HostRules['hosts'];
  readonly log: Log;
}

export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/**
 * `GET /healthz`: the process's event loop runs. `GET /readyz`: the worker can do its work, else 503 with reasons. `GET /status`: the
 * report, else 503 with the reason. `GET /metrics`: Prometheus text, also while the state cannot be read. All but the first answer 421
 * under a host name that is not the worker's. `/status` and `/metrics` answer 421 to a proxy, unless `hosts` has the host name. Only this
 * machine gets `/status` with addresses: for others they are masked as in the log.
 */
export function operatorRoutes(parts: OperatorParts) {
  return async (app: FastifyInstance): Promise<void> => {
    // Each answer describes the present; a proxy's stale copy would be worse than none.
    app.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    const readiness = new ReadinessLog(parts.log);
    const rules = { hosts: parts.hosts ?? [] };
    const onRequest = refuseUnknownHosts(rules, parts.log);
    const closed = { onRequest: [refuseForwarded(rules, parts.log), onRequest] };
    // No host check: the answer reveals nothing, and a probe may use any host name.
    app.get('/healthz', async () => ({ ok: true }));
    app.get('/readyz', { onRequest }, async (_request, reply) => {
      const told = await inTime(parts.isReady()).catch(unready);
      readiness.tell(told);
      return reply.code(told.ready ? 200 : 503).send(told);
    });
    app.get('/status', closed, async (request, reply) => sendStatus(parts, request, reply));
    app.get('/metrics', closed, async (_request, reply) => sendMetrics(parts, reply));
  };
}

async function sendStatus(
  { status, log }: OperatorParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const report = await inTime(status.read());
    return await reply.send(isFromThisMachine(request.raw) ? report : maskAll(report));
  } catch (error) {
    log.debug({ err: error }, 'status could not be read');
    return reply
      .code(503)
      .header('retry-after', '5')
      .send({ error: 'status-unavailable', ...reasonOf(error) });
  }
}

async function sendMetrics(
  { status, metrics, log }: OperatorParts,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // The process's own counters matter most when Redis is unavailable, so they are returned without the state.
  const report = await inTime(status.read()).catch((error: unknown): StatusReport | undefined => {
    log.debug({ err: error }, 'metrics returned without the state');
    return undefined;
  });
  return reply.header('content-type', metrics.contentType).send(await metrics.text(report));
}

function unready(error: unknown): Readiness {
  return { ready: false, reasons: [reasonOf(error).reason] };
}

/** The worker's own messages may be shown; other errors may quote data. */
function reasonOf(error: unknown): { code: string; reason: string; advice?: string } {
  if (!(error instanceof WorkerError))
    return { code: 'unexpected', reason: 'an unexpected error; see the log' };
  const { code, message, advice } = error;
  return { code, reason: message, ...(advice === undefined ? {} : { advice }) };
}

/** Logs only changes, because probes come every few seconds. */
class ReadinessLog {
  readonly #log: Log;
  #last: string | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  tell({ ready, reasons }: Readiness): void {
    const now = ready ? 'ready' : reasons.join('; ');
    if (now === this.#last) return;
    this.#last = now;
    if (ready) this.#log.info({}, 'ready');
    else this.#log.warn({ reasons }, 'not ready');
  }
}
