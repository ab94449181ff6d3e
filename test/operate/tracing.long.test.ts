// Whole worker processes export to a collector's endpoint over real HTTP. There is no collector on npm or in Debian: this one reads OTLP/JSON as
// the specification writes it (opentelemetry-proto, trace/v1), and the last test the default, protobuf.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { openTestStore } from '../stand/store.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, startWorld, type World } from '../stand/world.ts';

interface Exported {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly pid: unknown;
}

class Collector {
  readonly spans: Exported[] = [];
  readonly requests: { readonly type: string; readonly body: Buffer }[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = Buffer.concat(parts);
      const type = String(request.headers['content-type']);
      if (request.url === '/v1/traces') {
        this.requests.push({ type, body });
        if (type === 'application/json') this.spans.push(...spansIn(JSON.parse(body.toString('utf8'))));
      }
      response.setHeader('content-type', type).end(type === 'application/json' ? '{}' : '');
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Exported, 'attributes' | 'links' | 'pid'> & {
        readonly attributes: readonly Attribute[];
        readonly links?: Exported['links'];
      })[];
    }[];
  }[];
}

function spansIn({ resourceSpans }: Request): readonly Exported[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: plain(span.attributes),
        links: span.links ?? [],
        pid: plain(resource.attributes)['service.instance.id'],
      })),
    ),
  );
}

function plain(attributes: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

let world: World;
let collector: Collector;
let endpoint: string;

beforeEach(async () => {
  collector = new Collector();
  [world, endpoint] = await Promise.all([startWorld(), collector.start()]);
});
afterEach(async () => {
  await world.close();
  await collector.stop();
});

/** The variables of OpenTelemetry, and who the process is. */
function traced(instance: string, more: Readonly<Record<string, string>> = {}) {
  const env = {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    ...{ OTEL_BSP_SCHEDULE_DELAY: '100', OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${instance}` },
    ...more,
  };
  return { args: [], env };
}

/** Each span with those above it, up to the first of its trace. */
function lineNow(span: Exported): readonly string[] {
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : lineNow(parent)), span.name];
}

/** The same, once it begins with the delivery: spans arrive in the order in which they ended. */
const lineOf = (span: Exported) =>
  vi.waitFor(
    () => {
      const line = lineNow(span);
      if (line[0] !== 'webhook') throw new Error(`only ${line.join(', ')}`);
      return line;
    },
    { timeout: PATIENCE_MS, interval: 50 },
  );

/** A worker that the platform delivers to. */
async function startTraced(instance: string, more?: Readonly<Record<string, string>>) {
  const port = await world.door();
  await world.subscribe(port);
  const worker = await startWorkerProcess(world, port, traced(instance, more));
  worker.start();
  await worker.untilReady();
  return worker;
}

async function firstNamed(name: string, about: (span: Exported) => boolean = () => true): Promise<Exported> {
  return vi.waitFor(
    () => {
      const found = collector.spans.find((span) => span.name === name && about(span));
      if (found === undefined)
        throw new Error(`no ${name} in ${collector.spans.map((span) => span.name).join(', ')}`);
      return found;
    },
    { timeout: PATIENCE_MS, interval: 50 },
  );
}

test('a change is one trace from its webhook over turn and flush to the answers of Google, with ids only', async () => {
  const worker = await startTraced('one');
  await world.untilIdle(worker.url);
  collector.spans.length = 0;
  const id = world.book();
  const isOfIt = ({ attributes }: Exported) => attributes['slotbridge.object'] === `appointment/${id}`;
  const turn = await firstNamed('turn', isOfIt);
  const inTrace = ({ traceId }: Exported) => traceId === turn.traceId;
  const event = await firstNamed('POST /calendar/v3/calendars/{id}/events', inTrace);
  expect(await lineOf(event)).toEqual(['webhook', 'intake', 'turn', event.name]);
  const row = await firstNamed('row written', inTrace);
  expect(await lineOf(row)).toEqual(['webhook', 'intake', 'turn', 'row written']);
  const flush = await firstNamed('flush', ({ spanId }) => row.links.some((link) => link.spanId === spanId));
  expect(inTrace(flush)).toBe(true);
  const write = await firstNamed('POST /v4/spreadsheets/{id}:batchUpdate', inTrace);
  expect(await lineOf(write)).toEqual(['webhook', 'intake', 'turn', 'flush', write.name]);
  expect(event.attributes['http.response.status_code']).toEqual(200);
  // A calendar's id is a person's address, and so are names and phones anywhere in a span.
  const all = JSON.stringify(collector.spans);
  // The exporter's own requests are in no trace: each would ask for the next.
  expect(all).not.toContain('/v1/traces');
  for (const personal of [ANNA, 'clinic.example', 'Anna', '+7495']) expect(all).not.toContain(personal);
  await worker.stop();
});

test('another process goes on with the trace that one had begun before it died', async () => {
  const first = await startTraced('first');
  await world.untilIdle(first.url);
  collector.spans.length = 0;
  // The turn fails, so the object waits when its process is killed.
  world.google.faults.add({ path: /\/calendar\//, fault: { kind: 'status', status: 500 } });
  const id = world.book();
  const isOfIt = ({ attributes }: Exported) => attributes['slotbridge.object'] === `appointment/${id}`;
  const tried = await firstNamed('turn', isOfIt);
  await first.kill();
  world.google.faults.clear();
  const second = await startWorkerProcess(world, first.port, traced('second'));
  second.start();
  const event = await firstNamed(
    'POST /calendar/v3/calendars/{id}/events',
    ({ traceId, pid }) => traceId === tried.traceId && pid === 'second',
  );
  expect(await lineOf(event)).toEqual(['webhook', 'intake', 'turn', event.name]);
  await second.stop();
});

test('without the variables, or switched off, nothing is exported and nothing is stored', async () => {
  let hours = 24;
  for (const more of [
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  ]) {
    const worker = await startTraced('off', more);
    world.book({ hours });
    hours += 24;
    await world.untilIdle(worker.url);
    await worker.stop();
  }
  const store = openTestStore(world.redis.url);
  await store.ready();
  const keys = await store.redis.keys('*trace*');
  store.close();
  expect([keys, collector.requests]).toEqual([[], []]);
});

test('a collector that is away costs nothing but the traces', async () => {
  await collector.stop();
  const worker = await startTraced('alone', { OTEL_EXPORTER_OTLP_TIMEOUT: '500' });
  world.book();
  await world.untilIdle(worker.url);
  expect(world.events(ANNA)).toHaveLength(1);
  const says = () => expect(readFileSync(worker.logFile, 'utf8')).toContain('traces cannot be exported');
  await vi.waitFor(says, { timeout: PATIENCE_MS, interval: 50 });
  expect(await worker.stop()).toBe(0);
});

test('the default form is protobuf', async () => {
  const worker = await startTraced('one', { OTEL_EXPORTER_OTLP_PROTOCOL: '' });
  world.book();
  await world.untilIdle(worker.url);
  await worker.stop();
  expect(new Set(collector.requests.map(({ type }) => type))).toEqual(new Set(['application/x-protobuf']));
  // Strings stand in protobuf as they are.
  const bytes = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
  expect(bytes).toContain('slotbridge.object');
});
