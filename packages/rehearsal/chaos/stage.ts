// The world of one run: both sandboxes in this process, Redis and one or two workers as processes, and a front that leads webhooks to them.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { Random } from '@slotbridge/sandbox/platform/random';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { Redis } from 'ioredis';
import { type FreezingProxy, startFreezingProxy } from '../../../test/stand/freezing-proxy.ts';
import { startLifeline } from '../../../test/stand/lifeline.ts';
import { ProcessClock } from '../../../test/stand/process-clock.ts';
import { type CaldavColleague, startCaldavColleague } from '../demo/caldav/calendar.ts';
import { PhoneCalendar } from '../demo/caldav/phone-calendar.ts';
import {
  type Anybody,
  GALINA,
  type Moment,
  type Person,
  type Plan,
  type Settings,
  type Side,
} from './act.ts';
import { Ledger, type Sight } from './ledger.ts';
import { mappingYaml } from './mapping.ts';
import { BOOK, CALENDARS, type CompanyIds, INTAKE_HEADERS } from './names.ts';
import { type ChaosRedis, leaveNoRoom, makeRoom, startChaosRedis, truncate } from './redis.ts';
import { ChaosWorker } from './worker.ts';

const HOUR_MS = 3_600_000;
/** The first hour that acts use: far enough away that none of them passes while the run goes on. */
const FIRST_HOUR = 24;
const HOURS_PER_SLOT = 2;
/** So far away the lists are due: only a clock that is set makes them so. */
const DUE_IN_MS = 2.5 * HOUR_MS;
const MANY = 1_000_000;
export const GOOD_DELIVERY = {
  ...{ loseShare: 0, doubleShare: 0, delayMs: [0, 0] as [number, number], hold: false },
  ...{ retryDelaysMs: [300, 1_000, 2_000, 5_000], timeoutMs: 3_000 },
};

export type Stage = Awaited<ReturnType<typeof setStage>>;

