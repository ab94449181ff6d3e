import { request } from 'node:http';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { formToken } from '../../src/console/cookies.ts';
import type { ConsoleParts } from '../../src/console/parts.ts';
import { openConsole as consoleOver } from '../../src/console/plugin.ts';
import type { Directory } from '../../src/engine/mirror.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import type { Role } from '../../src/engine/role.ts';
import type { ConsoleConfig } from '../../src/mapping/config.ts';
import { branchZone } from '../../src/mapping/template.ts';
import { WHY } from '../../src/operate/codes/codes.ts';
import { createHttpServer } from '../../src/operate/http-server.ts';
import { createMetrics } from '../../src/operate/metrics.ts';
import { findObjects, PeopleIndex } from '../../src/operate/people-index.ts';
import { type Place, pendingIn } from '../../src/operate/places.ts';
import { Pace, Usage } from '../../src/operate/process-reports.ts';
import { createStatusSource } from '../../src/operate/status.ts';
import { KeptReplayRuns } from '../../src/platform/replay-runs.ts';
import { requestResyncOnce } from '../../src/platform/resync-walk.ts';
import { KeptLog } from '../doubles/listener.ts';
import { StatusStores } from '../doubles/status-stores.ts';
import { double } from '../stand/double.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { openTestStore } from '../stand/store.ts';

/** What the one mirror of the stand makes of every object. */
export const OPINION = {
  ...{ mirror: 'staff', taken: true, rule: 'mirrors.staff.calendars.map' },
  because: WHY.en.owners.resource,
};

/** The lists of the stand: one branch in Moscow, one in Berlin, two resources. */
const DIRECTORY: Directory = {
  branches: new Map([
    ['b1', { id: 'b1', projectId: 'p', name: 'Arbat', timezone: 'Europe/Moscow' }],
    ['b2', { id: 'b2', projectId: 'p', name: 'Mitte', timezone: 'Europe/Berlin' }],
  ]),
  resources: new Map([
    ['r1', { id: 'r1', branchId: 'b1', projectId: 'p', name: 'Anna' }],
    ['r2', { id: 'r2', branchId: 'b1', projectId: 'p', name: 'Room 2' }],
  ]),
  services: new Map(),
};

const STAND_PLACES: readonly Place[] = [
  {
    ...{ kind: 'calendar', id: 'anna', target: 'calendar:anna@clinic.example' },
    ...{ calendarId: 'anna@clinic.example', names: ['Anna'], mirrors: ['staff'], entries: [] },
  },
  {
    ...{ kind: 'tab', id: 'contacts', target: 'spreadsheet:book-1/Contacts' },
    ...{ spreadsheetId: 'book-1', tab: 'Contacts', names: [], mirrors: ['contacts'], entries: [] },
  },
];

export const HOUR_MS = 3_600_000;

let redis: TestRedis;
const closings: (() => Promise<unknown>)[] = [];

/** The console over a real Redis, behind the worker's own HTTP server. Call it once in each file. */
export function useConsole() {
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
  });
  afterAll(() => redis.stop());
  return openConsole;
}

export type ConsoleStand = Awaited<ReturnType<typeof openConsole>>;

