import type { FastifyInstance, FastifyReply } from 'fastify';
import { WorkerError } from '../domain/errors.ts';
import type { Log } from '../ports/runtime.ts';
import { inTime } from './deadline.ts';
import { type HostRules, refuseUnknownHosts } from './known-hosts.ts';
import type { Metrics } from './metrics.ts';
import type { StatusSource } from './status.ts';
import type { StatusReport } from './status-report.ts';

export interface OperatorParts {
  readonly status: StatusSource;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Reasons are shown to whoever asks and logged: no secrets and no names in them. */
  readonly isReady: () => Promise<Readiness>;
  /** Under which other names `/readyz`, `/status` and `/metrics` answer. */
  readonly hosts?: HostRules['hosts'];
  readonly log: Log;
}

export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/**
 * `GET /healthz`: the process turns its loop. `GET /readyz`: it can do its work, else 503 with reasons. `GET /status`: the report,
 * else 503 with the reason. `GET /metrics`: Prometheus text, also while the state cannot be read. All but the first answer 421 under a
 * host name that is not the worker's.
 */
export function operatorRoutes(parts: OperatorParts) {
  return async (app: FastifyInstance): Promise<void> => {
    // Each answer is of its moment; a proxy's yesterday would be worse than none.
    app.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    const readiness = new ToldReadiness(parts.log);
    const onRequest = refuseUnknownHosts({ hosts: parts.hosts ?? [] }, parts.log);
    // Says nothing that a stranger may not know, and a probe may come under any name.
    app.get('/healthz', async () => ({ ok: true }));
    app.get('/readyz', { onRequest }, async (_request, reply) => {
      const told = await inTime(parts.isReady()).catch(unready);
      readiness.tell(told);
      return reply.code(told.ready ? 200 : 503).send(told);
    });
    app.get('/status', { onRequest }, async (_request, reply) => sendStatus(parts, reply));
    app.get('/metrics', { onRequest }, async (_request, reply) => sendMetrics(parts, reply));
  };
}

async function sendStatus({ status, log }: OperatorParts, reply: FastifyReply): Promise<FastifyReply> {
  try {
    return await reply.send(await inTime(status.read()));
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
  // What the process counted itself matters most when Redis is away, so it is told without the state.
  const report = await inTime(status.read()).catch((error: unknown): StatusReport | undefined => {
    log.debug({ err: error }, 'metrics told without the state');
    return undefined;
  });
  return reply.header('content-type', metrics.contentType).send(await metrics.text(report));
}

function unready(error: unknown): Readiness {
  return { ready: false, reasons: [reasonOf(error).reason] };
}

/** The worker's own words may be shown; anybody else's may quote data. */
function reasonOf(error: unknown): { code: string; reason: string; advice?: string } {
  if (!(error instanceof WorkerError))
    return { code: 'unexpected', reason: 'an unexpected error; see the log' };
  const { code, message, advice } = error;
  return { code, reason: message, ...(advice === undefined ? {} : { advice }) };
}

/** Probes come every few seconds: only a change is worth a line. */
class ToldReadiness {
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
