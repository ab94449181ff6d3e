import { request } from 'node:http';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { askWorker } from '../../src/cli/status.ts';
import { createHttpServer, type HttpServerParts } from '../../src/operate/http-server.ts';
import { isKnownHost } from '../../src/operate/known-hosts.ts';
import { createMetrics } from '../../src/operate/metrics.ts';
import { isFromThisMachine } from '../../src/operate/request-origin.ts';
import { createStatusSource } from '../../src/operate/status.ts';
import { webhookRoute } from '../../src/platform/webhook-route.ts';
import { KeptLog } from '../doubles/listener.ts';
import { StatusStores } from '../doubles/status-stores.ts';
import { double } from '../stand/double.ts';
import { PATIENCE_MS } from '../stand/patience.ts';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

async function serve(parts: Partial<HttpServerParts> = {}) {
  const log = new KeptLog();
  const stores = new StatusStores();
  const server = createHttpServer({
    status: createStatusSource(stores.parts()),
    metrics: createMetrics(),
    isReady: async () => ({ ready: true, reasons: [] }),
    plugins: [],
    log,
    ...parts,
  });
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 });
  closings.push(() => server.close());
  return { url, log, stores, server };
}

/** Any method, also those that fetch refuses. */
function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }> {
  return new Promise((done, fail) => {
    const sent = request(url, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on('error', fail).end();
  });
}

/** What comes back for bytes that no client library would send. */
function sendRaw(url: string, bytes: string): Promise<string> {
  return new Promise((done, fail) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      socket.end();
    });
    socket.on('close', () => done(text)).on('error', fail);
  });
}

