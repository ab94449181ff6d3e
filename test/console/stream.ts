import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stream } from '../../src/console/stream.ts';

const SESSION = { role: 'viewer', who: 'anna', sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER } as const;

export const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((done) => setTimeout(done, 20));
};

/** The way to a page with its answer, as the server holds it. */
export async function openStream() {
  let raw: ServerResponse | undefined;
  const server = createServer((_request, answer) => {
    raw = answer;
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  let text = '';
  const sent = request({ port, host: '127.0.0.1' }, (answer) => {
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }).on('error', () => {});
  sent.end();
  await until(() => raw !== undefined);
  const answer = raw as unknown as ServerResponse;
  return {
    raw: answer,
    stream: new Stream(answer, { token: '', access: { session: async () => SESSION } }),
    /** What has arrived at the page. */
    text: () => text,
    async close() {
      sent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
