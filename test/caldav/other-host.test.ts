import { afterAll, beforeAll, expect, it } from 'vitest';
import { caldavLive } from '../../src/caldav/live.ts';
import { behindRelay, type Relay } from './relay.ts';
import { describeOn } from './servers/describe.ts';
import { makeCalendar } from './stand.ts';

describeOn('radicale', (start) => {
  let relay: Relay;
  beforeAll(async () => {
    relay = await behindRelay(await start());
  }, 60_000);
  afterAll(() => relay.stop());

  async function verdictOn(url: string, id: string) {
    const [{ user, password }] = relay.accounts;
    const settings = {
      ...{ accounts: { office: { url, user, password } }, timeoutMs: 20_000, lookEveryMs: 1_000 },
    };
    const about = { nameOf: () => 'office', clock: { now: Date.now }, calendars: [{ id, isMirrored: true }] };
    const findings = await caldavLive.check(settings, about);
    return findings.find(({ subject }) => subject === `calendar ${id}`);
  }

  it('check tells that a calendar is on another host than its account, which gets the password too (P9)', async () => {
    const id = await makeCalendar(relay.accounts[0], 'one');
    expect(await verdictOn(relay.url, id)).toMatchObject({ verdict: 'ok', detail: 'can be written' });
    const other = id.replace('127.0.0.1', 'localhost');
    expect(await verdictOn(relay.url, other)).toMatchObject({
      verdict: 'notice',
      detail: expect.stringContaining('the server calls it'),
    });
    relay.instead = ({ url }) =>
      url === new URL(id).pathname ? undefined : { status: 404, type: 'text/plain', body: '' };
    expect(await verdictOn(relay.url, other)).toMatchObject({
      verdict: 'notice',
      detail: 'can be written; it is on another host than account office: the password goes there too',
      advice: expect.stringContaining('Correct the address'),
    });
    expect(await verdictOn(relay.url, id)).toMatchObject({ verdict: 'ok' });
    relay.instead = () => undefined;
  });

  it('check tells that a server names a calendar on another host than the YAML (P7)', async () => {
    const id = await makeCalendar(relay.accounts[0], 'two');
    const { pathname } = new URL(id);
    relay.change = (body) => body.replaceAll(/>(\/anna\/\w+\/)</g, '>http://127.0.0.1:1$1<');
    const found = await verdictOn(relay.url, id);
    expect(found).toMatchObject({
      verdict: 'notice',
      detail: expect.stringContaining(`the server calls it http://127.0.0.1:1${pathname}, on another host`),
      advice: expect.stringContaining('name the calendar so'),
    });
    relay.change = (body) => body;
    expect(await verdictOn(relay.url, id)).toMatchObject({ verdict: 'ok' });
  });
});
