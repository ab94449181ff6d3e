// The fixed address at which the platform reaches the worker, whichever worker is behind it now.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Door {
  readonly url: string;
  leadTo(url: string | undefined): void;
  close(): Promise<void>;
}

export async function openDoor(): Promise<Door> {
  const sockets = new Set<Socket>();
  let port: number | undefined;
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (port === undefined) {
      near.destroy();
      return;
    }
    const onward = connect(port, '127.0.0.1');
    for (const socket of [near, onward]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        onward.destroy();
      });
    }
    near.pipe(onward);
    onward.pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url) {
      port = url === undefined ? undefined : Number(new URL(url).port);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
