import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { Command } from 'commander';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addCheck } from '../../src/cli/check.ts';
import type { LiveReport } from '../../src/engine/finding.ts';
import { compileCondition } from '../../src/mapping/filter-condition.ts';
import { checkTemplate } from '../../src/mapping/render-check.ts';
import { checkLive } from '../../src/operate/live-check/live-check.ts';
import { openLiveState } from '../../src/worker/commands.ts';
import { noConsents } from '../stand/consents.ts';
import { atLength } from '../stand/runs.ts';
import { ANNA, BOOK, BORIS, MIRRORS, startWorld, type World, type WorldOptions } from '../stand/world.ts';

const PORT = 8080;
let world: World;
afterEach(() => world.close());

async function begin(options: WorldOptions = {}): Promise<void> {
  world = await startWorld(options);
  await world.subscribe(PORT);
}

const look = () => checkLive(world.config(PORT), { clock: { now: Date.now }, openConsents: noConsents });

/** Subject to verdict, of what is not well. */
async function wrong(): Promise<Record<string, string>> {
  const { findings, ok } = await look();
  const bad = findings.filter(({ verdict }) => verdict !== 'ok');
  expect(ok).toBe(bad.length === 0);
  return Object.fromEntries(bad.map(({ subject, verdict, detail }) => [subject, `${verdict}: ${detail}`]));
}

async function adviceFor(subject: string): Promise<string> {
  const { findings } = await look();
  return findings.find((finding) => finding.subject === subject)?.advice ?? 'no such finding';
}

describe('what can work', () => {
  beforeEach(() => begin());

  test('is told as such, for every calendar, spreadsheet and tab of the mapping, and nothing is left behind', async () => {
    const before = JSON.stringify([world.google.truth.spreadsheet(BOOK), world.google.truth.events(ANNA)]);
    const { ok, findings, account } = await look();
    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    expect(ok).toBe(true);
    expect(account).toContain(defaultAccount);
    expect(findings.map(({ subject }) => subject)).toEqual([
      'API key',
      'event feed',
      'right to read appointments',
      'right to read contacts',
      'resource Anna Petrova',
      'resource Boris Ivanov',
      'resource Room 1',
      'webhook endpoint',
      `calendar ${ANNA}`,
      `calendar ${BORIS}`,
      'calendar room1@group.calendar.google.com',
      `spreadsheet ${BOOK}`,
      `tab Contacts of ${BOOK}`,
      `tab Visits of ${BOOK}`,
    ]);
    expect(JSON.stringify([world.google.truth.spreadsheet(BOOK), world.google.truth.events(ANNA)])).toBe(
      before,
    );
  });
});

describe("on Google's side", () => {
  beforeEach(() => begin());

  test('a calendar that is shared for reading only is found without a write, and the step names whom to share it with', async () => {
    world.google.grantAccess(ANNA, defaultAccount, 'reader');
    expect(await wrong()).toEqual({
      [`calendar ${ANNA}`]: expect.stringContaining('broken: can only be read (reader'),
    });
    expect(await adviceFor(`calendar ${ANNA}`)).toContain(`Share ${ANNA} with ${defaultAccount}`);
    expect(await adviceFor(`calendar ${ANNA}`)).toContain('Make changes to events');
  });

  atLength.test(
    'a calendar and a spreadsheet that are not shared are two findings, and the rest is asked all the same',
    async () => {
      world.google.revokeAccess(BORIS);
      world.google.revokeAccess(BOOK);
      expect(await wrong()).toEqual({
        [`calendar ${BORIS}`]: expect.stringContaining('calendar-not-shared'),
        [`spreadsheet ${BOOK}`]: expect.stringContaining('spreadsheet-not-shared'),
      });
      expect(await adviceFor(`spreadsheet ${BOOK}`)).toContain(`with ${defaultAccount} as Editor`);
    },
  );

  atLength.test(
    'a spreadsheet that is shared for reading only is found by a write that changes nothing',
    async () => {
      world.google.grantAccess(BOOK, defaultAccount, 'reader');
      expect(await wrong()).toEqual({
        [`spreadsheet ${BOOK}`]: expect.stringContaining('broken: can only be read'),
      });
    },
  );

  atLength.test('a credential that is dead is one finding, not one for each calendar', async () => {
    world.google.revokeGrants();
    expect(await wrong()).toEqual({ credential: expect.stringContaining('google-token-dead') });
  });

  atLength.test('an answer that does not come is no verdict', async () => {
    world.google.faults.add({
      path: new RegExp(`calendars/${ANNA}`),
      fault: { kind: 'status', status: 503 },
    });
    expect(await wrong()).toEqual({ [`calendar ${ANNA}`]: expect.stringMatching(/^unknown/) });
  });
});

