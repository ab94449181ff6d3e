// Raw bytes and broken texts at every door that strangers or operators reach. What is found becomes a fixed case beside the door.

import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import fc from 'fast-check';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PING_PATH, pingRoute } from '../../src/calendar/calendar-watch.ts';
import { TerminalError, WorkerError } from '../../src/engine/errors.ts';
import { Intake } from '../../src/engine/intake.ts';
import { createGoogleAuth } from '../../src/google/auth.ts';
import { SheetsApi } from '../../src/google/sheets-api.ts';
import { ConfigError } from '../../src/mapping/problem.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { compileTemplate } from '../../src/mapping/template.ts';
import { webhookRoute } from '../../src/platform/webhook-route.ts';
import { CountingBudget } from '../doubles/budget.ts';
import { MemoryProblemBoard } from '../doubles/problem-board.ts';
import { load } from '../mapping/fixture.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const RUNS = 400;
const SECRET = 'whsec_c2VjcmV0IG9mIHRoYXQgZW5kcG9pbnQh';
const NOW = Date.UTC(2026, 10, 21, 12);
const bytes = fc.uint8Array({ maxLength: 4_096 });
const odd = fc.oneof(
  fc.string({ maxLength: 80, unit: 'binary' }),
  fc.constantFrom('\u0000', '\uD800', '١٢٣', '-0', '1e999'),
);

describe('routes', () => {
  let redis: TestRedis;
  let store: TestStore;
  let app: FastifyInstance;
  let port: number;
  let woken: number;
  beforeAll(async () => {
    redis = await startTestRedis();
    store = openTestStore(redis.url);
    await store.ready();
    woken = 0;
    const shared = { clock: { now: () => NOW }, log: SILENT_LOG, meter: NO_METER };
    app = Fastify({ forceCloseConnections: true });
    await app.register(
      webhookRoute({
        ...shared,
        intake: new Intake({
          ...shared,
          store: store.intake,
          queue: { add() {} },
          kinds: ['appointment', 'contact'],
        }),
        ...{ scheme: 'timestamped', header: 'service-signature', secrets: () => [SECRET] },
        ...{ toleranceMs: 300_000, maxBodyBytes: 64 * 1024, wakeFeed() {} },
      }),
    );
    await app.register(
      pingRoute({
        ...shared,
        channels: store.channels,
        cursors: store.calendars,
        wake: () => {
          woken += 1;
        },
        onStranger() {},
      }),
    );
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await app.close();
    store.close();
    await redis.stop();
  });

  const post = async (path: string, body: Uint8Array | string, headers: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      body: Buffer.from(body),
      headers,
    });
    return { status: answer.status, text: await answer.text() };
  };
  const sign = (body: Uint8Array | string) => {
    const t = Math.floor(NOW / 1_000);
    return `t=${t},v1=${createHmac('sha256', SECRET).update(`${t}.`).update(body).digest('hex')}`;
  };
  const pending = () => store.work.due(Date.now() + 1e12, 1_000);

  /** A header as an HTTP client may send it. */
  const header = fc.string({ maxLength: 200 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '').trim());

  test('P9: without a signature whatever bytes come are answered 4xx or 2xx, and nothing is stored', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, header, header, async (body, signature, type) => {
        const headers = { 'service-signature': signature, 'content-type': type || 'application/json' };
        const { status, text } = await post('/webhooks/platform', body, headers);
        expect(status).toBeLessThan(500);
        expect(text).not.toContain(SECRET);
      }),
      { numRuns: RUNS },
    );
    expect(await pending()).toEqual([]);
  });

  test('P1: signed bytes and signed JSON of any shape are answered 2xx, or 413 when they are too long', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), odd);
    const shaped = fc
      .record(
        {
          ...{ id: value, object: value, type: value, created_at: value, project_id: value, test: value },
          data: fc.oneof(
            value,
            fc.record({
              object: fc.oneof(value, fc.record({ object: value, id: value, updated_at: value })),
            }),
          ),
        },
        { requiredKeys: [] },
      )
      .map((event) => JSON.stringify(event));
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, shaped), async (body) => {
        const headers = { 'service-signature': sign(body), 'content-type': 'application/json' };
        const { status } = await post('/webhooks/platform', body, headers);
        expect([200, 202, 204]).toContain(status);
      }),
      { numRuns: RUNS },
    );
    const long = 'x'.repeat(70_000);
    expect((await post('/webhooks/platform', long, { 'service-signature': sign(long) })).status).toBe(413);
  });

  test('P9: a ping of anybody is answered 2xx or 4xx and rings for nothing', async () => {
    const names = [
      'x-goog-channel-id',
      'x-goog-channel-token',
      'x-goog-resource-id',
      'x-goog-resource-state',
      'x-goog-channel-expiration',
    ];
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(header, { minLength: 5, maxLength: 5 }), async (body, values) => {
        const headers = Object.fromEntries(names.map((name, nth) => [name, values[nth] ?? '']));
        expect((await post(PING_PATH, body, headers)).status).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
    expect(woken).toBe(0);
  });

  test('what is no HTTP at all ends its connection, and the next request is answered', async () => {
    const start = fc.constantFrom(
      '',
      'POST /webhooks/platform HTTP/1.1\r\n',
      'POST /webhooks/google HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n',
    );
    await fc.assert(
      fc.asyncProperty(start, bytes, async (line, rest) => {
        await new Promise<void>((done) => {
          const socket = connect(port, '127.0.0.1', () =>
            socket.end(Buffer.concat([Buffer.from(line), rest])),
          );
          socket
            .on('error', () => undefined)
            .on('close', () => done())
            .resume();
        });
      }),
      { numRuns: RUNS / 4 },
    );
    expect((await post(PING_PATH, '', {})).status).toBe(204);
  });
});

