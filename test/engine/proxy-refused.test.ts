import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { fetchOutside } from '../../src/engine/proxy.ts';
import { createTransporter } from '../../src/google/auth.ts';
import { nodeExchange } from '../../src/platform/http-answer.ts';

let server: Server | undefined;
const sockets = new Set<Socket>();

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const socket of sockets) socket.destroy();
  await new Promise((done) => server?.close(done));
});

/** A proxy that gives this answer to every CONNECT. */
async function proxyThatAnswers(answer: string): Promise<string[]> {
  const asked: string[] = [];
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (text) => {
      asked.push(String(text));
      socket.end(answer);
    });
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('HTTPS_PROXY', `http://office:p%40ss@127.0.0.1:${port}`);
  return asked;
}

const url = 'https://remote.example/calendars/anna/events/e1';
const signal = AbortSignal.timeout(60_000);
const asking = {
  Google: () =>
    createTransporter({ tokenUrl: 'https://remote.example/token', timeoutMs: 30_000 }).request({ url }),
  'the platform': () => nodeExchange({ url, method: 'GET', headers: {}, signal }),
  'an alert or a provider': () => fetchOutside(url, { method: 'GET' }),
};

test.each(
  Object.entries(asking).flatMap(([who, ask]) =>
    [404, 410, 403, 407, 502].map((status) => [who, status, ask] as const),
  ),
)(
  '%s: a proxy that answers %i instead of connecting is an outage, and no answer of the remote side (P7)',
  async (_, status, ask) => {
    const asked = await proxyThatAnswers(`HTTP/1.1 ${status} Sorry\r\ncontent-length: 2\r\n\r\n{}`);
    const error = await ask().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
    expect((error as { status?: unknown }).status).toBeUndefined();
    expect((error as { response?: unknown }).response).toBeUndefined();
    expect(asked).toEqual([
      expect.stringMatching(/^CONNECT remote\.example:443 HTTP\/1\.1\r\nhost: remote\.example:443\r\n/i),
    ]);
    expect(asked[0]).toContain(`Basic ${Buffer.from('office:p@ss').toString('base64')}`);
    expect(JSON.stringify(error)).not.toContain('p%40ss');
  },
);

test('a proxy that nobody runs is an outage too', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
  for (const ask of Object.values(asking))
    await expect(ask()).rejects.toThrow(/proxy cannot be reached|failed/);
});
