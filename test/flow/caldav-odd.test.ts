import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { behindRelay, type Relay } from '../caldav/relay.ts';
import { describeOn } from '../caldav/servers/describe.ts';
import { handsOf, makeCalendar } from '../caldav/stand.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { startWorld, type World } from '../stand/world.ts';

const TLS = new URL('../engine/store/tls/', import.meta.url);
const until = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: PATIENCE_MS, interval: 100 });

describeOn('radicale', (start) => {
  let server: Relay;
  let world: World;
  let url: string;
  let work: string;
  let tasks: string;
  let hands: ReturnType<typeof handsOf>;
  // A certificate that nobody has signed.
  const sealed = createServer(
    { cert: readFileSync(new URL('cert.pem', TLS)), key: readFileSync(new URL('key.pem', TLS)) },
    (_, response) => response.end(),
  );

  beforeAll(async () => {
    server = await behindRelay(await start());
    await new Promise<void>((done) => sealed.listen(0, '127.0.0.1', done));
    const other = `https://127.0.0.1:${(sealed.address() as AddressInfo).port}/room/`;
    const [anna] = server.accounts;
    hands = handsOf(anna);
    work = await makeCalendar(anna, 'work');
    tasks = await makeCalendar(anna, 'tasks', 'VTODO');
    const login = `user: "${anna.user}", password: "${anna.password}"`;
    world = await startWorld({
      watch: '{ every: 5s, settle: 100ms }',
      mirrors: `
caldav:
  accounts:
    office: { url: "${server.url}", ${login} }
    sealed: { url: "${other}", ${login} }
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
        Anna Petrova: { id: "${work}", account: office }
        Boris Ivanov: { id: "${tasks}", account: office }
        Room 1: { id: "${other}", account: sealed }
    event: { title: "{{ service_name }}, {{ customer_name }}" }
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
`,
    });
    const port = await world.door();
    await world.subscribe(port);
    ({ url } = await world.startWorker(port));
  }, 180_000);
  afterAll(async () => {
    await world.close();
    sealed.closeAllConnections();
    await Promise.all([server.stop(), new Promise((done) => sealed.close(done))]);
  });

  const problemOf = async (target: string) =>
    (await world.status(url)).problems.find((problem) => problem.target === target)?.code;
  const isConfirmed = (id: string) => world.platform.truth.appointment(id)?.['status'] === 'confirmed';

  it('an event that is too large for the server is a dead letter, and others stay', async () => {
    const first = world.book({ hours: 24 });
    await until(async () => expect(await hands.names(work)).toHaveLength(1));
    server.instead = ({ method }) =>
      method === 'PUT' ? { status: 413, type: 'text/plain', body: 'too large' } : undefined;
    const second = world.book({ hours: 26 });
    await until(async () => {
      const { dead_letters: letters } = await world.status(url);
      expect(JSON.stringify(letters)).toContain('caldav-too-large');
    });
    server.instead = () => undefined;
    expect(await hands.names(work)).toHaveLength(1);
    expect([first, second].filter(isConfirmed)).toHaveLength(2);
  });

  it('a calendar only for tasks and a certificate that is not trusted are problems of their own', async () => {
    const { boris } = world.company;
    const hidden = world.book({ hours: 28, resourceId: boris });
    await until(async () => expect(await problemOf('caldav:sealed')).toBe('caldav-untrusted'));
    await until(async () => expect(await problemOf(`calendar:${tasks}`)).toBe('caldav-tasks-only'));
    expect(await hands.names(tasks)).toEqual([]);
    expect(isConfirmed(hidden)).toBe(true);
  });
});