export async function setStage(plan: Plan) {
  const { settings, seed } = plan;
  const releases: (() => Promise<unknown> | unknown)[] = [];
  let isKept = false;
  const close = async (keepsFolder = false): Promise<void> => {
    isKept = keepsFolder;
    for (const release of releases.splice(0).reverse())
      await Promise.resolve()
        .then(release)
        .catch(() => undefined);
  };
  try {
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-chaos-'));
    releases.push(() => isKept || rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    const platform = await PlatformSandbox.start({
      ...{ seed, eventDelayMs: [0, 300], rateLimitPerMinute: MANY, delivery: GOOD_DELIVERY },
      switches: settings.platform,
    });
    releases.push(() => platform.close());
    const google = await GoogleSandbox.start({ seed, quotas: LOOSE_QUOTAS, switches: settings.google });
    releases.push(() => google.close());
    const chance = new Random(seed).fork('caldav faults');
    const galina =
      settings.caldav === true
        ? await startCaldavColleague({ folder, random: () => chance.next() })
        : undefined;
    if (galina !== undefined) releases.push(() => galina.stop());
    const ids = furnish(platform, settings, galina);
    furnishGoogle(google);
    const front = await startLifeline();
    releases.push(() => front.close());
    const apiKey = platform.createKey();
    const publicUrl = `http://127.0.0.1:${front.port}`;
    const endpoint = await createEndpoint(platform.url, apiKey, `${publicUrl}/webhooks/platform`);
    const keyFile = join(folder, 'google-key.json');
    writeFileSync(keyFile, JSON.stringify(google.serviceAccountKey()), { mode: 0o600 });
    const redis = settings.redis === 'shared' ? await startChaosRedis(folder) : undefined;
    if (redis !== undefined) releases.push(() => redis.kill(0));
    const dataDir = join(folder, 'data');
    // A private Redis outlives a worker that was killed, and waits for the next one.
    if (redis === undefined) releases.push(() => endServers(dataDir));
    const proxies: FreezingProxy[] = [];
    for (let index = 0; settings.cuts === true && index < settings.workers; index += 1) {
      const proxy = await startFreezingProxy(redis?.url.replace('unix://', '') ?? '');
      proxies.push(proxy);
      releases.push(() => proxy.stop());
    }
    const config = join(folder, 'slotbridge.yaml');
    const dueMs = Math.floor((Date.now() + DUE_IN_MS) / 60_000) * 60_000;
    const yamlWith = (redisUrl: string | undefined) =>
      mappingYaml(settings, {
        ...{ platformUrl: platform.url, apiKey, secret: endpoint.secret, publicUrl, keyFile },
        ...{
          dueMs,
          googleUrl: google.url,
          ...(galina !== undefined && { galina }),
          redis: redisUrl === undefined ? `{ data_dir: ${dataDir} }` : `{ url: "${redisUrl}" }`,
        },
      });
    writeFileSync(config, yamlWith(redis?.url));
    const configOf = (index: number): string => {
      const proxy = proxies[index];
      if (proxy === undefined) return config;
      const own = join(folder, `slotbridge-${index}.yaml`);
      writeFileSync(own, yamlWith(`redis://127.0.0.1:${proxy.port}`));
      return own;
    };
    const workers = Array.from(
      { length: settings.workers },
      (_, index) =>
        new ChaosWorker({
          config: configOf(index),
          clock: new ProcessClock(join(folder, `clock-${index}`)),
          logFile: join(folder, `worker-${index}.log`),
          onPort: (port) => front.leadTo(port),
        }),
    );
    releases.push(() => Promise.all(workers.map((worker) => worker.inTurn(() => worker.kill()))));
    const ledger = new Ledger();
    platform.observe({
      changed: ({ kind, id }) => {
        const sight = kind === 'appointment' ? sightOf(platform, id) : undefined;
        if (sight !== undefined) ledger.sights.push(sight);
      },
      lost: () => undefined,
    });
    // Half past: a cell at midnight is a day without an hour, which the worker may not guess.
    const firstHour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + (FIRST_HOUR + 0.5) * HOUR_MS;
    const ownRedis = redis ?? privateRedis(dataDir, workers);
    const lastWill = () => {
      for (const worker of workers) worker.abandon();
      ownRedis.abandon();
      rmSync(folder, { recursive: true, force: true });
    };
    process.on('exit', lastWill);
    releases.unshift(() => process.off('exit', lastWill));
    return {
      ...{ plan, settings, folder, config, platform, google, ledger, workers, ids, company: ids.company },
      endpointId: endpoint.id,
      redis: ownRedis,
      /** One before each worker; empty unless the setting `cuts` is on. */
      proxies,
      /** When the lists are due, epoch milliseconds. */
      dueMs,
      /** Removers of the faults that stand. */
      faults: [] as { readonly side: Side; readonly lift: () => void }[],
      between: installBetween(platform, google, galina),
      ...(galina !== undefined && { galina: { ...galina, calendar: new PhoneCalendar(galina) } }),
      /** What the phone does, one after the other. */
      phone: { turn: Promise.resolve() as Promise<unknown> },
      hour: (slot: number) => new Date(firstHour + slot * HOURS_PER_SLOT * HOUR_MS).toISOString(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export const LOOSE_QUOTAS = {
  calendarPerMinutePerUser: MANY,
  calendarPerMinutePerProject: MANY,
  sheetsReadsPerMinutePerUser: MANY,
  sheetsWritesPerMinutePerUser: MANY,
  sheetsReadsPerMinutePerProject: MANY,
  sheetsWritesPerMinutePerProject: MANY,
};

function sightOf(platform: PlatformSandbox, id: string): Sight | undefined {
  const appointment = platform.truth.appointment(id);
  return (
    appointment && {
      ...{ id, start: String(appointment['starts_at']), resource: String(appointment['resource_id']) },
      ...{ status: String(appointment['status']), cancelledBy: String(appointment['cancelled_by'] ?? '') },
    }
  );
}

function furnish(platform: PlatformSandbox, { caldav }: Settings, galina: CaldavColleague | undefined) {
  const { dashboard } = platform;
  const projectId = dashboard.createProject({ name: 'Clinic' });
  const schedule = Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7].map((day) => [String(day), [['00:00', '24:00'] as [string, string]]]),
  );
  const branchId = dashboard.createBranch({
    projectId,
    name: 'Central',
    timezone: 'Europe/Moscow',
    schedule,
  });
  const people: Record<Person, string> = {
    anna: dashboard.createResource({ branchId, name: 'Anna Petrova' }),
    boris: dashboard.createResource({ branchId, name: 'Boris Ivanov' }),
    vera: dashboard.createResource({ branchId, name: 'Vera Orlova' }),
  };
  const room = dashboard.createResource({ branchId, name: 'Room 1', kind: 'place' });
  const everybody: Partial<Record<Anybody, string>> & Record<Person, string> = {
    ...people,
    ...(caldav === true && { [GALINA]: dashboard.createResource({ branchId, name: 'Galina Belova' }) }),
  };
  const resourceIds = Object.values(everybody);
  const services = {
    haircut: dashboard.createService({ projectId, name: 'Haircut', durationMin: 45, resourceIds }),
    massage: dashboard.createService({
      ...{ projectId, name: 'Massage', durationMin: 60, resourceIds },
      secondResourceIds: [room],
    }),
  };
  const calendarOf = (person: Anybody) =>
    person === GALINA && galina !== undefined ? galina.calendarId : CALENDARS[person];
  const company: CompanyIds = {
    calendars: new Map([
      ...Object.entries(everybody).map(([person, id]) => [id, calendarOf(person as Anybody)] as const),
      [room, CALENDARS.room] as const,
    ]),
    names: new Map([
      ...Object.entries(everybody).map(([person, id]) => [id, person] as const),
      [room, 'the room'] as const,
    ]),
  };
  return { projectId, people: everybody, room, services, company };
}

function furnishGoogle(google: GoogleSandbox): void {
  for (const id of Object.values(CALENDARS))
    google.addCalendar(id, { shareWith: id === CALENDARS.home ? [] : [defaultAccount] });
  google.addSpreadsheet(BOOK, {
    shareWith: [defaultAccount],
    timeZone: 'Europe/Moscow',
    tabs: [{ title: 'Contacts' }, { title: 'Visits' }, { title: 'Intake', values: [[...INTAKE_HEADERS]] }],
  });
}

async function createEndpoint(platformUrl: string, apiKey: string, url: string) {
  const answer = await fetch(`${platformUrl}/webhook_endpoints`, {
    method: 'POST',
    headers: {
      ...{
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'endpoint',
      },
    },
    body: JSON.stringify({ url, enabled_events: ['*'] }),
  });
  return (await answer.json()) as { readonly id: string; readonly secret: string };
}

/** A private Redis belongs to its worker, which starts it again when it ends. A loss of its file, as after a power cut, happens to both. */
function privateRedis(dataDir: string, [worker]: readonly ChaosWorker[]): ChaosRedis {
  const signal = (name: NodeJS.Signals) => {
    for (const pid of serversIn(dataDir)) tell(pid, name);
  };
  // Without a limit it is started again, so one that does not answer needs no telling.
  const ask = async (work: (client: Redis) => Promise<unknown>): Promise<void> => {
    const client = new Redis(join(dataDir, 'redis', 'redis.sock'), { retryStrategy: () => null });
    client.on('error', () => undefined);
    await work(client).catch(() => undefined);
    client.disconnect();
  };
  return {
    url: '',
    async kill(loseBytes) {
      if (loseBytes === 0) return signal('SIGKILL');
      await worker?.kill();
      await endServers(dataDir);
      truncate(join(dataDir, 'redis'), loseBytes);
    },
    async revive() {
      worker?.start();
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async wipe() {
      await worker?.kill();
      await endServers(dataDir);
      rmSync(join(dataDir, 'redis', 'appendonlydir'), { recursive: true, force: true });
      worker?.start();
    },
    fill: () => ask(leaveNoRoom),
    makeRoom: () => ask(makeRoom),
    abandon: () => {
      if (existsSync(dataDir)) signal('SIGKILL');
    },
  };
}

/** Servers that were started with this folder, also those that do not answer, or not yet (proc(5)). */
function serversIn(dataDir: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [program = '', ...args] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const isOurs =
        /(redis|valkey)-server/.test(program) && `${program} ${args.join(' ')}`.includes(dataDir);
      return isOurs ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function tell(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}

/** A worker that was killed may have started one a moment before: nothing may be left. */
async function endServers(dataDir: string): Promise<void> {
  for (let calm = 0; calm < 3; calm += 1) {
    for (const pid of serversIn(dataDir)) {
      calm = 0;
      tell(pid, 'SIGKILL');
    }
    await sleep(20);
  }
}

export const CALLS: Readonly<
  Record<Moment, { readonly side: Side; readonly method: RegExp; readonly path: RegExp }>
> = {
  'calendar-read': { side: 'google', method: /^GET$/, path: /\/calendar\/v3\/calendars\/[^/]+\/events/ },
  'calendar-write': {
    ...{ side: 'google', method: /^(POST|PATCH|PUT|DELETE)$/ },
    path: /\/calendar\/v3\/calendars\/[^/]+\/events/,
  },
  'sheet-read': { side: 'google', method: /^GET$/, path: /\/v4\/spreadsheets\// },
  'sheet-write': { side: 'google', method: /^(POST|PUT)$/, path: /\/v4\/spreadsheets\// },
  'caldav-read': { side: 'caldav', method: /^(REPORT|PROPFIND|GET)$/, path: /^/ },
  'caldav-write': { side: 'caldav', method: /^(PUT|DELETE)$/, path: /^/ },
  'platform-write': { side: 'platform', method: /^POST$/, path: /\/v1\/appointments/ },
};

export interface Between {
  /** Runs it right before the next such call is performed; the answer calls it off. */
  wait(moment: Moment, run: () => void): () => void;
}

/** Hands that come exactly between what the worker has read and what it writes. */
function installBetween(
  platform: PlatformSandbox,
  google: GoogleSandbox,
  galina: CaldavColleague | undefined,
): Between {
  const waiting: { readonly moment: Moment; readonly run: () => void }[] = [];
  for (const [side, plan] of [
    ['google', google.faults],
    ['platform', platform.faults],
    ...(galina === undefined ? [] : [['caldav', galina.faults] as const]),
  ] as const) {
    const pick = plan.pick.bind(plan);
    // Each call asks the plan of faults once, before anything is performed.
    plan.pick = (call) => {
      const index = waiting.findIndex(({ moment }) => {
        const { side: of, method, path } = CALLS[moment];
        return of === side && method.test(call.method) && path.test(call.url);
      });
      const [due] = index === -1 ? [] : waiting.splice(index, 1);
      due?.run();
      return pick(call);
    };
  }
  return {
    wait(moment, run) {
      const entry = { moment, run };
      waiting.push(entry);
      return () => {
        const index = waiting.indexOf(entry);
        if (index !== -1) waiting.splice(index, 1);
      };
    },
  };
}
