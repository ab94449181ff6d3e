import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { ownPort } from '../../demo/own-port.ts';

test('a port that was handed out is handed out to nobody else, though nothing listens on it yet', async () => {
  const ports = [await ownPort(), await ownPort(), ...(await Promise.all([ownPort(), ownPort(), ownPort()]))];
  expect(new Set(ports).size).toBe(5);
  // The system hands out none of these for port 0, nor for a connection.
  for (const port of ports) expect(port).toBeLessThan(32_768);
  const [port] = ports;
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
});

test('a port on which a server listens that never asked is passed over', async () => {
  const first = await ownPort();
  const strangers = [2, 4, 6, 8].map((ahead) => createServer().listen(first + ahead, '127.0.0.1'));
  // Another process may own one of them: that one is passed over as well.
  const taken = strangers.map((each) => Promise.race([once(each, 'listening'), once(each, 'error')]));
  await Promise.all(taken.map((each) => each.catch(() => undefined)));
  expect([first + 2, first + 4, first + 6, first + 8]).not.toContain(await ownPort());
  for (const each of strangers) each.close();
});
