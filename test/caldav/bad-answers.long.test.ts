import { afterEach, describe, expect, test } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { EventBody } from '../../src/google/calendar-event.ts';
import { rowsOf } from '../stand/runs.ts';
import { type OpenCaldav, openCaldav } from './contract/open-caldav.ts';
import { behindRelay, type Relay } from './relay.ts';
import { describeOn } from './servers/describe.ts';
import { handsOf } from './stand.ts';

const ID = eventIdOf('0d3b2f6a-91c4-4f0e-8a57-000000000001');
const BODY: EventBody = {
  summary: 'Haircut',
  start: { dateTime: '2026-11-03T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-11-03T11:00:00+01:00', timeZone: 'Europe/Berlin' },
  status: 'confirmed',
  extendedProperties: { private: { slotbridge: '1' } },
};
const PAGE = { status: 200, type: 'text/html', body: '<html><body>Please sign in</body></html>' };
const FROM_THE_START = { syncToken: undefined, pageToken: undefined };

describeOn('radicale', (start) => {
  let at: OpenCaldav;
  let relay: Relay;
  afterEach(() => at.close());

  const open = async () => {
    at = await openCaldav(async () => {
      relay = await behindRelay(await start());
      return relay;
    });
    const calendar = await at.newCalendar();
    await at.api.insert(calendar, ID, BODY);
    const first = await at.watch.changes(calendar, FROM_THE_START);
    if (typeof first === 'string') throw new Error(first);
    return { calendar, place: { syncToken: first.nextSyncToken, pageToken: undefined } };
  };
  /** Every call that could conclude that an event is gone, or that all is well. */
  const calls = (calendar: string, place: Parameters<typeof at.watch.changes>[1]) => ({
    get: () => at.api.get(calendar, ID),
    insert: () => at.api.insert(calendar, ID, BODY),
    remove: () => at.api.remove(calendar, { id: ID, etag: 'any' }),
    changes: () => at.watch.changes(calendar, place),
    list: () => at.watch.changes(calendar, FROM_THE_START),
    busy: () => at.busy.list(calendar, { fromMs: 0, untilMs: 2e12 }, { ruled: false }),
  });

  test.each(rowsOf(['get', 'insert', 'remove', 'changes', 'list', 'busy'], 4))(
    'a page in place of XML is no answer to %s',
    async (name) => {
      const { calendar, place } = await open();
      relay.instead = () => PAGE;
      await expect(calls(calendar, place)[name]()).rejects.toMatchObject({
        ...{ family: 'deferred', code: 'caldav-not-caldav', target: 'caldav:office' },
      });
      relay.instead = () => undefined;
      expect(await at.staff.see(calendar)).toHaveLength(1);
    },
  );

  test.each(rowsOf(['insert', 'get', 'changes', 'list', 'busy', 'remove'], 6))(
    'a password that has expired stops %s with a problem of the account',
    async (name) => {
      const { calendar, place } = await open();
      relay.instead = () => ({ status: 401, type: 'text/plain', body: 'no' });
      await expect(calls(calendar, place)[name]()).rejects.toMatchObject({
        ...{ family: 'deferred', code: 'caldav-unauthenticated', target: 'caldav:office' },
      });
    },
  );

  test.each(rowsOf([502, 504, 500, 503], 4))('%i is an outage, and proves no absence', async (status) => {
    const { calendar, place } = await open();
    relay.instead = () => ({ status, type: 'text/html', body: '<html>' });
    for (const name of ['get', 'remove', 'list', 'busy'] as const)
      await expect(calls(calendar, place)[name]()).rejects.toMatchObject({ family: 'retryable' });
  });

  test.each(['get', 'patch', 'remove'] as const)(
    'P7: a 404 that its calendar contradicts is no absence for %s',
    async (name) => {
      const { calendar } = await open();
      const seen = await at.api.get(calendar, ID);
      if (seen === 'absent') throw new Error(seen);
      at.parts.memory.forget(calendar, String(await at.parts.index.hrefOf(calendar, ID)));
      let left = 1;
      relay.instead = ({ method }) =>
        method === 'GET' && left-- > 0 ? { status: 404, type: 'text/plain', body: 'no' } : undefined;
      const calls = {
        get: () => at.api.get(calendar, ID),
        patch: () => at.api.patch(calendar, seen, { summary: 'Cut' }),
        remove: () => at.api.remove(calendar, seen),
      };
      expect(await calls[name]()).not.toBe('absent');
      expect(left).toBeLessThan(1);
    },
  );

  test('P7: an event that the server lists and never shows is not absent', async () => {
    const { calendar } = await open();
    relay.instead = ({ method }) =>
      method === 'GET' ? { status: 404, type: 'text/plain', body: 'no' } : undefined;
    await expect(at.api.get(calendar, ID)).rejects.toMatchObject({ code: 'caldav-events-odd' });
  });

  /** The event under a name of a person's choice, of which the worker knows nothing. */
  async function openRenamed() {
    const { calendar } = await open();
    const hands = handsOf(relay.accounts[0]);
    const [file = ''] = await hands.names(calendar);
    const text = await hands.get(`${calendar}${file}`);
    await hands.remove(`${calendar}${file}`);
    expect(await hands.put(`${calendar}mine.ics`, text)).toBeLessThan(300);
    return { calendar };
  }
  /** What a list says of this address, instead of the server's own words. */
  const inList = (name: string, says: (response: string) => string) => (body: string) =>
    body.includes('calendar-data')
      ? body
      : body.replace(/<(?:\w+:)?response>(?:(?!<\/(?:\w+:)?response>).)*<\/(?:\w+:)?response>/gs, (each) =>
          each.includes(name) ? says(each) : each,
        );
  const OWN = /<((?:\w+:)?)href>/;

  test('P7: an event about which a list has only an error is no absent one', async () => {
    const { calendar } = await openRenamed();
    relay.change = inList('mine.ics', (response) => {
      const [, space = ''] = OWN.exec(response) ?? [];
      const href = /<(?:\w+:)?href>.*?<\/(?:\w+:)?href>/.exec(response)?.[0] ?? '';
      return `<${space}response>${href}<${space}status>HTTP/1.1 503 Busy</${space}status></${space}response>`;
    });
    expect(await at.api.get(calendar, ID)).toMatchObject({ summary: 'Haircut' });
  });

  test('P7: an event that a list leaves out because it is cut (507) is no absent one', async () => {
    const { calendar } = await openRenamed();
    let cuts = 0;
    const path = new URL(calendar).pathname;
    relay.change = (body) => {
      if (body.includes('sync-token>')) return body;
      return inList('mine.ics', (response) => {
        cuts += 1;
        const [, space = ''] = OWN.exec(response) ?? [];
        return `<${space}response><${space}href>${path}</${space}href><${space}status>HTTP/1.1 507 Cut</${space}status></${space}response>`;
      })(body);
    };
    expect(await at.api.get(calendar, ID)).toMatchObject({ summary: 'Haircut' });
    expect(cuts).toBeGreaterThan(0);
  });

  test('P1: changes that are cut (507) and tell no token from which to go on are listed anew', async () => {
    const { calendar, place } = await open();
    await at.staff.edit(calendar, 'Haircut', { title: 'Longer' });
    relay.change = (body) => {
      const space = /<\/(\w+:)?multistatus>/.exec(body)?.[1] ?? '';
      const self = `<${space}response><${space}href>${new URL(calendar).pathname}</${space}href><${space}status>HTTP/1.1 507 Cut</${space}status></${space}response>`;
      return body
        .replace(/<(?:\w+:)?sync-token>.*?<\/(?:\w+:)?sync-token>/s, '')
        .replace(/(?=<\/(?:\w+:)?multistatus>)/, self);
    };
    expect(await at.watch.changes(calendar, place)).toBe('lost');
  });

  test('P2: a server that answers 200 to what it stores stores each event once, and is read after it', async () => {
    const { calendar } = await open();
    relay.status = ({ method }, status) => (method === 'PUT' && status < 300 ? 200 : status);
    const other = eventIdOf('0d3b2f6a-91c4-4f0e-8a57-000000000003');
    expect(await at.api.insert(calendar, other, { ...BODY, summary: 'Shave' })).toMatchObject({
      summary: 'Shave',
    });
    const seen = await at.api.get(calendar, ID);
    if (seen === 'absent') throw new Error(seen);
    expect(await at.api.patch(calendar, seen, { summary: 'Longer' })).toMatchObject({ summary: 'Longer' });
    const titles = (await at.staff.see(calendar)).map(({ title }) => title);
    expect(titles.sort()).toEqual(['Longer', 'Shave']);
  });

  test.each(['PUT', 'DELETE'] as const)(
    'a page in place of an answer to %s says nothing of the event (P1)',
    async (verb) => {
      const { calendar } = await open();
      const seen = await at.api.get(calendar, ID);
      if (seen === 'absent') throw new Error(seen);
      relay.instead = ({ method }) => (method === verb ? PAGE : undefined);
      const written =
        verb === 'PUT' ? at.api.patch(calendar, seen, { summary: 'Cut' }) : at.api.remove(calendar, seen);
      await expect(written).rejects.toMatchObject({ code: 'caldav-not-caldav', target: 'caldav:office' });
      relay.instead = () => undefined;
      expect(await at.staff.see(calendar)).toMatchObject([{ title: 'Haircut' }]);
    },
  );

  const [IN_TWO_MINUTES, SENT] = ['Sun, 29 Nov 2026 10:02:00 GMT', 'Sun, 29 Nov 2026 10:00:00 GMT'];
  test.each([
    ['a lock of somebody else', { status: 423 }, { family: 'retryable', code: 'caldav-unavailable' }],
    ['a quota that is used up', { status: 507 }, { family: 'deferred', code: 'caldav-full' }],
    [
      'a pause until a date',
      { status: 503, headers: { 'retry-after': IN_TWO_MINUTES, date: SENT } },
      { family: 'deferred', code: 'caldav-busy', retryAfterMs: 120_000 },
    ],
  ])('%s is no fault of the event: its change waits', async (_, said, error) => {
    const { calendar } = await open();
    const seen = await at.api.get(calendar, ID);
    if (seen === 'absent') throw new Error(seen);
    relay.instead = ({ method }) =>
      method === 'PUT' ? { type: 'text/plain', body: 'no', ...said } : undefined;
    await expect(at.api.patch(calendar, seen, { summary: 'Cut' })).rejects.toMatchObject(error);
    // What refuses writes is read all the same.
    expect(await at.api.get(calendar, ID)).toMatchObject({ summary: 'Haircut' });
  });

  test('behind a proxy that compresses, an event is changed and removed', async () => {
    const { calendar } = await open();
    relay.compresses = true;
    at.parts.memory.forget(calendar, (await at.parts.index.hrefOf(calendar, ID)) ?? '');
    const seen = await at.api.get(calendar, ID);
    if (seen === 'absent') throw new Error(seen);
    const patched = await at.api.patch(calendar, seen, { summary: 'Long haircut' });
    if (typeof patched === 'string') throw new Error(patched);
    at.parts.memory.forget(calendar, (await at.parts.index.hrefOf(calendar, ID)) ?? '');
    expect(await at.api.remove(calendar, patched)).toBe('removed');
  });

  describe.each(['on-the-way', 'for-good'] as const)('where versions are weak %s', (weakens) => {
    const changed = async () => {
      at = await openCaldav(async () => {
        relay = await behindRelay(await start());
        return Object.assign(relay, { weakens });
      });
      const calendar = await at.newCalendar();
      const made = await at.api.insert(calendar, ID, BODY);
      if (made === 'taken') throw new Error(made);
      return { calendar, made };
    };

    test('an event is changed, changed again and removed', async () => {
      const { calendar, made } = await changed();
      const patched = await at.api.patch(calendar, made, { summary: 'Long haircut' });
      if (typeof patched === 'string') throw new Error(patched);
      const again = await at.api.patch(calendar, patched, { summary: 'Short haircut' });
      if (typeof again === 'string') throw new Error(again);
      expect(await at.staff.see(calendar)).toMatchObject([{ title: 'Short haircut' }]);
      expect(await at.api.remove(calendar, again)).toBe('removed');
      expect(await at.staff.see(calendar)).toEqual([]);
    });

    test("people's change after a write of the worker is not overwritten", async () => {
      const { calendar, made } = await changed();
      await at.watch.changes(calendar, FROM_THE_START);
      const patched = await at.api.patch(calendar, made, { summary: 'Long haircut' });
      if (typeof patched === 'string') throw new Error(patched);
      await at.staff.edit(calendar, 'Long haircut', { title: 'By people' });
      expect(await at.api.patch(calendar, patched, { summary: 'Short haircut' })).toBe('changed');
      expect(await at.api.remove(calendar, patched)).toBe('changed');
      expect(await at.staff.see(calendar)).toMatchObject([{ title: 'By people' }]);
    });

    test("people's change since is not overwritten, and not removed", async () => {
      const { calendar, made } = await changed();
      await at.staff.edit(calendar, 'Haircut', { title: 'By people' });
      expect(await at.api.patch(calendar, made, { summary: 'Long haircut' })).toBe('changed');
      expect(await at.api.remove(calendar, made)).toBe('changed');
      expect(await at.staff.see(calendar)).toMatchObject([{ title: 'By people' }]);
    });
  });

  /** A server without tokens, with the worker's event and one of people, both told. */
  const openWithoutTokens = async () => {
    at = await openCaldav(async () => {
      relay = await behindRelay(await start());
      relay.change = (body) =>
        body
          .replaceAll(
            /<(\w+:)?supported-report>\s*<(\w+:)?report>\s*<(\w+:)?sync-collection\s*\/>.*?<\/(\w+:)?supported-report>/gs,
            '',
          )
          .replaceAll(/<(\w+:)?sync-token>[^<]*<\/(\w+:)?sync-token>/g, '');
      relay.instead = ({ method, headers }) =>
        method === 'REPORT' && headers.depth === '0'
          ? { status: 403, type: 'text/plain', body: 'no' }
          : undefined;
      return relay;
    });
    const calendar = await at.newCalendar();
    await at.api.insert(calendar, ID, BODY);
    await at.staff.add(calendar, { title: 'Walk', start: '2026-11-04T12:00', end: '2026-11-04T13:00' });
    const first = await at.watch.changes(calendar, FROM_THE_START);
    if (typeof first === 'string') throw new Error(first);
    expect(first.events).toHaveLength(2);
    const since = async (token: string | undefined) => {
      const page = await at.watch.changes(calendar, { syncToken: token, pageToken: undefined });
      if (typeof page === 'string') throw new Error(page);
      const told = page.events.map(({ id, status, summary }) => (id === ID ? status : summary));
      return { told: told.sort(), token: page.nextSyncToken };
    };
    return { calendar, since, token: first.nextSyncToken };
  };

  test('a server that knows no sync-collection tells changes and deletions all the same', async () => {
    const { calendar, since, token } = await openWithoutTokens();
    await at.staff.edit(calendar, 'Walk', { title: 'Run' });
    await at.staff.remove(calendar, 'Haircut');
    expect((await since(token)).told).toEqual(['Run', 'cancelled']);
  });

  test('an unknown server that answers 201 to each update keeps the event that was changed (P7)', async () => {
    const { calendar } = await openWithoutTokens();
    for (const summary of ['Long haircut', 'Short haircut']) {
      const seen = await at.api.get(calendar, ID);
      if (seen === 'absent') throw new Error(seen);
      expect(await at.api.patch(calendar, seen, { summary })).toMatchObject({ summary });
    }
    const titles = (await at.staff.see(calendar)).map(({ title }) => title);
    expect(titles.sort()).toEqual(['Short haircut', 'Walk']);
  });

  test('without tokens, a change that a search for another event has read is still told', async () => {
    const { calendar, since, token } = await openWithoutTokens();
    await at.staff.edit(calendar, 'Walk', { title: 'Run' });
    expect(await at.api.get(calendar, eventIdOf('0d3b2f6a-91c4-4f0e-8a57-000000000002'))).toBe('absent');
    const next = await since(token);
    expect(next.told).toEqual(['Run']);
    expect((await since(next.token)).told).toEqual([]);
  });

  test('without tokens, changes whose effects were not stored are told again, once', async () => {
    const { calendar, since, token } = await openWithoutTokens();
    await at.staff.edit(calendar, 'Walk', { title: 'Run' });
    await since(token);
    const again = await since(token);
    expect(again.told).toEqual(['Run']);
    const next = await since(again.token);
    expect(next.told).toEqual([]);
    expect((await since(next.token)).told).toEqual([]);
  });
});
