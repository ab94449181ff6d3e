import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { behindRelay, type Relay } from '../caldav/relay.ts';
import { describeOn } from '../caldav/servers/describe.ts';
import { makeCalendar } from '../caldav/stand.ts';
import { type CaldavWorld, startCaldavWorld, until } from '../stand/caldav-world.ts';

const TLS = new URL('../engine/store/tls/', import.meta.url);

describeOn('radicale', (start) => {
  let server: Relay;
  let at: CaldavWorld;
  let tasks: string;
  // A certificate that nobody has signed.
  const sealed = createServer(
    { cert: readFileSync(new URL('cert.pem', TLS)), key: readFileSync(new URL('key.pem', TLS)) },
    (_, response) => response.end(),
  );

  beforeAll(async () => {
    server = await behindRelay(await start());
    await new Promise<void>((done) => sealed.listen(0, '127.0.0.1', done));
    const other = `https://127.0.0.1:${(sealed.address() as AddressInfo).port}/room/`;
    tasks = await makeCalendar(server.accounts[0], 'tasks', 'VTODO');
    at = await startCaldavWorld(server, {
      accounts: `sealed: { url: "${other}", user: "anna", password: "secret" }`,
      map: `Boris Ivanov: { id: "${tasks}", account: office }\nRoom 1: { id: "${other}", account: sealed }`,
    });
  }, 180_000);
  afterAll(async () => {
    sealed.closeAllConnections();
    await Promise.all([at.close(), new Promise((done) => sealed.close(done))]);
  });

  it('an event that is too large for the server is a dead letter, and others stay', async () => {
    const { world, url } = at;
    const first = world.book({ hours: 24 });
    await at.only();
    server.instead = ({ method }) =>
      method === 'PUT' ? { status: 413, type: 'text/plain', body: 'too large' } : undefined;
    const second = world.book({ hours: 26 });
    await until(async () =>
      expect((await world.status(url)).dead_letters.by_code).toEqual({ 'caldav-too-large': 1 }),
    );
    server.instead = () => undefined;
    expect(await at.files()).toHaveLength(1);
    expect([first, second].map(at.statusOf)).toEqual(['confirmed', 'confirmed']);
  });

  it('a calendar only for tasks and a certificate that is not trusted are problems of their own', async () => {
    const { world, url, hands } = at;
    const hidden = world.book({ hours: 28, resourceId: world.company.boris });
    const problemOf = async (target: string) =>
      (await world.status(url)).problems.find((problem) => problem.target === target)?.code;
    await until(async () => expect(await problemOf('caldav:sealed')).toBe('caldav-untrusted'));
    await until(async () => expect(await problemOf(`calendar:${tasks}`)).toBe('caldav-tasks-only'));
    expect(await hands.names(tasks)).toEqual([]);
    expect(at.statusOf(hidden)).toBe('confirmed');
  });
});
