import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { createTransporter } from '../../src/google/auth.ts';
import { classifyGoogleError } from '../../src/google/errors.ts';
import type { PackedTexts } from '../../src/google/large-column.ts';
import { atLength, rowsOf } from '../stand/runs.ts';

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    }),
  );
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What a caller learns of a request that fails. */
async function failureOf(path: { readonly url: string; readonly tokenUrl: string }, isToken: boolean) {
  const transporter = createTransporter({ tokenUrl: path.tokenUrl, timeoutMs: 20_000 });
  const url = isToken ? 'https://oauth2.googleapis.com/token' : path.url;
  const headers = { authorization: 'Bearer ya29.secret' };
  return transporter.request({ url, method: isToken ? 'POST' : 'GET', headers }).then(
    () => undefined,
    (error: unknown) => classifyGoogleError(error, 'calendar:anna'),
  );
}

test.each([
  { of: 'the API', isToken: false },
  { of: 'the token endpoint', isToken: true },
])('a redirect by $of is not followed, and the bearer token reaches nobody else', async ({ isToken }) => {
  const reached: (string | undefined)[] = [];
  const elsewhere = await serve((request, reply) => {
    reached.push(request.headers.authorization);
    reply.end('{}');
  });
  const url = await serve((_, reply) => reply.writeHead(307, { location: `${elsewhere}/steal` }).end());
  expect(await failureOf({ url, tokenUrl: url }, isToken)).toMatchObject({
    family: 'retryable',
    code: 'google-redirected',
  });
  expect(reached).toEqual([]);
});

test.each(
  rowsOf(
    [
      { of: 'the API', isToken: false },
      { of: 'the token endpoint', isToken: true },
    ],
    2,
  ),
)('an answer of $of that unpacks to more than 64 MiB is refused', async ({ isToken }) => {
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, 32));
  const url = await serve((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
  });
  expect(await failureOf({ url, tokenUrl: url }, isToken)).toMatchObject({
    family: 'retryable',
    code: 'google-answer-too-large',
  });
});

atLength.test('an answer of 60 MiB is read', async () => {
  const url = await serve((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ cells: 'x'.repeat(60 * 1024 * 1024) }));
  });
  expect(await failureOf({ url, tokenUrl: url }, false)).toBeUndefined();
});

test('a packed answer is read, and so is one without content', async () => {
  const url = await serve((request, reply) => {
    const isPacked = request.method === 'GET';
    if (isPacked) reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    else reply.writeHead(204);
    reply.end(isPacked ? gzipSync('{"id":"e1"}') : undefined);
  });
  const transporter = createTransporter({ tokenUrl: url, timeoutMs: 20_000 });
  expect((await transporter.request({ url })).data).toEqual({ id: 'e1' });
  expect((await transporter.request({ url, method: 'DELETE' })).data).toBe('');
});

test('a large packed answer is read as it comes, and an empty one that calls itself packed is empty', async () => {
  const values = Array.from({ length: 60_000 }, (_, n) => [`10000000-0000-4000-8000-${1e11 + n}`]);
  const packed = gzipSync(JSON.stringify({ values }));
  const url = await serve((request, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    reply.end(request.method === 'GET' ? packed : undefined);
  });
  const transporter = createTransporter({ tokenUrl: url, timeoutMs: 20_000 });
  const { data } = await transporter.request<{ values: PackedTexts }>({ url });
  expect(data.values.rows()).toEqual(values);
  expect((await transporter.request({ url, method: 'DELETE' })).data).toBe('');
});

test('a packed answer that is cut, or is none, is asked for again', async () => {
  let answer = gzipSync('{"id":"e1"}').subarray(0, 12);
  const url = await serve((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(answer);
  });
  expect(await failureOf({ url, tokenUrl: url }, false)).toMatchObject({ family: 'retryable' });
  answer = Buffer.from('{"id":"e1"}');
  expect(await failureOf({ url, tokenUrl: url }, false)).toMatchObject({ family: 'retryable' });
});

test.each([
  { what: 'breaks off', code: 'google-unreachable' },
  { what: 'does not end within the deadline', code: 'google-timeout' },
])('an answer that $what says nothing, and is asked for again', async ({ what, code }) => {
  const url = await serve((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    reply.write('{"id":');
    if (what === 'breaks off') setImmediate(() => reply.destroy());
  });
  const transporter = createTransporter({ tokenUrl: url, timeoutMs: 1_000 });
  const failure = await transporter.request({ url }).then(
    () => undefined,
    (error: unknown) => classifyGoogleError(error, 'calendar:anna'),
  );
  expect(failure).toMatchObject({ family: 'retryable', code });
});

test('a request whose caller has given up does not leave, and ends no process', async () => {
  let reached = 0;
  const url = await serve((_, reply) => {
    reached += 1;
    reply.end('{}');
  });
  const transporter = createTransporter({ tokenUrl: url, timeoutMs: 20_000 });
  const signal = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  const failure = await transporter.request({ url, method: 'POST', data: { summary: 'x' }, signal }).then(
    () => undefined,
    (error: unknown) => classifyGoogleError(error, 'calendar:anna'),
  );
  expect(failure).toMatchObject({ family: 'retryable', code: 'google-timeout' });
  expect(reached).toBe(0);
});

test('a deadline that passes while the HTTP client is being loaded ends the request, not the process', async () => {
  const url = await serve((_, reply) => reply.end('{}'));
  const transporter = createTransporter({ tokenUrl: url, timeoutMs: 20_000 });
  const giveUp = new AbortController();
  // As late as anything of ours runs before the client: what follows is the library's own.
  transporter.interceptors.request.add({
    resolved: async (request) => {
      giveUp.abort(new DOMException('late', 'TimeoutError'));
      return request;
    },
  });
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', note);
  try {
    const failure = await transporter
      .request({ url, method: 'POST', data: { summary: 'x' }, signal: giveUp.signal })
      .then(
        () => undefined,
        (error: unknown) => classifyGoogleError(error, 'calendar:anna'),
      );
    // The error of a body comes a turn of the event loop later.
    await new Promise((done) => setImmediate(done));
    expect(failure).toMatchObject({ family: 'retryable', code: 'google-timeout' });
    expect(uncaught).toEqual([]);
  } finally {
    process.removeListener('uncaughtException', note);
    for (const each of others) process.on('uncaughtException', each);
  }
});