describe('what it answers', () => {
  test('/healthz: the process turns its loop', async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/healthz`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: true });
  });

  test('/status: the very report that the command prints, never from a cache', async () => {
    const { url, stores } = await serve();
    const answer = await fetch(`${url}/status`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual(
      JSON.parse(JSON.stringify(await createStatusSource(stores.parts()).read())),
    );
    stores.inFlight = 3;
    expect(await (await fetch(`${url}/status`)).json()).toMatchObject({
      idle: false,
      pending: { in_flight: 3 },
    });
  });

  test('/metrics: Prometheus text with the gauges of this moment', async () => {
    const { url, stores } = await serve();
    stores.pending = { objects: 17, oldestSinceMs: undefined };
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await answer.text()).toMatch(/^slotbridge_pending_objects 17$/m);
  });

  test('/readyz: 503 with the reasons until all is there, 200 then, and one log line per change', async () => {
    let reasons: string[] = ['Redis does not answer', 'the names in the mapping are not resolved yet'];
    const { url, log } = await serve({ isReady: async () => ({ ready: reasons.length === 0, reasons }) });
    for (let probe = 0; probe < 3; probe += 1) {
      const answer = await fetch(`${url}/readyz`);
      expect(answer.status).toBe(503);
      expect(await answer.json()).toEqual({ ready: false, reasons });
    }
    reasons = [];
    for (let probe = 0; probe < 3; probe += 1) {
      const answer = await fetch(`${url}/readyz`);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ ready: true, reasons: [] });
    }
    expect(log.lines.map((line) => `${line.level} ${line.message}`)).toEqual([
      'warn not ready',
      'info ready',
    ]);
  });
});

describe('what nobody asked for', () => {
  test('an unknown path is a JSON 404 that repeats nothing of it', async () => {
    const { url } = await serve();
    const answer = await fetch(`${url}/wp-login.php?phone=971501234567`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: 'not-found' });
  });

  test.each([
    ['/*/', '/*/'],
    ['/*/x', '/*/x'],
    ['/:a(', '/:a('],
    ['/:a((a+)+)', '/:a((a+)+)'],
    ['/status/:a(b', '/status/:a(b'],
    ['7 kB of it', `/:a(${'(a|b)'.repeat(1_400)})`],
  ])(
    'P9: %s, which a router would take for a pattern, is a 404 like any other, and no line in the log',
    async (_, path) => {
      const { url, log } = await serve();
      const answer = await sendRaw(url, `GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(log.lines).toEqual([]);
    },
  );

  test('HEAD answers like GET without a body', async () => {
    const { url } = await serve();
    for (const path of ['/healthz', '/readyz', '/status', '/metrics']) {
      const answer = await send(`${url}${path}`, 'HEAD');
      expect([path, answer.status, answer.text]).toEqual([path, 200, '']);
    }
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    '%s on a page is 405 and says what is allowed',
    async (method) => {
      const { url } = await serve();
      const answer = await send(`${url}/status?x=1`, method);
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']).toBe('GET, HEAD');
      expect(JSON.parse(answer.text)).toEqual({ error: 'method-not-allowed' });
    },
  );

  test.each(['PROPFIND', 'TRACE', 'SEARCH'])(
    '%s, which no route can have, is a JSON 404 or 405',
    async (method) => {
      const { url } = await serve();
      const answer = await send(`${url}/status`, method);
      expect([404, 405]).toContain(answer.status);
      expect(JSON.parse(answer.text)).toHaveProperty('error');
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    },
  );

  test('an upload to nowhere is a 404 whatever it claims to be, and is not read', async () => {
    const { url } = await serve();
    for (const type of ['text/xml', 'application/json', 'nonsense']) {
      const answer = await fetch(`${url}/nowhere`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: '<'.repeat(5_000_000),
      }).catch((error: unknown) => error);
      // The answer may come while the upload is still under way; a client that then cannot go on sees its connection end.
      if (answer instanceof Response) expect(answer.status).toBe(404);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
  });

  test('a URL that cannot be decoded and a request that is no HTTP are 400, and the server lives on', async () => {
    const { url } = await serve();
    const odd = await send(`${url}/%zz-971501234567`, 'GET');
    expect(odd.status).toBe(400);
    expect(JSON.parse(odd.text)).toEqual({ error: 'malformed-url' });
    expect(await sendRaw(url, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

describe('asked under a host name', () => {
  const INTERNAL = ['/status', '/metrics', '/readyz'];
  const statuses = async (url: string, host: string) =>
    Promise.all(INTERNAL.map(async (path) => (await send(`${url}${path}`, 'GET', { host })).status));

  test.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.0.2.1',
    '[::2]:8080',
  ])('%s that is not its own, it tells nothing, and says so once in the log', async (host) => {
    const { url, log } = await serve({ hosts: ['worker.internal'] });
    expect(await statuses(url, host)).toEqual([421, 421, 421]);
    expect((await send(`${url}/status`, 'GET', { host })).text).toBe('{"error":"unknown-host"}');
    expect(log.lines.map(({ message }) => message)).toEqual(['request for an unknown host name']);
    expect(JSON.stringify(log.lines)).not.toContain('evil');
  });

  test.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '[::1]:8080', 'worker.internal:8080'])(
    '%s of its own, it answers',
    async (host) => {
      const { url } = await serve({ hosts: ['worker.internal'] });
      expect(await statuses(url, host)).toEqual([200, 200, 200]);
    },
  );

  test('that it does not know, health and plugins answer all the same: probes and the platform come under any name', async () => {
    const plugin = async (app: FastifyInstance) => {
      app.post('/hook', async () => ({ taken: true }));
    };
    const { url } = await serve({ plugins: [plugin] });
    const host = 'bridge.example.com';
    expect((await send(`${url}/healthz`, 'GET', { host })).status).toBe(200);
    expect((await send(`${url}/hook`, 'POST', { host })).status).toBe(200);
  });

  const FORWARDING = [
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'Forwarded',
    'Via',
    'X-Real-IP',
    'CF-Connecting-IP',
  ];

  test.each(FORWARDING)(
    'P9: with %s, /status and /metrics tell nothing under a loopback name',
    async (header) => {
      const { url, log } = await serve();
      const headers = { host: '127.0.0.1:8080', [header]: '203.0.113.9' };
      for (const path of ['/status', '/metrics']) {
        const answer = await send(`${url}${path}`, 'GET', headers);
        expect([answer.status, answer.text]).toEqual([421, '{"error":"forwarded"}']);
      }
      expect((await send(`${url}/readyz`, 'GET', headers)).status).toBe(200);
      expect((await send(`${url}/healthz`, 'GET', headers)).status).toBe(200);
      const warnings = log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
      expect(warnings).toEqual(['internal route asked for by a proxy']);
    },
  );

  test.each(FORWARDING)(
    'with %s, they answer under a name of http.hosts, without addresses',
    async (header) => {
      const { url, stores } = await serve({ hosts: ['status.example'] });
      const address = 'dr.levi@clinic.example';
      stores.problems = [
        {
          ...{
            target: `calendar:${address}`,
            code: 'google-not-shared',
            message: `${address} is not shared`,
          },
          ...{ advice: `Ask ${address}.`, sinceMs: 0, lastAtMs: 0 },
        },
      ];
      const headers = { host: 'status.example', [header]: '203.0.113.9' };
      for (const path of ['/status', '/metrics']) {
        const answer = await send(`${url}${path}`, 'GET', headers);
        expect(answer.status).toBe(200);
        expect(answer.text).not.toContain('levi');
      }
      expect((await send(`${url}/status`, 'GET', headers)).text).toContain('google-not-shared');
      expect((await send(`${url}/status`, 'GET')).text).toContain(address);
    },
  );

  test('another machine is told from this one by its address', () => {
    const from = (remoteAddress: string, localAddress: string) =>
      isFromThisMachine({ headers: {}, socket: { remoteAddress, localAddress } });
    expect(from('127.0.0.1', '127.0.0.1')).toBe(true);
    expect(from('::1', '::1')).toBe(true);
    expect(from('10.0.0.7', '10.0.0.7')).toBe(true);
    expect(from('10.0.0.8', '10.0.0.7')).toBe(false);
    expect(from('172.17.0.1', '172.17.0.2')).toBe(false);
  });

  test('the address at which the request came in is its own', () => {
    expect(isKnownHost('10.0.0.7:8080', '10.0.0.7', { hosts: [] })).toBe(true);
    expect(isKnownHost('10.0.0.7:8080', '::ffff:10.0.0.7', { hosts: [] })).toBe(true);
    expect(isKnownHost('[fd00::7]:8080', 'fd00::7', { hosts: [] })).toBe(true);
    expect(isKnownHost('10.0.0.8:8080', '10.0.0.7', { hosts: [] })).toBe(false);
    expect(isKnownHost(undefined, '10.0.0.7', { hosts: [] })).toBe(false);
  });
});

describe('a plugin', () => {
  test('has a scope of its own: the webhook route reads raw bodies, its neighbour JSON', async () => {
    const { url, log } = await serve({
      plugins: [
        webhookRoute({
          intake: double({
            takeEvent: async () => 'fresh',
            takeEvents: async () => [],
            observe: async () => 'fresh',
            quarantine: async () => undefined,
          }),
          scheme: 'doorbell',
          header: 'service-signature',
          secrets: () => [],
          toleranceMs: 300_000,
          maxBodyBytes: 1_000,
          wakeFeed: () => wakes.push('wake'),
          clock: { now: Date.now },
          log: new KeptLog(),
          meter: createMetrics().meter,
        }),
        async (app) => {
          app.post('/echo', async (incoming) => incoming.body);
        },
      ],
    });
    const wakes: string[] = [];
    const delivery = { method: 'POST', body: 'not json', headers: { 'content-type': 'application/json' } };
    expect((await fetch(`${url}/webhooks/platform`, delivery)).status).toBe(202);
    expect(wakes).toEqual(['wake']);
    expect((await fetch(`${url}/webhooks/platform`, { ...delivery, body: 'x'.repeat(2_000) })).status).toBe(
      413,
    );
    expect((await fetch(`${url}/webhooks/platform`)).headers.get('allow')).toBe('POST');

    const json = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } };
    expect(await (await fetch(`${url}/echo`, json)).json()).toEqual({ a: 1 });
    const broken = await fetch(`${url}/echo`, delivery);
    expect([broken.status, await broken.json()]).toEqual([400, { error: 'bad-request' }]);
    expect(log.lines).toEqual([]);
  });

  test('that fails is a 500 without a word of why, and one line in the log', async () => {
    const { url, log } = await serve({
      plugins: [
        async (app) => {
          app.get('/fails/:id', async () => {
            throw new Error('Anna Petrova +971501234567');
          });
        },
      ],
    });
    const answer = await fetch(`${url}/fails/971501234567`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ error: 'internal' });
    expect(log.lines).toMatchObject([
      { level: 'error', message: 'request failed', fields: { route: '/fails/:id' } },
    ]);
  });

  test('may not be sent more than the limit', async () => {
    const { url } = await serve({
      bodyLimit: 100,
      plugins: [
        async (app) => {
          app.post('/echo', async (incoming) => incoming.body);
        },
      ],
    });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/echo`, {
      method: 'POST',
      headers,
      body: JSON.stringify('x'.repeat(200)),
    });
    expect([answer.status, await answer.json()]).toEqual([413, { error: 'too-large' }]);
  });
});

describe('listening and closing', () => {
  test('a taken port is an error with advice', async () => {
    const { url } = await serve();
    const second = createHttpServer({
      status: createStatusSource(new StatusStores().parts()),
      metrics: createMetrics(),
      isReady: async () => ({ ready: true, reasons: [] }),
      plugins: [],
      log: new KeptLog(),
    });
    closings.push(() => second.close());
    const port = Number(new URL(url).port);
    await expect(second.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'http-port-taken',
      message: expect.stringMatching(
        new RegExp(`^port ${port} is in use by .+ \\(process ${process.pid}\\)$`),
      ),
      advice: expect.stringContaining('http.port'),
    });
  });

  test('an address of another machine is an error with advice', async () => {
    const server = createHttpServer({
      status: createStatusSource(new StatusStores().parts()),
      metrics: createMetrics(),
      isReady: async () => ({ ready: true, reasons: [] }),
      plugins: [],
      log: new KeptLog(),
    });
    closings.push(() => server.close());
    await expect(server.listen({ host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
      code: 'http-address-unusable',
    });
  });

  test('the address it tells can be opened, also when it listens on all interfaces', async () => {
    const server = createHttpServer({
      status: createStatusSource(new StatusStores().parts()),
      metrics: createMetrics(),
      isReady: async () => ({ ready: true, reasons: [] }),
      plugins: [],
      log: new KeptLog(),
    });
    closings.push(() => server.close());
    const { url } = await server.listen({ host: '0.0.0.0', port: 0 });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test.each(['127.0.0.1', '0.0.0.0', '0', '::', '::0', '::1', 'localhost'])(
    'the status command of the same machine is answered, when the server listens at %s',
    async (host) => {
      const server = createHttpServer({
        status: createStatusSource(new StatusStores().parts()),
        metrics: createMetrics(),
        isReady: async () => ({ ready: true, reasons: [] }),
        plugins: [],
        log: new KeptLog(),
        hosts: [host],
      });
      const { url } = await server.listen({ host, port: 0 });
      closings.push(() => server.close());
      const port = Number(new URL(url).port);
      const common = { platform: {}, redis: { dataDir: 'data', prefix: 'slotbridge' } };
      const config = { ...common, http: { host, port, hosts: [host] } } as unknown as Parameters<
        typeof askWorker
      >[0];
      expect(await askWorker(config)).toMatchObject({ version: '1.2.3' });
    },
  );

  test('a request being answered gets its answer, a connection kept alive does not hold the end up', async () => {
    let answerNow = (): void => undefined;
    const gate = new Promise<void>((done) => {
      answerNow = done;
    });
    let isAsked = false;
    const { url, server } = await serve({
      plugins: [
        async (app) => {
          app.get('/slow', async () => {
            isAsked = true;
            await gate;
            return { answered: true };
          });
        },
      ],
    });
    await (await fetch(`${url}/healthz`)).text();
    const slow = fetch(`${url}/slow`);
    await vi.waitFor(() => expect(isAsked).toBe(true), { timeout: PATIENCE_MS, interval: 2 });
    const closed = server.close();
    setTimeout(answerNow, 200);
    expect(await (await slow).json()).toEqual({ answered: true });
    await closed;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  test('a client that never ends its upload is cut off after 3 s', async () => {
    const { url, server } = await serve();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const ended = new Promise((done) => socket.on('error', () => undefined).on('close', done));
    socket.write('POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n');
    await new Promise((done) => setTimeout(done, 100));
    // Both would wait for ever.
    await server.close();
    await ended;
  });
});
