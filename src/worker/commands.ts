import { type Addresses, readAddresses } from '@slotbridge/sandbox/addresses';
import { STAND, startStand } from '@slotbridge/sandbox/stand';
import { book, look } from '@slotbridge/sandbox/visitor';
import type { InitWiring } from '../cli/init-parts.ts';
import type { RenderParts } from '../cli/render.ts';
import type { RunningSandbox } from '../cli/sandbox-text.ts';
import type { WebhookWiring } from '../cli/webhook.ts';
import { DeferredError, TerminalError } from '../engine/errors.ts';
import { findingOf, type LiveFinding } from '../engine/finding.ts';
import { keySpace } from '../engine/key-space.ts';
import { type Directory, filtersByCustomer, NO_DIRECTORY } from '../engine/mirror.ts';
import type { EntityKey, Snapshot } from '../engine/object.ts';
import type { PlatformReader } from '../engine/platform.ts';
import { hasPrivateRedis, locatePrivateRedis, type PrivateRedis } from '../engine/private-redis.ts';
import { openRedis, type RedisClient, RIGHTS_ADVICE, untilConnected } from '../engine/redis-client.ts';
import { assertRedisIsFit, missingRights } from '../engine/redis-fitness.ts';
import { type Clock, SILENT, UNCOUNTED } from '../engine/runtime.ts';
import { googleAccount } from '../google/auth.ts';
import type { Config } from '../mapping/config.ts';
import { createCustomers } from '../mapping/filter-lines.ts';
import { maskRedisAddress } from '../mapping/kinds/web-address.ts';
import { mirroredKinds, neededProjects } from '../mapping/needs.ts';
import type { StoredState } from '../operate/live-check/live-check.ts';
import { readOnly } from '../operate/reading.ts';
import { findObject, renderObject, renderSample } from '../operate/render/rendering.ts';
import { openSetupGoogle } from '../operate/setup.ts';
import { createPlatformClient } from '../platform/client.ts';
import {
  beginRegistration,
  beginRoll,
  eventTypesFor,
  unfinishedRegistration,
} from '../platform/endpoint-care.ts';
import { assertSecretFileIsWritable, keepSecret } from '../platform/secret-file.ts';
import { readTested, WEBHOOK_PATH } from '../platform/webhook-route.ts';
import { openStores } from './stores.ts';

/** Rendering ignores stored contacts and reads the customer from the platform. */
const UNKNOWN = { peek: async () => undefined };

/** What `slotbridge render` needs. A sample needs nothing; an object needs the platform, and Redis if its kind cannot be read alone. */
export function renderCommandWiring(clock: Clock): RenderParts['wiring'] {
  return {
    renderSample: async (mirror) => renderSample(mirror),
    async renderObject(config, { mirror, key, showPeople }) {
      const { baseUrl, apiKey, timeoutMs } = config.platform;
      const runtime = { clock, log: SILENT, meter: UNCOUNTED };
      const { reader } = createPlatformClient({ baseUrl, apiKey, timeoutMs, ...runtime });
      const remembered = (asked: EntityKey) => readRemembered(asked, config, clock);
      const [snapshot, directory] = await Promise.all([
        findObject(key, { reader, remembered }),
        reader.directory(),
      ]);
      const isAsked = filtersByCustomer([mirror]);
      const customer = isAsked ? await createCustomers({ view: UNKNOWN, reader })(snapshot) : undefined;
      const object = { key, snapshot, directory, customer };
      return renderObject(mirror, object, { nowMs: clock.now(), showPeople });
    },
  };
}

async function readRemembered(key: EntityKey, config: Config, clock: Clock): Promise<Snapshot | undefined> {
  const { openStore } = await import('./stores.ts');
  const store = await openStore(config, clock, { sharing: true });
  try {
    return (await store.ledger.peek(key))?.snapshot;
  } finally {
    await store.close();
  }
}

