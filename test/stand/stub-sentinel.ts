import { createServer, type Socket } from 'node:net';

/** A sentinel that says what a test wants: a real one takes seconds to notice a failure, and many set-ups cannot be forced on it. */
export async function startStubSentinel(
  said: { masterPort: number; epoch?: number; others?: readonly number[] } | 'nothing',
) {
  let now = said;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (data) => {
      if (now === 'nothing') return;
      text += String(data);
      const { rest, commands } = commandsIn(text);
      text = rest;
      for (const words of commands) socket.write(reply(words, now));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    say(next: typeof said) {
      now = next;
    },
    async stop() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function reply(
  words: readonly string[],
  { masterPort, epoch = 0, others = [] }: { masterPort: number; epoch?: number; others?: readonly number[] },
): string {
  switch (words[1]?.toLowerCase()) {
    case 'get-master-addr-by-name':
      return list(['127.0.0.1', String(masterPort)].map(bulk));
    case 'master':
      return list(['name', 'office', 'config-epoch', String(epoch)].map(bulk));
    case 'sentinels':
      return list(
        others.map((port) => list(['ip', '127.0.0.1', 'port', String(port), 'flags', 'sentinel'].map(bulk))),
      );
    default:
      return '+OK\r\n';
  }
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

function list(items: readonly string[]): string {
  return `*${items.length}\r\n${items.join('')}`;
}

/** The whole commands of a text in RESP, and what is left of it. */
function commandsIn(text: string): { rest: string; commands: string[][] } {
  const commands: string[][] = [];
  let rest = text;
  for (;;) {
    const count = Number(/^\*(\d+)\r\n/.exec(rest)?.[1] ?? Number.NaN);
    const parts = rest.split('\r\n');
    if (Number.isNaN(count) || parts.length <= 2 * count + 1) return { rest, commands };
    commands.push(Array.from({ length: count }, (_, at) => parts[2 * at + 2] ?? ''));
    rest = parts.slice(2 * count + 1).join('\r\n');
  }
}
