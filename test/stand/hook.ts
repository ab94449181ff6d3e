import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A channel that takes alerts as Slack does, and can be told to refuse them. */
export async function startHook() {
  const texts: string[] = [];
  const hook = {
    url: '',
    /** What was accepted, oldest first. */
    texts,
    /** Posts that came, accepted or not. */
    posts: 0,
    status: 200,
    headers: {} as Record<string, string>,
    /** Takes the text and cuts the connection instead of answering. */
    losesAnswer: false,
    /** Takes the text and says nothing. */
    holds: false,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      hook.posts += 1;
      const { text } = JSON.parse(Buffer.concat(chunks).toString()) as { text: string };
      if (hook.status === 200) texts.push(text);
      if (hook.holds) return;
      if (hook.losesAnswer) request.socket.destroy();
      else response.writeHead(hook.status, hook.headers).end('ok');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  hook.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/secret-part`;
  return hook;
}

export type Hook = Awaited<ReturnType<typeof startHook>>;