test('tabs that are missing, lack a header, or are protected are told with the step to take', async () => {
  const more = `
  others:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: Elsewhere }
    columns: { ID: "{{ id }}", Name: "{{ name }}" }
`;
  await begin({ mirrors: `${MIRRORS}${more}` });
  const { sheets } = world.google.staff;
  sheets.addRow({ spreadsheetId: BOOK, tab: 'Contacts', values: ['ID', 'Phone'] });
  sheets.protectRange({ spreadsheetId: BOOK, tab: 'Visits', editors: [] });
  expect(await wrong()).toEqual({
    [`tab Elsewhere of ${BOOK}`]: expect.stringContaining('tab-not-found'),
    [`tab Contacts of ${BOOK}`]: expect.stringContaining('header-missing'),
    [`tab Visits of ${BOOK}`]: expect.stringContaining('protected-range'),
  });
});

test('tabs that people renamed are found by their ids, as the worker finds them, and named', async () => {
  const bookings = `
bookings:
  desk:
    from: { spreadsheet: ${BOOK}, tab: Desk }
    service: Haircut
    columns: { starts_at: Start, name: Name, phone: Phone, id: ID, status: Status }
`;
  world = await startWorld({ mirrors: `${MIRRORS}${bookings}` });
  const { sheets } = world.google.staff;
  sheets.addTab({ spreadsheetId: BOOK, tab: 'Desk' });
  sheets.addRow({
    spreadsheetId: BOOK,
    tab: 'Desk',
    values: ['ID', 'Start', 'Name', 'Phone', 'Status'],
  });
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  world.book({ hours: 24 });
  await world.untilIdle(url);
  sheets.renameTab({ spreadsheetId: BOOK, tab: 'Visits', to: 'Besuche' });
  sheets.addTab({ spreadsheetId: BOOK, tab: 'Visits' });
  sheets.renameTab({ spreadsheetId: BOOK, tab: 'Desk', to: 'Tresen' });
  const config = world.config(port);
  const clock = { now: Date.now };
  const { findings } = await checkLive(config, {
    clock,
    openConsents: noConsents,
    openState: () => openLiveState(config, clock),
  });
  const bad = findings.filter(({ verdict }) => verdict !== 'ok');
  expect(bad).toEqual([]);
  const details = Object.fromEntries(findings.map(({ subject, detail }) => [subject, detail]));
  expect(details[`tab Visits of ${BOOK}`]).toContain('renamed it to "Besuche"');
  expect(details['tab Desk of bookings.desk']).toContain('renamed it to "Tresen"');
  expect(details[`tab Contacts of ${BOOK}`]).not.toContain('renamed');
});

test('Redis is asked for everything that the worker runs, and what it refuses is told with its answer', async () => {
  await begin();
  const config = world.config(PORT);
  const clock = { now: Date.now };
  const look = async (asked = config) => {
    const parts = { clock, openConsents: noConsents, openState: () => openLiveState(asked, clock) };
    const { ok, findings } = await checkLive(asked, parts);
    return { ok, redis: findings.filter(({ side }) => side === 'redis') };
  };
  const admin = new Redis(config.redis.url?.replace('unix://', '') ?? '');
  try {
    expect(await look()).toMatchObject({ ok: true, redis: [{ verdict: 'ok' }] });
    await admin.replicaof('127.0.0.1', 9);
    const ofReplica = expect.stringMatching(/refuses to write \(redis-takes-no-writes\): READONLY/);
    expect(await look()).toMatchObject({ ok: false, redis: [{ verdict: 'broken', detail: ofReplica }] });
    await admin.replicaof('NO', 'ONE');
    await admin.config('SET', 'maxmemory', '1');
    const ofFull = expect.stringMatching(/refuses to write \(redis-takes-no-writes\): OOM/);
    expect(await look()).toMatchObject({ ok: false, redis: [{ verdict: 'broken', detail: ofFull }] });
    await admin.config('SET', 'maxmemory', '0');
    await admin.call('ACL', 'SETUSER', 'default', '-eval', '-info', '-hscan');
    expect(await look()).toMatchObject({
      ok: false,
      redis: [
        {
          verdict: 'broken',
          detail: expect.stringMatching(/may not run EVAL, INFO, HSCAN .*NOPERM/),
          advice: expect.stringContaining('docs/operations.md'),
        },
      ],
    });
    expect(await admin.keys('*')).toEqual([]);
    const nowhere = { ...config, redis: { ...config.redis, url: 'unix:///nowhere/redis.sock' } };
    expect(await look(nowhere)).toMatchObject({ ok: false, redis: [{ verdict: 'broken' }] });
  } finally {
    admin.disconnect();
  }
});

