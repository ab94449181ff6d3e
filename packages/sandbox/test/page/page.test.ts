import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GoogleSandbox } from '../../src/google/sandbox.ts';
import { type SandboxPage, startSandboxPage } from '../../src/page/page.ts';
import { stateOf } from '../../src/page/state.ts';
import { Armed } from '../../src/page/troubles.ts';
import { PlatformSandbox } from '../../src/platform/sandbox.ts';

const ANNA = 'anna@clinic.example';
let platform: PlatformSandbox;
let google: GoogleSandbox;
let page: SandboxPage;
let serviceId: string;

beforeAll(async () => {
  platform = await PlatformSandbox.start({ eventDelayMs: [0, 0] });
  google = await GoogleSandbox.start();
  google.addCalendar(ANNA, { shareWith: [], timeZone: 'Europe/Moscow', summary: 'Anna' });
  google.addSpreadsheet('book', { shareWith: [], tabs: [{ title: 'Notes', values: [['Name'], ['Vera']] }] });
  const projectId = platform.dashboard.createProject({ name: 'Clinic' });
  const branchId = platform.dashboard.createBranch({ projectId, name: 'Central' });
  const anna = platform.dashboard.createResource({ branchId, name: 'Anna' });
  serviceId = platform.dashboard.createService({ projectId, name: 'Haircut', resourceIds: [anna] });
  page = await startSandboxPage({ platform, google, port: 0 });
});

afterAll(async () => {
  await page.close();
  await google.close();
  await platform.close();
});