const TIMEOUT_MS = 10_000;
/** Where `slotbridge sandbox` leaves its key file and addresses by default. */
const SANDBOX_FOLDER = './data/sandbox';
const REAL = {
  calendarRootUrl: 'https://www.googleapis.com/',
  sheetsRootUrl: 'https://sheets.googleapis.com/',
  tokenUrl: 'https://oauth2.googleapis.com/token',
};

/** What `slotbridge init` needs: both remote sides, no Redis. */
export function initWiring(clock: Clock): Omit<InitWiring, 'run'> {
  return {
    async sandbox() {
      const found = readAddresses(SANDBOX_FOLDER);
      return found === undefined ? undefined : { platformUrl: found.platform, googleUrl: found.google };
    },
    async readDirectory(platform) {
      const parts = { timeoutMs: TIMEOUT_MS, clock, log: SILENT, meter: UNCOUNTED };
      return createPlatformClient({ ...platform, ...parts }).reader.directory();
    },
    async calendarsOf({ kind, name, account }) {
      const { LIVE_KINDS } = await import('../calendar/kinds.ts');
      return (await LIVE_KINDS[kind]()).list(account, { name, timeoutMs: TIMEOUT_MS, clock });
    },
    async openGoogle({ credentials, actAs, url }) {
      const { shareWith, isPerson } = googleAccount({ credentialsPath: credentials, actAs });
      const roots =
        url === undefined
          ? REAL
          : { calendarRootUrl: `${url}/`, sheetsRootUrl: `${url}/`, tokenUrl: `${url}/token` };
      return {
        shareWith,
        isPerson,
        ...openSetupGoogle({ credentialsPath: credentials, actAs, ...roots, clock }),
      };
    },
  };
}

/** What `slotbridge webhook` needs: the platform alone, except that `lastTest` and `openActs` use Redis. */
export function webhookCommandWiring(parts: { clock: Clock }): WebhookWiring {
  const client = ({ platform: { baseUrl, apiKey, timeoutMs } }: Config) =>
    createPlatformClient({ baseUrl, apiKey, timeoutMs, clock: parts.clock, log: SILENT, meter: UNCOUNTED });
  return {
    openEndpoints: (config) => client(config).endpoints,
    neededProjects: async (config) => neededProjects(config, await shownDirectory(client(config).reader)),
    urlOf: (publicUrl) => `${publicUrl}${WEBHOOK_PATH}`,
    eventTypes: (config) => eventTypesFor(mirroredKinds(config)),
    assertSecretFileIsWritable,
    keepSecret,
    beginRegistration: (file, endpoint) => beginRegistration(file, endpoint, parts.clock.now()),
    beginRoll: (file, about) => beginRoll(file, about, parts.clock.now()),
    lastTest: async (config) => {
      const { openStore } = await import('./stores.ts');
      const store = await openStore(config, parts.clock, { sharing: true });
      try {
        return await readTested(store.memory);
      } finally {
        await store.close();
      }
    },
    openActs: async (config) => {
      const { url, dataDir } = config.redis;
      if (url === undefined && !hasPrivateRedis(dataDir)) return undefined;
      return (await import('./stores.ts')).openStore(config, parts.clock, { sharing: true });
    },
    unfinishedRegistration: (file, url) => unfinishedRegistration(file, url, parts.clock.now()),
  };
}

/** The platform's lists of names. Empty for a key that may not read them: a key for contacts does not need them. */
async function shownDirectory(reader: Pick<PlatformReader, 'directory'>): Promise<Directory> {
  try {
    return await reader.directory();
  } catch (error) {
    if (error instanceof DeferredError && error.code === 'platform-forbidden') return NO_DIRECTORY;
    throw error;
  }
}

/** Starts both sandboxes and returns their addresses. */
export async function startSandbox(options: Parameters<typeof startStand>[0]) {
  const { platform, google, keyFile, pageUrl, serviceId, close } = await startStand(options);
  const { apiKey, calendars } = STAND;
  const running: RunningSandbox = {
    ...{ platformUrl: platform.url, apiKey, googleUrl: google.url, keyFile, pageUrl, serviceId },
    calendarId: calendars['Anna Petrova'],
  };
  return { running, close };
}

