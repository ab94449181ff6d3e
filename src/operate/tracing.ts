// Traces for OpenTelemetry: one for each change, from its webhook over the turn of its object to Google's answer, whichever processes take
// part. Loaded only if the environment names a collector. It stands around the parts of the worker and inside none of them, so that nothing
// of it runs otherwise. Attributes are ids, names of mirrors and codes, never people. A trace that cannot be stored or sent delays nothing.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { asWorkerError } from '../engine/errors.ts';
import { Intake } from '../engine/intake.ts';
import { formatKey, type Observation, type ObservationOutcome, within } from '../engine/object.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { reconciler } from '../engine/reconcile.ts';
import type { Log } from '../engine/runtime.ts';
import type { OutboxRow, PendingRow } from '../engine/sheet-row.ts';
import type { TraceStore } from '../engine/trace-store.ts';

/** Time for the last spans at the end: a collector that does not answer must not hold up the stop. */
const CLOSE_WITHIN_MS = 2_000;
/** Shortest time between two log lines about a collector that takes nothing. */
const TOLD_EVERY_MS = 10 * 60_000;
/** Undici's and Node's own channels for requests: `fetch`, Google's library and proxied calls all publish there. */
const CHANNELS = {
  fetch: ['undici:request:create', 'undici:request:headers', 'undici:request:error'],
  http: ['http.client.request.start', 'http.client.response.finish', 'http.client.request.error'],
} as const;