async function openConsole(
  options: {
    readonly settings?: Partial<ConsoleConfig>;
    readonly parts?: (own: ConsoleParts) => Partial<ConsoleParts>;
  } = {},
) {
  const stores = new StatusStores();
  const { clock } = stores;
  const log = new KeptLog();
  const store = openTestStore(redis.url, { now: () => clock.now(), log });
  await store.ready();
  const settings = {
    ...({ isEnabled: true, exposure: 'this-machine', sessionMs: HOUR_MS, trustedProxies: [] } as const),
    ...options.settings,
  };
  const status = createStatusSource(stores.parts());
  const queued: string[] = [];
  const zoneOf = (snapshot: Snapshot) => branchZone(snapshot, DIRECTORY) ?? 'Europe/Moscow';
  const pace = new Pace(clock);
  const usage = new Usage(clock);
  const queue = { add: (keys: readonly string[]) => queued.push(...keys) };
  const replays = new KeptReplayRuns({ ...store, queue, clock });
  const own: ConsoleParts = {
    ...{ settings, hosts: [], language: 'en', version: '1.2.3', status, clock, log },
    ...{ access: store.consoleAccess, acts: store.acts, hasGoogle: true },
    ...{
      memory: store.memory,
      deadLetters: store.deadLetters,
      queue,
    },
    ...{ pace: store.pace, mirrorPace: store.mirrorPace },
    usage,
    platformBudget: async () => stores.platformBudget,
    workersSince: async () => [
      { pid: 4_711, version: '1.2.2', atMs: clock.now() - 3_000, isThis: false },
      { pid: process.pid, version: '1.2.3', atMs: clock.now(), isThis: true },
    ],
    find: (what, id) => findObjects({ view: store.ledger, journal: store.journal, calendars: [] }, what, id),
    places: {
      all: STAND_PLACES,
      store: store.places,
      pendingIn: (place) => pendingIn({ ...store, directory: () => DIRECTORY }, place),
      tabId: async () => undefined,
    },
    ...{ changes: store.changes, mirrors: ['staff', 'contacts'] },
    received: store.received,
    ...{ journal: store.journal, known: store.known, leases: store.leases },
    replays,
    resyncs: {
      request: (request) => requestResyncOnce({ ...store, clock }, request),
      progress: async () => ({ open: (await store.coverage.holes()).map(({ id }) => id) }),
      asked: () => store.coverage.holes(),
    },
    openAudit: async () => {
      throw new Error('this stand compares nothing');
    },
    rows: double({ at: async () => [], placeOf: async () => undefined }),
    people: new PeopleIndex({
      ...store,
      view: store.ledger,
      clock,
      steady: clock,
      zoneOf,
    }),
    ...{ directory: () => DIRECTORY, zoneOf },
    story: {
      ...{ view: store.ledger, history: store.history, deadLetters: store.deadLetters, clock },
      waitingRows: async () => [],
      opinions: async (_, language) => [{ ...OPINION, because: WHY[language].owners.resource }],
    },
  };
  const stopping = new AbortController();
  const open = () => {
    const { plugin, parts } = consoleOver({ ...own, ...options.parts?.(own) });
    for (const part of parts) void part.run(stopping.signal);
    return createHttpServer({
      ...{ status, metrics: createMetrics(), isReady: async () => ({ ready: true, reasons: [] }), log },
      plugins: [plugin],
    });
  };
  let server = open();
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 });
  closings.push(
    async () => store.close(),
    async () => stopping.abort(),
    () => server.close(),
  );
  return {
    ...{ redisUrl: redis.url, url, store, stores, clock, log, queued, pace, usage, parts: own, replays },
    async offer(role: Role, who = 'anna'): Promise<string> {
      return store.consoleAccess.offer({ role, who }, 10 * 60_000);
    },
    /** A browser of somebody who has signed in. */
    async signIn(role: Role, who = 'anna'): Promise<Browser> {
      const browser = new Browser(url);
      const code = await store.consoleAccess.offer({ role, who }, 10 * 60_000);
      const answer = await browser.post('/console/sign-in', { code });
      if (answer.status !== 303) throw new Error(`not signed in: ${answer.status}`);
      return browser;
    },
    browser: () => new Browser(url),
    close: () => server.close(),
    /** At the same address, as a worker that was started again. */
    async reopen(): Promise<void> {
      server = open();
      await server.listen({ host: '127.0.0.1', port: Number(new URL(url).port) });
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Keeps cookies, names the page that a form was on, and follows nothing. */
export class Browser {
  readonly url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string) {
    this.url = url;
  }

  get token(): string {
    return this.#cookies.get('__Host-slotbridge_console') ?? this.#cookies.get('slotbridge_console') ?? '';
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.send('GET', path, { headers });
  }

  /** With the token of a form, as the page has it; `fields.form` overrides it. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const body = new URLSearchParams({ form: formToken(this.token), ...fields }).toString();
    const own = { origin: this.url, 'content-type': 'application/x-www-form-urlencoded' };
    return this.send('POST', path, { headers: { ...own, ...headers }, body });
  }

  send(
    method: string,
    path: string,
    { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Reply> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return new Promise((done, fail) => {
      // The path as it is: an address would lose the dots in it.
      const options = { method, path, headers: { ...(cookie === '' ? {} : { cookie }), ...headers } };
      const sent = request(`${this.url}${path}`, options, (answer) => {
        let text = '';
        for (const line of answer.headers['set-cookie'] ?? []) this.#keep(line);
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      });
      sent.on('error', fail).end(body);
    });
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    const at = pair.indexOf('=');
    const value = pair.slice(at + 1);
    if (value === '') this.#cookies.delete(pair.slice(0, at));
    else this.#cookies.set(pair.slice(0, at), value);
  }
}