describe("on the platform's side", () => {
  beforeEach(() => begin());

  test('a key that is refused is one finding', async () => {
    world.platform.revokeKey(world.apiKey);
    expect(await wrong()).toEqual({ 'API key': expect.stringContaining('platform-unauthenticated') });
  });

  test('a request limit that is spent leaves the key untested, and tells nobody to make a new one', async () => {
    const headers = { 'retry-after': '60' };
    world.platform.faults.add({ fault: { kind: 'status', status: 429, headers } });
    expect(await wrong()).toEqual({
      'API key': expect.stringMatching(/^unknown: .*\(platform-rate-limited\)$/),
    });
    expect(await adviceFor('API key')).toBe('Run the check again.');
  });

  test('a request limit that is spent before the right to change contacts is asked leaves that right unknown', async () => {
    const mirrors = MIRRORS.replace('tab: Contacts }', 'tab: Contacts, edited: carry, answers: Answer }');
    await world.close();
    await begin({ mirrors });
    world.platform.faults.add({ method: 'POST', path: /contacts/, fault: { kind: 'status', status: 429 } });
    const { findings } = await look();
    expect(findings.find(({ subject }) => subject.includes('contacts:write'))).toMatchObject({
      verdict: 'unknown',
      advice: 'Run the check again.',
    });
  });

  test('a missing endpoint is told', async () => {
    const { findings } = await checkLive(world.config(PORT + 1), {
      clock: { now: Date.now },
      openConsents: noConsents,
    });
    expect(findings.find(({ subject }) => subject === 'webhook endpoint')).toMatchObject({
      verdict: 'broken',
      advice: expect.stringContaining('webhook register'),
    });
  });
});

