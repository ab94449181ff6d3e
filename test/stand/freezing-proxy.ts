import { connect as connectTo, createServer, type Socket } from 'node:net';

/** A TCP proxy that can fall silent without closing a connection, as a host does that loses its power or its route. */
export interface FreezingProxy {
  readonly port: number;
  /** From now on nothing passes in either direction. New connections are accepted, as by the kernel of a process that stands still. */
  freeze(): void;
  /** Everything that was held back passes. */
  thaw(): void;
  /** The connections of now stay silent for good; later ones work. */
  forget(): void;
  stop(): Promise<void>;
}

/** `target`: a port of this machine, or the path of a unix socket. */
export async function startFreezingProxy(target: number | string): Promise<FreezingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const ends = new Set<Socket>();
  let isFrozen = false;
  const join = (client: Socket) => {
    const server = typeof target === 'string' ? connectTo({ path: target }) : connectTo(target, '127.0.0.1');
    const pair = [client, server] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [server, client] as const]) {
      ends.add(from);
      from.on('error', () => {});
      from.on('data', (data) => to.write(data));
      from.on('close', () => {
        ends.delete(from);
        if (pairs.delete(pair)) to.destroy();
      });
      if (isFrozen) from.pause();
    }
  };
  const listener = createServer(join);
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  const address = listener.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    freeze() {
      isFrozen = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of [...pairs].flat()) socket.resume();
    },
    forget() {
      for (const socket of [...pairs].flat()) socket.pause();
      pairs.clear();
    },
    async stop() {
      const closed = new Promise((done) => listener.close(done));
      for (const socket of ends) socket.destroy();
      await closed;
    },
  };
}