interface Asked {
  readonly path?: string;
  readonly host?: string;
  readonly origin?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Plain HTTP: fetch would not send another Host. */
async function ask({ path = '/state', host, origin, headers = {}, body }: Asked) {
  const url = new URL(path, page.url);
  const sent = request(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      host: host ?? url.host,
      ...(origin === undefined ? {} : { origin }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const answer = await new Promise<import('node:http').IncomingMessage>((done, fail) => {
    sent.once('response', done);
    sent.once('error', fail);
  });
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

const act = async (body: unknown) =>
  JSON.parse((await ask({ path: '/act', origin: page.url, body })).text) as {
    said?: string;
    refused?: string;
  };

describe('who may come in', () => {
  it('listens on this machine only', () => {
    expect(new URL(page.url).hostname).toBe('127.0.0.1');
  });

  it.each(['elsewhere.example', 'elsewhere.example:80', '127.0.0.1', 'localhost:1'])(
    'refuses the host %s, which only a foreign name that leads here would send',
    async (host) => {
      expect((await ask({ host, path: '/' })).status).toBeGreaterThanOrEqual(400);
      expect((await ask({ host })).text).not.toContain('Vera');
    },
  );

  it('refuses what another page sends, and what no page sent', async () => {
    const body = { act: 'lose' };
    for (const origin of ['http://elsewhere.example', 'null', undefined])
      expect((await ask({ path: '/act', origin, body })).status).toBe(403);
    expect((await ask({ origin: 'http://elsewhere.example' })).status).toBe(403);
    expect(platform.webhooksToLose).toBe(0);
  });

  it('lets nothing be loaded from elsewhere', async () => {
    const { headers } = await ask({ path: '/' });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('the state', () => {
  it('is answered with 304 as long as nothing has changed', async () => {
    const first = await ask({});
    const headers = { 'if-none-match': String(first.headers.etag) };
    expect(await ask({ headers })).toMatchObject({ status: 304, text: '' });
    google.staff.sheets.setCell({ spreadsheetId: 'book', tab: 'Notes', cell: 'B1', value: 'new' });
    expect((await ask({ headers })).status).toBe(200);
  });

  it.each([['week=nonsense'], ['week=2026-99-99'], ['book=none&tab=none'], ['week=1&week=2']])(
    'is of something that is there, also for ?%s',
    async (query) => {
      const state = JSON.parse((await ask({ path: `/state?${query}` })).text);
      expect(state).toMatchObject({ sheet: { book: 'book', tab: 'Notes' } });
      expect(state.week).toMatch(/^\d{4}-\d\d-\d\d$/);
    },
  );

  it('has each instance of a series on its day, on the clock of the calendar', () => {
    const series = google.staff.calendar.add({
      calendarId: ANNA,
      event: {
        summary: 'Standup',
        start: { dateTime: '2026-11-30T06:00:00Z', timeZone: 'Europe/Moscow' },
        end: { dateTime: '2026-11-30T06:15:00Z', timeZone: 'Europe/Moscow' },
        recurrence: ['RRULE:FREQ=DAILY;COUNT=20'],
      },
    });
    const armed = new Armed({ platform: platform.faults, google: google.faults });
    const state = stateOf({ platform, google, armed }, { week: '2026-12-03' });
    expect(state.week).toBe('2026-11-30');
    expect(state.calendars[0]?.events.map(({ start }) => start)).toEqual(
      ['2026-11-30', '2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04', '2026-12-05', '2026-12-06'].map(
        (day) => `${day}T09:00`,
      ),
    );
    google.staff.calendar.remove({ calendarId: ANNA, eventId: String(series['id']) });
  });

  it('is bounded, however much there is', () => {
    const rows = Array.from({ length: 1_200 }, (_, row) => [`row ${row}`, 'x'.repeat(5_000)]);
    google.addSpreadsheet('long', { shareWith: [], tabs: [{ title: 'Long', rows: 1_200, values: rows }] });
    const armed = new Armed({ platform: platform.faults, google: google.faults });
    const { sheet } = stateOf({ platform, google, armed }, { book: 'long' });
    expect(sheet?.rows).toHaveLength(1_000);
    expect(sheet?.left).toBe(200);
    expect(sheet?.rows[0]?.[1]).toHaveLength(500);
  });
});

describe('an act', () => {
  const start = '2030-01-07T10:00';

  it('books, moves and cancels on the clock of the branch', async () => {
    expect(
      await act({ act: 'book', service: serviceId, resource: '', start, name: 'Vera', phone: '' }),
    ).toEqual({
      said: 'Booked for Mon 7 January, 10:00. Watch the calendar and the sheet.',
    });
    const [booked] = platform.truth.appointments();
    expect(booked).toMatchObject({ starts_at: '2030-01-07T07:00:00.000Z', customer_name: 'Vera' });
    const id = String(booked?.['id']);
    await act({ act: 'move', id, start: '2030-01-08T12:00' });
    expect(platform.truth.appointment(id)).toMatchObject({ starts_at: '2030-01-08T09:00:00.000Z' });
    await act({ act: 'cancel', id });
    expect(platform.truth.appointment(id)).toMatchObject({ status: 'cancelled' });
    expect(await act({ act: 'move', id, start })).toEqual({ refused: expect.any(String) });
  });

  it('changes of an event only what was given, and deletes it', async () => {
    const times = { start: '2030-01-07T10:00', end: '2030-01-07T11:00' };
    await act({ act: 'add-event', calendar: ANNA, title: 'Lunch', ...times });
    const [added] = google.truth.events(ANNA);
    const id = String(added?.['id']);
    await act({ act: 'change-event', calendar: ANNA, id, title: 'Late lunch' });
    expect(google.truth.event(ANNA, id)).toMatchObject({
      summary: 'Late lunch',
      start: added?.['start'] as object,
    });
    await act({ act: 'delete-event', calendar: ANNA, id });
    expect(google.truth.events(ANNA)).toEqual([]);
  });

  it.each([
    ['nothing', {}],
    ['an unknown act', { act: 'format-disk' }],
    ['a time that is none', { act: 'move', id: 'x', start: '2030-02-31T10:00' }],
    ['an appointment that is not there', { act: 'cancel', id: 'x' }],
    ['a calendar that is not there', { act: 'add-event', calendar: 'x', title: '', start, end: start }],
    [
      'an event that ends before it begins',
      { act: 'add-event', calendar: ANNA, title: '', start, end: '2029-01-01T10:00' },
    ],
    [
      'a cell far outside',
      { act: 'type', book: 'book', tab: 'Notes', row: 4_999, column: 99, was: '', value: 'x' },
    ],
    ['no name', { act: 'book', service: serviceId, resource: '', start, name: '  ', phone: '' }],
  ])('that is %s is refused in words and changes nothing', async (_, body) => {
    const before = JSON.stringify([
      platform.truth.appointments(),
      google.truth.events(ANNA),
      google.truth.values('book', 'Notes'),
    ]);
    expect(await act(body)).toEqual({ refused: expect.stringMatching(/\w/) });
    expect(
      JSON.stringify([
        platform.truth.appointments(),
        google.truth.events(ANNA),
        google.truth.values('book', 'Notes'),
      ]),
    ).toBe(before);
  });
});

describe('the language of the page', () => {
  it('is Russian for every text that it has', () => {
    const files = new URL('../../src/page/files/', import.meta.url);
    const words = readFileSync(new URL('words.js', files), 'utf8');
    const known = new Set(
      [...words.slice(words.indexOf('const RU')).matchAll(/^ {2}(?:'([^']+)'|([^\s:']+)):/gm)].map(
        ([, quoted, plain]) => quoted ?? plain,
      ),
    );
    const body = readFileSync(new URL('index.html', files), 'utf8').split('<body>')[1] ?? '';
    const texts = [
      ...[...body.matchAll(/aria-label="([^"]+)"/g)].map(([, text = '']) => text),
      ...body.split(/<[^>]*>/).map((text) => text.trim()),
      ...readdirSync(files)
        .filter((name) => name.endsWith('.js') && name !== 'words.js')
        .flatMap((name) => [
          ...readFileSync(new URL(name, files), 'utf8').matchAll(
            /\bt\((?:\w+ \? )?'([^']+)'(?: : '([^']+)')?/g,
          ),
        ])
        .flatMap(([, text = '', other = '']) => [text, other]),
    ].filter((text) => text !== '');
    expect(texts.length).toBeGreaterThan(60);
    expect(texts.filter((text) => !known.has(text))).toEqual([]);
  });

  it('is Russian in each answer to an act', async () => {
    const answer = async (body: unknown) =>
      JSON.parse((await ask({ path: '/act?language=ru', origin: page.url, body })).text);
    const told = [
      await answer({ act: 'lose' }),
      await answer({ act: 'outage', side: 'google', minutes: 1 }),
      await answer({ act: 'outage', side: 'google', minutes: 0 }),
      await answer({ act: 'share', id: ANNA }),
      await answer({ act: 'end-troubles' }),
      await answer({ act: 'nothing' }),
    ];
    for (const { said, refused } of told) expect(said ?? refused).toMatch(/[а-я]{3}/i);
    expect(platform.webhooksToLose).toBe(0);
  });
});

describe('the troubles', () => {
  const call = (key = platform.createKey()) =>
    fetch(`${platform.url}/services`, { headers: { authorization: `Bearer ${key}` } });

  beforeEach(() => platform.faults.clear());

  it('spoil exactly the next call', async () => {
    await act({ act: 'fail', side: 'platform' });
    expect(JSON.parse((await ask({})).text).platform.armed).toMatchObject({ platform: 1, google: 0 });
    expect([(await call()).status, (await call()).status]).toEqual([500, 200]);
    expect(JSON.parse((await ask({})).text).platform.armed).toMatchObject({ platform: 0 });
  });

  it('spoil no call on the way to a token, and of Google the next one', async () => {
    await act({ act: 'fail', side: 'google' });
    const token = google.accessToken();
    const list = () =>
      fetch(`${google.url}/calendar/v3/users/me/calendarList`, {
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await fetch(google.tokenUrl, { method: 'POST' })).status).toBe(400);
    expect([(await list()).status, (await list()).status]).toEqual([500, 200]);
  });

  it.each([0, 61, 1.5, '2'])('last 1 to 60 minutes, not %s', async (minutes) => {
    expect(await act({ act: 'outage', side: 'platform', minutes })).toEqual({
      refused: expect.stringMatching(/\w/),
    });
    expect((await call()).status).toBe(200);
  });

  it('last until they are ended: an outage of one side, and a limit', async () => {
    const lasting = async () => JSON.parse((await ask({})).text).platform.armed.lasting;
    await act({ act: 'outage', side: 'platform', minutes: 2 });
    expect(await lasting()).toEqual({ 'outage platform': 2 });
    expect([(await call()).status, (await call()).status]).toEqual([503, 503]);
    expect((await fetch(google.tokenUrl, { method: 'POST' })).status).toBe(400);
    await act({ act: 'end-troubles' });
    expect([await lasting(), (await call()).status]).toEqual([{}, 200]);

    const usual = platform.rateLimitPerMinute;
    for (let times = 0; times < 2; times += 1) await act({ act: 'limit', side: 'platform', minutes: 1 });
    await act({ act: 'limit', side: 'google', minutes: 1 });
    const key = platform.createKey();
    const statuses = [];
    for (let calls = 0; calls < 5; calls += 1) statuses.push((await call(key)).status);
    expect(statuses.slice(-1)).toEqual([429]);
    const list = await fetch(`${google.url}/calendar/v3/users/me/calendarList`, {
      headers: { authorization: `Bearer ${google.accessToken()}` },
    });
    expect([list.status, await list.text()]).toEqual([403, expect.stringContaining('ateLimitExceeded')]);
    await act({ act: 'end-troubles' });
    expect(platform.rateLimitPerMinute).toBe(usual);
  });

  it('take a calendar from the worker, and give it back', async () => {
    google.grantAccess(ANNA);
    const read = async () => {
      const headers = { authorization: `Bearer ${google.accessToken()}` };
      return (await fetch(`${google.url}/calendar/v3/calendars/${ANNA}/events`, { headers })).status;
    };
    expect(await read()).toBe(200);
    await act({ act: 'unshare', id: ANNA });
    expect([await read(), JSON.parse((await ask({})).text).platform.armed.held]).toEqual([404, [ANNA]]);
    await act({ act: 'share', id: ANNA });
    expect(await read()).toBe(200);
    expect(await act({ act: 'share', id: ANNA })).toEqual({ refused: 'It is shared already.' });
    await act({ act: 'unshare', id: ANNA });
    await act({ act: 'end-troubles' });
    expect(await read()).toBe(200);
  });

  it('rename a tab as staff would, and never to nothing', async () => {
    await act({ act: 'rename-tab', book: 'book', tab: 'Notes', to: 'Zettel' });
    expect(google.truth.tabs('book')).toEqual(['Zettel']);
    expect((await act({ act: 'rename-tab', book: 'book', tab: 'Zettel', to: ' ' })).refused).toBe(
      'A tab needs a name.',
    );
    await act({ act: 'rename-tab', book: 'book', tab: 'Zettel', to: 'Notes' });
  });

  it('are bounded', async () => {
    const answers = [];
    for (let clicks = 0; clicks < 12; clicks += 1) answers.push(await act({ act: 'lose' }));
    expect(answers.filter(({ refused }) => refused !== undefined)).toHaveLength(2);
    expect(platform.webhooksToLose).toBe(10);
    platform.webhooksToLose = 0;
  });

  it('lose the next webhook and no other', async () => {
    const { server, url, bodies } = await listener();
    const key = platform.createKey();
    await fetch(`${platform.url}/webhook_endpoints`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
      },
      body: JSON.stringify({ url, enabled_events: ['*'] }),
    });
    await act({ act: 'lose' });
    const projectId = String(platform.truth.projects()[0]?.['id']);
    for (const name of ['First', 'Second']) platform.dashboard.createContact({ projectId, name });
    await platform.whenDeliveriesSettle(20_000);
    expect(bodies.map((body) => JSON.parse(body).data.object.name)).toEqual(['Second']);
    const [endpoint] = platform.truth.endpoints();
    expect(JSON.parse((await ask({})).text).consoleUrl).toBe(
      new URL('/console', String(endpoint?.['url'])).href,
    );
    const rolled = await act({ act: 'roll-secret' });
    expect(rolled.said).toMatch(/^The webhook secret is now whsec_\S+\. /);
    expect(platform.stats().webhooksLost).toBe(1);
    await new Promise((done) => server.close(done));
  });
});

async function listener() {
  const { createServer } = await import('node:http');
  const bodies: string[] = [];
  const server = createServer(async (asked, answer) => {
    bodies.push(await text(asked));
    answer.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as import('node:net').AddressInfo;
  return { server, bodies, url: `http://127.0.0.1:${port}/hook` };
}