test('bytes in place of the YAML, or within it, give a configuration or problems, and never the key', () => {
  const key = 'sk_live_4242424242';
  const file = `platform:\n  base_url: https://api.example.com/v1\n  api_key: ${key}\nmirrors:\n  contacts:\n    from: contacts\n    sheet: { spreadsheet: 1AbC, tab: Contacts }\n    columns: { ID: "{{ id }}" }\n`;
  const hit = fc
    .tuple(fc.nat(file.length), fc.uint8Array({ maxLength: 40 }))
    .map(([at, scrap]) =>
      Buffer.concat([Buffer.from(file.slice(0, at)), scrap, Buffer.from(file.slice(at))]),
    );
  fc.assert(
    fc.property(
      fc.oneof(hit, bytes),
      fc.constantFrom('utf8' as const, 'latin1' as const),
      (raw, encoding) => {
        try {
          load(Buffer.from(raw).toString(encoding));
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          expect(String(error)).not.toContain(key);
        }
      },
    ),
    { numRuns: RUNS * 5 },
  );
});

test('any template is told to be wrong, or renders to text, or fails as a template of the mirror', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '{{',
      '}}',
      '{%',
      '%}',
      '|',
      ' if ',
      ' for x in y ',
      'endif',
      'endfor',
      'assign a = ',
      ' raw ',
      'endraw',
      '..',
      '(1..9)',
      "'",
      '"',
    ),
    fc.constantFrom(
      'name',
      'phone',
      'date',
      'replace',
      'split',
      'slice',
      'default',
      'append',
      'times',
      'size',
      'first',
      ': ',
      ', ',
      '-1',
      '0',
    ),
    odd,
  );
  const source = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(' '));
  const context = fc.dictionary(
    fc.constantFrom('name', 'phone', 'a', 'y'),
    fc.oneof(odd, fc.jsonValue({ maxDepth: 2 })),
  );
  let rendered = 0;
  fc.assert(
    fc.property(source, context, (text, values) => {
      if (checkTemplate(text) !== undefined) return;
      try {
        expect(typeof compileTemplate(text).text(values as never)).toBe('string');
        rendered += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(TerminalError);
        expect((error as TerminalError).code).toBe('template-failed');
      }
    }),
    { numRuns: RUNS * 5 },
  );
  expect(rendered).toBeGreaterThan(RUNS);
});

describe('the sheet reader', () => {
  let google: GoogleSandbox;
  let server: Server;
  let folder: string;
  let api: SheetsApi;
  let answer: Buffer;
  beforeAll(async () => {
    google = await GoogleSandbox.start();
    folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
    const credentialsPath = join(folder, 'key.json');
    writeFileSync(credentialsPath, JSON.stringify(google.serviceAccountKey(defaultAccount)));
    server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(answer);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    api = new SheetsApi({
      credential: createGoogleAuth({ credentialsPath, tokenUrl: google.tokenUrl, timeoutMs: 5_000 }),
      rootUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      ...{ budget: new CountingBudget(), problems: new MemoryProblemBoard(), timeoutMs: 5_000 },
      // A clock that runs: a rest of the target is over with the next call.
      clock: { now: () => Date.now() },
    });
  });
  afterAll(async () => {
    await new Promise((done) => server.close(done));
    await google.close();
    rmSync(folder, { recursive: true });
  });

  test('takes whatever an answer holds for values, or refuses it as one of the three families', async () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const range = fc.oneof(
      value,
      fc.record({
        range: fc.oneof(odd, fc.constant("'T'!A1:B2")),
        values: fc.oneof(value, fc.array(fc.array(value))),
      }),
    );
    const shaped = fc.record(
      {
        spreadsheetId: fc.oneof(fc.constant('s'), value),
        valueRanges: fc.oneof(
          value,
          fc.array(
            fc.record({
              valueRange: range,
              dataFilters: fc.oneof(value, fc.constant([{ gridRange: { sheetId: 0 } }])),
            }),
          ),
        ),
        sheets: fc.oneof(
          value,
          fc.array(fc.record({ properties: value, protectedRanges: value }, { requiredKeys: [] })),
        ),
        range: value,
        values: value,
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      bytes.map((raw) => Buffer.from(raw)),
      shaped.map((made) => Buffer.from(JSON.stringify(made))),
    );
    let nth = 0;
    await fc.assert(
      fc.asyncProperty(body, async (made) => {
        answer = made;
        nth += 1;
        // Each in a spreadsheet of its own: one that fails rests.
        const calls = [
          api.read(`s${nth}`, [{ sheetId: 0 }]),
          api.tabs(`t${nth}`),
          api.readWhole(`w${nth}`, 'T'),
        ];
        for (const call of await Promise.allSettled(calls))
          if (call.status === 'rejected') expect(call.reason).toBeInstanceOf(WorkerError);
      }),
      { numRuns: RUNS },
    );
  });
});