export interface TracingParts {
  readonly version: string;
  readonly store: TraceStore;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class Tracing {
  readonly #store: TraceStore;
  readonly #provider: BasicTracerProvider;
  readonly #active = new AsyncLocalStorage<Context>();
  readonly #requests = new WeakMap<object, Span>();
  readonly #unsubscribe: () => void;

  constructor({ version, store, log, env }: TracingParts) {
    this.#store = store;
    const own = resourceFromAttributes({ 'service.name': 'slotbridge', 'service.version': version });
    // What the environment says comes last: it wins.
    const resource = defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] }));
    const exporter = told(this.#outside(exporterOf(env)), log);
    this.#provider = new BasicTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    this.#unsubscribe = this.#watchRequests();
  }

  /** A route whose deliveries begin a trace each. A trace id in the request is not taken over: anybody can send one. */
  route(plugin: FastifyPluginAsync): FastifyPluginAsync {
    return async (app, options) => {
      const spans = new WeakMap<FastifyRequest, Span>();
      app.addHook('onRequest', async (request) => {
        const attributes = {
          'http.request.method': request.method,
          'http.route': request.routeOptions.url ?? '',
        };
        spans.set(request, this.#begin('webhook', { attributes, kind: SpanKind.SERVER }));
      });
      // Only here: while the body is read, Node forgets in whose name.
      app.addHook('preHandler', (request, _reply, done) => {
        const span = spans.get(request);
        if (span === undefined) done();
        else this.#active.run(trace.setSpan(ROOT_CONTEXT, span), done);
      });
      app.addHook('onResponse', async (request, reply) => {
        spans.get(request)?.setAttribute('http.response.status_code', reply.statusCode).end();
      });
      await plugin(app, options);
    };
  }

  /** The intake whose observations carry their trace to the turn. */
  intake(parts: ConstructorParameters<typeof Intake>[0]): Intake {
    const observed = (observation: Observation, observe: () => Promise<ObservationOutcome>) =>
      this.#observed(observation, observe);
    return new (class extends Intake {
      override observe(observation: Observation): Promise<ObservationOutcome> {
        return observed(observation, () => super.observe(observation));
      }
    })(parts);
  }

  async #observed(
    { key, source, eventId, eventType }: Observation,
    observe: () => Promise<ObservationOutcome>,
  ): Promise<ObservationOutcome> {
    const name = formatKey(key);
    const attributes: Attributes = {
      ...{ 'slotbridge.object': name, 'slotbridge.source': source },
      ...(eventId !== undefined && { 'slotbridge.event': eventId }),
      ...(eventType !== undefined && { 'slotbridge.event_type': eventType }),
    };
    const span = this.#begin('intake', { attributes });
    const context = contextOf(span);
    // Before the object is marked: a turn may begin at once.
    const before = await this.#store.put(name, context).catch(() => undefined);
    for (const link of linksTo([before])) span.addLink(link);
    return this.#during(span, async () => {
      const outcome = await observe();
      span.setAttribute('slotbridge.outcome', outcome);
      // No turn will come for it.
      if (!MAKES_WORK.has(outcome)) await this.#store.drop(name, context).catch(() => undefined);
      return outcome;
    });
  }

  /** The turns of objects, each in the trace of its newest change. */
  turns(reconcile: ReturnType<typeof reconciler>): ReturnType<typeof reconciler> {
    return async (key, attempt) => {
      const context = await this.#store.of(key).catch(() => undefined);
      const span = this.#begin('turn', { attributes: { 'slotbridge.object': key }, parent: context });
      return this.#during(span, async () => {
        const disposition = await reconcile(key, attempt);
        span.setAttribute('slotbridge.next', disposition.next);
        if (disposition.next === 'retry')
          span.setStatus({ code: SpanStatusCode.ERROR, message: disposition.code });
        else if (disposition.next === 'done' && context !== undefined)
          await this.#store.drop(key, context).catch(() => undefined);
        return disposition;
      });
    };
  }

  /** The outbox that carries the trace of each row to its flush. */
  outbox(outbox: Outbox): Outbox {
    return {
      waiting: () => outbox.waiting(),
      waits: (row) => outbox.waits(row),
      pending: (...asked) => outbox.pending(...asked),
      drop: (rows) => outbox.drop(rows),
      rewrite: (keys, mirror) => outbox.rewrite(keys, mirror),
      put: async (claim, row, others) => {
        const span = this.#span();
        if (span !== undefined) await this.#store.put(rowName(row), contextOf(span)).catch(() => undefined);
        return outbox.put(claim, row, others);
      },
      confirm: async (rows) => {
        await outbox.confirm(rows);
        await Promise.all(rows.map((row) => this.#confirmed(row)));
      },
    };
  }

  /** Flushes run in the trace of the row that waits longest. Each other row gets a span in its own trace, with a link to the flush. */
  flusher<Turn, Result>(
    flusher: { flush(spreadsheetId: string, turn: Turn): Promise<Result> },
    outbox: Outbox,
  ): { flush(spreadsheetId: string, turn: Turn): Promise<Result> } {
    return {
      flush: async (spreadsheetId, turn) => {
        const [first] = await outbox.pending(spreadsheetId, 1).catch(() => []);
        const parent = first && (await this.#store.of(rowName(first)).catch(() => undefined));
        const span = this.#begin('flush', {
          attributes: { 'slotbridge.spreadsheet': spreadsheetId },
          parent,
        });
        return this.#during(span, () => flusher.flush(spreadsheetId, turn));
      },
    };
  }

  async #confirmed(row: PendingRow): Promise<void> {
    const parent = await this.#store.of(rowName(row)).catch(() => undefined);
    if (parent === undefined) return;
    await this.#store.drop(rowName(row), parent).catch(() => undefined);
    const flush = this.#span();
    const attributes = { 'slotbridge.mirror': row.mirror, 'slotbridge.row': row.key };
    const links = linksTo([flush && contextOf(flush)]);
    this.#begin('row written', { attributes, parent, links }).end();
  }

  /** Every request in the trace of what it is made for. Polls that serve no change in particular are in none. */
  #watchRequests(): () => void {
    const begin = (request: object, about: { readonly method: string; readonly url: URL }) => {
      if (this.#span() === undefined) return;
      const { method, url } = about;
      const template = templateOf(url.pathname);
      const attributes = {
        ...{ 'http.request.method': method, 'server.address': url.hostname, 'url.template': template },
      };
      this.#requests.set(
        request,
        this.#begin(`${method} ${template}`, { attributes, kind: SpanKind.CLIENT }),
      );
    };
    const end = (request: object, status: number | undefined) => {
      const span = this.#requests.get(request);
      this.#requests.delete(request);
      if (span === undefined) return;
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (status === undefined || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
    const [created, headers, failed] = CHANNELS.fetch;
    const [started, finished, broken] = CHANNELS.http;
    const listeners: readonly (readonly [string, (message: unknown) => void])[] = [
      [
        created,
        on<UndiciRequest>(({ request }) =>
          begin(request, { method: request.method, url: new URL(request.path, request.origin) }),
        ),
      ],
      [headers, on<UndiciRequest>(({ request, response }) => end(request, response?.statusCode))],
      [failed, on<UndiciRequest>(({ request }) => end(request, undefined))],
      [
        started,
        on<HttpRequest>(({ request }) =>
          begin(request, {
            method: request.method,
            url: new URL(request.path, `${request.protocol}//${request.host}`),
          }),
        ),
      ],
      [finished, on<HttpRequest>(({ request, response }) => end(request, response?.statusCode))],
      [broken, on<HttpRequest>(({ request }) => end(request, undefined))],
    ];
    for (const [channel, listener] of listeners) subscribe(channel, listener);
    return () => {
      for (const [channel, listener] of listeners) unsubscribe(channel, listener);
    };
  }

  /** The exporter, whose own requests belong to no change: each would be a span that asks for the next request. */
  #outside(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) => this.#active.exit(() => exporter.export(spans, done)),
      shutdown: () => exporter.shutdown(),
    };
  }

  #span(): Span | undefined {
    const context = this.#active.getStore();
    return context && trace.getSpan(context);
  }

  #begin(name: string, about: SpanAbout): Span {
    const { parent, ...options } = about;
    const context = parent === undefined ? (this.#active.getStore() ?? ROOT_CONTEXT) : remote(parent);
    return this.#provider.getTracer('slotbridge').startSpan(name, options, context);
  }

  async #during<T>(span: Span, run: () => Promise<T>): Promise<T> {
    try {
      return await this.#active.run(trace.setSpan(ROOT_CONTEXT, span), run);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: asWorkerError(error).code });
      throw error;
    } finally {
      span.end();
    }
  }

  /** Sends what is left. Never rejects. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await within(CLOSE_WITHIN_MS, this.#provider.shutdown()).catch(() => undefined);
  }
}

/** Outcomes of an observation after which its object gets a turn. */
const MAKES_WORK: ReadonlySet<ObservationOutcome> = new Set(['fresh', 'verify', 'deleted']);

