import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Where a line leads: a port of 127.0.0.1, or the path of a unix socket. */
export type FarEnd = number | string;

/**
 * All that a worker has of the world goes over lines like this one. When they are cut at once, the world cannot tell that worker from
 * one that was killed in the middle: nothing it still says arrives, and nothing arrives at it.
 */
export interface Lifeline {
  readonly port: number;
  leadTo(far: FarEnd | undefined): void;
  cut(): void;
  close(): Promise<void>;
}

/** `onCall` is asked before each packet leaves the near end: false loses that packet. */
export async function startLifeline(far?: FarEnd, onCall: () => boolean = () => true): Promise<Lifeline> {
  const sockets = new Set<Socket>();
  let end = far;
  const server: Server = createServer((near) => {
    if (end === undefined) {
      near.destroy();
      return;
    }
    const onward = typeof end === 'number' ? connect(end, '127.0.0.1') : connect(end);
    for (const socket of [near, onward]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        onward.destroy();
      });
    }
    near.on('data', (bytes) => {
      if (onCall()) onward.write(bytes);
    });
    onward.on('data', (bytes) => near.write(bytes));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    end = undefined;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    leadTo(next) {
      end = next;
    },
    cut,
    async close() {
      cut();
      await new Promise((done) => server.close(done));
    },
  };
}