atLength.test('an endpoint that was narrowed to another project is told', async () => {
  await begin();
  const other = world.platform.dashboard.createProject({ name: 'Elsewhere' });
  const headers = { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' };
  const [endpoint] = world.platform.truth.endpoints();
  await fetch(`${world.platform.url}/webhook_endpoints/${endpoint?.id}`, {
    ...{ method: 'PATCH', headers },
    body: JSON.stringify({ project_ids: [other] }),
  });
  expect(await wrong()).toEqual({ 'webhook endpoint': expect.stringContaining(world.company.projectId) });
});

atLength.test('a resource that the platform does not know is told', async () => {
  await begin({ mirrors: MIRRORS.replace('Anna Petrova', 'Anna Karenina') });
  expect(await wrong()).toEqual({ 'resource Anna Karenina': expect.stringContaining('resource-unknown') });
});

describe('slotbridge check --live', () => {
  beforeEach(() => begin());

  async function run(args: readonly string[]) {
    const printed: string[] = [];
    const io = {
      stdout: { write: (text: string) => printed.push(text) },
      stderr: { write: (text: string) => printed.push(text) },
      env: {},
    };
    let broken = false;
    const program = new Command('slotbridge').exitOverride();
    addCheck(program, {
      io,
      checks: async () => ({ checkTemplate, compileCondition }),
      checkSecrets: async () => undefined,
      checkLive: (config) => checkLive(config, { clock: { now: Date.now }, openConsents: noConsents }),
      onBroken: () => {
        broken = true;
      },
    });
    await program.parseAsync(['check', '--config', world.writeConfig(PORT), ...args], { from: 'user' });
    return { text: printed.join(''), broken };
  }

  test('prints a table with the account and the steps', async () => {
    world.google.revokeAccess(ANNA);
    const { text, broken } = await run(['--live']);
    expect(broken).toBe(true);
    expect(text).toContain('is valid');
    expect(text).toContain(`Google knows the worker as the service account ${defaultAccount}.`);
    expect(text).toMatch(new RegExp(`google +calendar ${ANNA} +broken .*calendar-not-shared`));
    expect(text).toContain(`-> Share ${ANNA} with ${defaultAccount}`);
    expect(text).toContain('1 of 14 cannot work yet.');
  });

  test('prints one JSON object with --json, without a secret', async () => {
    const { text, broken } = await run(['--live', '--json']);
    expect(broken).toBe(false);
    const { live } = JSON.parse(text) as { live: LiveReport };
    expect(live.ok).toBe(true);
    expect(live.findings.length).toBe(14);
    expect(text).not.toContain(world.apiKey);
    expect(text).not.toContain('PRIVATE KEY');
  });

  test('says in which zone the lists are reread, and asks for a name where branches lie in several', async () => {
    expect((await run([])).text).toMatch(/resync +0 4 \* \* \* in the branch's time zone/);
    const { projectId } = world.company;
    const sameZone = { projectId, timezone: 'Europe/Moscow', schedule: {} };
    world.platform.dashboard.createBranch({ ...sameZone, name: 'North' });
    world.platform.dashboard.createBranch({ ...sameZone, name: 'East', timezone: 'Asia/Tokyo' });
    const { findings, ok } = await look();
    expect(ok).toBe(true);
    expect(findings.find(({ subject }) => subject === 'schedule of resyncs')).toMatchObject({
      verdict: 'notice',
      detail: expect.stringContaining('in Europe/Moscow'),
      advice: expect.stringContaining('platform.resync.timezone: other branches lie in Asia/Tokyo'),
    });
  });

  test('asks nobody without --live', async () => {
    world.google.resetCounts();
    const { text } = await run([]);
    expect(text).not.toContain('For Google');
    expect(world.google.stats()).toMatchObject({ calls: 0, tokenRequests: 0 });
  });
});

describe('what people book outside', () => {
  const BOOKINGS = `
bookings:
  walk-ins:
    from: { calendar: ${ANNA} }
    when: { title: "#book *" }
    service: Haircut
    customer: { name: "{{ title }}", phone: "{{ description }}" }
  front-session:
    from: { spreadsheet: session-book, tab: Intake }
    service: Massage
    columns: { starts_at: Start, name: Name, phone: Phone, id: Booking, status: Status }
`;
  const HEADERS = ['Start', 'Name', 'Phone', 'Booking', 'Status'];

  async function beginBooking(bookings = BOOKINGS, headers = HEADERS): Promise<void> {
    await begin({ mirrors: `${MIRRORS}${bookings}` });
    world.google.addSpreadsheet('session-book', { shareWith: [defaultAccount], tabs: [{ title: 'Intake' }] });
    world.google.staff.sheets.setRow({
      spreadsheetId: 'session-book',
      tab: 'Intake',
      row: 1,
      values: headers,
    });
  }

  atLength.test(
    'is looked at whole: rights to write, names, tabs; and nothing is booked, created or written by it',
    async () => {
      await beginBooking();
      const before = JSON.stringify(world.google.truth.spreadsheet('session-book'));
      const { ok, findings } = await look();
      expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
      expect(ok).toBe(true);
      expect(findings.map(({ subject }) => subject)).toEqual(
        expect.arrayContaining([
          'right to book (appointments:write)',
          'right to write contacts (contacts:write)',
          'service Haircut of bookings.walk-ins',
          'service Massage of bookings.front-session',
          'spreadsheet session-book',
          'tab Intake of bookings.front-session',
        ]),
      );
      expect(JSON.stringify(world.google.truth.spreadsheet('session-book'))).toBe(before);
      expect([world.platform.truth.appointments(), world.platform.truth.contacts()]).toEqual([[], []]);
    },
  );

  test('the right to change contacts in a tab is asked for without any booking', async () => {
    const mirrors = MIRRORS.replace('tab: Contacts }', 'tab: Contacts, edited: carry, answers: Answer }');
    await begin({ mirrors });
    const scopes = ['contacts:read', 'appointments:read', 'webhooks:manage'] as const;
    world.platform.createKey({ key: world.apiKey, scopes: [...scopes] });
    expect(await wrong()).toMatchObject({
      'right to write contacts (contacts:write)': expect.stringContaining('broken'),
    });
  });

  atLength.test('a key that may only read is told before the first booking', async () => {
    await beginBooking();
    const scopes = [
      ...['contacts:read', 'conversations:read', 'leads:read', 'appointments:read', 'webhooks:manage'],
    ] as const;
    world.platform.createKey({ key: world.apiKey, scopes: [...scopes] });
    expect(await wrong()).toEqual({
      'right to book (appointments:write)': expect.stringContaining('broken'),
      'right to write contacts (contacts:write)': expect.stringContaining('broken'),
    });
  });

  atLength.test('nobody who is to be created needs no right for it', async () => {
    await beginBooking(
      BOOKINGS.replaceAll('{{ title }}"', '{{ title }}", create: false').replace(
        'columns:',
        'customer: { create: false }\n    columns:',
      ),
    );
    const { findings } = await look();
    expect(findings.map(({ subject }) => subject)).not.toContain('right to write contacts (contacts:write)');
  });

  atLength.test(
    'services and people that the platform does not know, and people without a calendar, are told by entry',
    async () => {
      await beginBooking(
        BOOKINGS.replace('service: Haircut', 'service: Haircutt\n    resource: Clara').replace(
          'service: Massage',
          'service: Massage\n    branch: Nowhere',
        ),
      );
      expect(await wrong()).toEqual({
        'service Haircutt of bookings.walk-ins': expect.stringContaining('service-unknown'),
        'resource Clara of bookings.walk-ins': expect.stringContaining('resource-unknown'),
        'branch Nowhere of bookings.front-session': expect.stringContaining('branch-unknown'),
      });
      world.platform.dashboard.createResource({ branchId: world.company.branchId, name: 'Clara' });
      expect(await wrong()).toMatchObject({
        'calendar of Clara of bookings.walk-ins': expect.stringContaining('broken: no mirror'),
      });
    },
  );

  atLength.test('an intake tab without its headers, protected, read only or missing is told', async () => {
    await beginBooking(BOOKINGS, ['Start', 'Name']);
    const subject = 'tab Intake of bookings.front-session';
    expect(await wrong()).toEqual({ [subject]: expect.stringContaining('header-missing') });
    world.google.staff.sheets.setRow({
      spreadsheetId: 'session-book',
      tab: 'Intake',
      row: 1,
      values: HEADERS,
    });
    world.google.grantAccess('session-book', defaultAccount, 'reader');
    expect(await wrong()).toEqual({
      'spreadsheet session-book': expect.stringContaining('can only be read'),
    });
    world.google.grantAccess('session-book', defaultAccount, 'writer');
    world.google.staff.sheets.protectRange({ spreadsheetId: 'session-book', tab: 'Intake', editors: [] });
    expect(await wrong()).toEqual({ [subject]: expect.stringContaining('protected-range') });
  });
});

atLength.test(
  'branches, services and resources of a filter that the platform does not list are told with the nearest name',
  async () => {
    const more = `
  filtered:
    from: appointments
    where: { service: [Haircutt, Haircut], resource: Ana Petrova, branch: Central }
    sheet: { spreadsheet: ${BOOK}, tab: Visits 2 }
    columns: { ID: "{{ id }}" }
`;
    await begin({ mirrors: `${MIRRORS}${more}` });
    const found = await wrong();
    expect(found['service Haircutt']).toMatch(/^broken: .*where.service of filtered .*filter-name-unknown/);
    expect(found['resource Ana Petrova']).toMatch(/^broken/);
    expect(await adviceFor('service Haircutt')).toMatch(/^did you mean Haircut\? known: /);
    expect(await adviceFor('resource Ana Petrova')).toMatch(/^did you mean Anna Petrova\?/);
    expect(found).not.toHaveProperty('service Haircut');
  },
);