/** Books in the sandbox that runs in this folder, as a customer would. */
export async function bookInSandbox(dataDir: string): Promise<string> {
  return atSandbox(dataDir, (addresses) =>
    book({ addresses, apiKey: STAND.apiKey, service: STAND.service, timeZone: STAND.zone }),
  );
}

/** Shows what its calendars and tabs hold. */
export async function showSandbox(dataDir: string): Promise<string> {
  return atSandbox(dataDir, look);
}

async function atSandbox(dataDir: string, act: (addresses: Addresses) => Promise<string>): Promise<string> {
  const addresses = readAddresses(dataDir);
  if (addresses === undefined) throw notRunning();
  try {
    return await act(addresses);
  } catch (cause) {
    // When nothing listens there, fetch throws a TypeError that has a cause. A defect's TypeError has none.
    if (cause instanceof TypeError && cause.cause !== undefined) throw notRunning(cause);
    throw cause;
  }
}

function notRunning(cause?: unknown): TerminalError {
  return new TerminalError('sandbox-not-running', 'no sandbox runs here', {
    advice: 'Run `slotbridge sandbox` in another terminal, in the same folder, and leave it running.',
    cause,
  });
}

/** How long a command waits for Redis, because a person waits for it. */
const STATE_READY_WITHIN_MS = 2_000;

/**
 * Whether Redis can be used, and what a worker has stored there. Undefined: a private Redis that no worker has started yet. Never rejects
 * because of Redis.
 */
export async function openLiveState(config: Config, clock: Clock): Promise<StoredState | undefined> {
  const { url, prefix, dataDir } = config.redis;
  if (url === undefined && !hasPrivateRedis(dataDir)) return undefined;
  const address = url === undefined ? 'private Redis' : maskRedisAddress(url);
  const about = { side: 'redis', subject: address } as const;
  const unusable = (error: unknown): StoredState => ({
    findings: [findingOf(about, error)],
    memory: undefined,
    close: async () => undefined,
  });
  const found = url === undefined ? locatePrivateRedis(dataDir, { sharing: true }) : Promise.resolve({ url });
  const place: StoredState | { readonly url: string; readonly own?: PrivateRedis } =
    await found.catch(unusable);
  if ('findings' in place) return place;
  const redis = openRedis(place.url, 'commands');
  const close = async () => {
    redis.disconnect();
    await place.own?.stop();
  };
  try {
    await untilConnected(redis, { address, withinMs: STATE_READY_WITHIN_MS });
    const keys = keySpace(prefix);
    const findings = await askRedis(redis, keys.writable);
    const memory = readOnly(openStores(redis, { keys, clock }).memory);
    return { findings: findings.map((finding) => ({ ...about, ...finding })), memory, close };
  } catch (error) {
    await close();
    return unusable(error);
  }
}

type Finding = Omit<LiveFinding, 'side' | 'subject'>;

async function askRedis(redis: RedisClient, key: string): Promise<readonly Finding[]> {
  const { missing, answer, unwritten } = await missingRights(redis, key);
  if (missing.length > 0)
    return [
      {
        verdict: 'broken',
        detail: `its user may not run ${missing.join(', ')} on the worker's keys (redis-rights-missing): ${answer}`,
        advice: RIGHTS_ADVICE,
      },
    ];
  if (unwritten !== undefined) {
    const { answer: said, advice } = unwritten;
    return [{ verdict: 'broken', detail: `refuses to write (redis-takes-no-writes): ${said}`, advice }];
  }
  const warnings = await assertRedisIsFit(redis);
  return [
    { verdict: 'ok', detail: 'allows every command that the worker runs' },
    ...warnings.map((detail): Finding => ({ verdict: 'notice', detail })),
  ];
}
