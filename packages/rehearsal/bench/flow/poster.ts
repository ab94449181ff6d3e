// Posts signed webhooks over a number of connections, one after another on each, and measures each answer's time. It is a
// separate process, so that it shares no event loop with the worker or the sandboxes. It uses plain sockets to keep its own cost
// small.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

export interface PostOrder {
  readonly url: string;
  readonly secret: string;
  readonly connections: number;
  /** One delivery body per line. */
  readonly bodiesFile: string;
}

export interface Posted {
  readonly seconds: number;
  /** In milliseconds, in the order of the answers. */
  readonly tookMs: readonly number[];
  /** Number of answers other than 2xx. */
  readonly refused: number;
}

process.on('message', (order: PostOrder) => {
  post(order).then(
    (posted) => process.send?.(posted),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
// The bench has ended.
process.on('disconnect', () => process.exit());

async function post(order: PostOrder): Promise<Posted> {
  const requests = readFileSync(order.bodiesFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((body) => requestOf(order, body));
  const taken = { next: 0, tookMs: [] as number[], refused: 0 };
  const startedAt = performance.now();
  const { connections } = order;
  await Promise.all(Array.from({ length: connections }, () => postAlong(order.url, requests, taken)));
  return { seconds: (performance.now() - startedAt) / 1_000, tookMs: taken.tookMs, refused: taken.refused };
}

/** The whole request, signed as the platform signs it (platform API, Events). */
function requestOf({ url, secret }: PostOrder, body: string): Buffer {
  const { host, pathname } = new URL(url);
  const seconds = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return Buffer.from(
    [
      `POST ${pathname} HTTP/1.1`,
      `host: ${host}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      `service-signature: t=${seconds},v1=${signature}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** One connection: sends the next request as soon as the last one is answered. */
function postAlong(
  url: string,
  requests: readonly Buffer[],
  taken: { next: number; tookMs: number[]; refused: number },
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  return new Promise((done, fail) => {
    let sentAt = 0;
    let answer = '';
    const send = (): void => {
      const request = requests[taken.next];
      if (request === undefined) {
        socket.end(done);
        return;
      }
      taken.next += 1;
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the server closed a connection')));
    socket.on('data', (text: string) => {
      answer += text;
      const head = answer.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? 0);
      if (answer.length < head + 4 + length) return;
      taken.tookMs.push(performance.now() - sentAt);
      if (!answer.startsWith('HTTP/1.1 2')) taken.refused += 1;
      answer = '';
      send();
    });
  });
}