interface SpanAbout {
  readonly attributes: Attributes;
  readonly kind?: SpanKind;
  readonly links?: Link[];
  /** A `traceparent` of another process. Default: the span around it. */
  readonly parent?: string | undefined;
}

interface UndiciRequest {
  readonly request: { readonly origin: string; readonly path: string; readonly method: string };
  readonly response?: { readonly statusCode: number };
}

interface HttpRequest {
  readonly request: {
    readonly protocol: string;
    readonly host: string;
    readonly path: string;
    readonly method: string;
  };
  readonly response?: { readonly statusCode?: number };
}

/** The messages of a channel have the form that its publisher documents. Tracing must break no request. */
function on<Message>(take: (message: Message) => void): (message: unknown) => void {
  return (message) => {
    try {
      take(message as Message);
    } catch {
      // The request goes on without a span.
    }
  };
}

function exporterOf(env: TracingParts['env']): SpanExporter {
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  return protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
}

/** The exporter, which says in the log now and then that the collector takes nothing. */
function told(exporter: SpanExporter, log: Log): SpanExporter {
  let nextMs = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() >= nextMs) {
          nextMs = performance.now() + TOLD_EVERY_MS;
          log.warn({ lost: spans.length, reason: result.error.name }, 'traces cannot be exported');
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

function rowName({ mirror, key }: Pick<OutboxRow, 'mirror' | 'key'>): string {
  return `row/${mirror}/${key}`;
}

function contextOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags}`;
}

function spanContextOf(context: string) {
  const [, traceId, spanId, flags] = /^00-([\da-f]{32})-([\da-f]{16})-0([01])$/.exec(context) ?? [];
  return traceId === undefined || spanId === undefined
    ? undefined
    : { traceId, spanId, traceFlags: Number(flags), isRemote: true };
}

function remote(context: string): Context {
  const parent = spanContextOf(context);
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

function linksTo(contexts: readonly (string | undefined)[]): Link[] {
  return contexts.flatMap((each) => {
    const context = each === undefined ? undefined : spanContextOf(each);
    return context === undefined ? [] : [{ context }];
  });
}

/** What follows these names something of a person: a calendar's id is often an address, a range the name of a tab. */
const NAMING = new Set(['calendars', 'events', 'spreadsheets', 'values']);
/** A word of an API; ids have digits, capitals or other characters. */
const WORD = /^[a-z][a-z_]{0,30}$/;
/** `v1`, `v4` */
const VERSION = /^v\d$/;

/** The path without ids: `/calendar/v3/calendars/{id}/events/{id}`. A method of Google behind a colon stays. */
export function templateOf(path: string): string {
  let before = '';
  const parts = path.split('/').map((part) => {
    const [, name = part, method = ''] = /^(.*?)(:[a-zA-Z]+)?$/.exec(part) ?? [];
    const isName = name === '' || (!NAMING.has(before) && (WORD.test(name) || VERSION.test(name)));
    before = name;
    return `${isName ? name : '{id}'}${method}`;
  });
  return parts.join('/');
}
