import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ephemeral ports of operating systems. A Redis Cluster also listens on the port 10,000 above, which is below them, too. */
const FIRST_PORT = 20_000;
const PAIRS_MAX = 1_000;

/**
 * A free port of 127.0.0.1, for an address that must be known before its server starts. It is reserved until this process ends: every
 * caller needs a port together with its upper neighbour, and this process keeps listening on the neighbour.
 */
export async function ownPort(): Promise<number> {
  for (let tries = 0; tries < PAIRS_MAX; tries += 1) {
    const port = FIRST_PORT + 2 * ((process.pid + tries) % PAIRS_MAX);
    const sign = await listen(port + 1);
    if (sign === undefined) continue;
    const free = await listen(port);
    if (free === undefined) {
      sign.close();
      continue;
    }
    free.close();
    await once(free, 'close');
    sign.unref();
    return port;
  }
  throw new Error(`none of ${PAIRS_MAX} ports from ${FIRST_PORT} on is free`);
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
