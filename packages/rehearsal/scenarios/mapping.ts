// The mapping under test, on the sandboxes. What it says about people's calendars and sheets stays; addresses, keys and intervals are
// replaced.
import { createHash } from 'node:crypto';
import { isScalar, visit } from 'yaml';
import { calendarKindOf, KIND_NAMES, withoutAccounts } from '../../../src/mapping/calendar-kinds.ts';
import type { Config } from '../../../src/mapping/config.ts';
import { ConfigDocument } from '../../../src/mapping/document.ts';
import { loadConfig } from '../../../src/mapping/load.ts';
import type { ConfigChecks } from '../../../src/mapping/mirror-check.ts';
import type { Environment } from '../../../src/mapping/variables.ts';

/** The sandboxes of one scenario: addresses, keys and secrets. */
export interface Addresses {
  readonly platformUrl: string;
  readonly apiKey: string;
  readonly publicUrl: string;
  readonly secret: string;
  readonly googleUrl: string;
  readonly keyFile: string;
  readonly redisUrl: string;
  readonly prefix: string;
}

/** How often the worker looks at the sandboxes, which have no quotas. */
export const PACE = {
  feedEveryMs: 150,
  watchEveryMs: 250,
  intakeEveryMs: 300,
  blocksEveryMs: 300,
  checkEveryMs: 500,
  flushEveryMs: 50,
  /** Longer waits of the mapping are shortened to this: nobody types or drags in the middle of a scenario. */
  waitMaxMs: 500,
} as const;
const OVERLAP_MS = 30_000;
const MANY = 1_000_000;

/** Settings that the sandboxes replace. A variable in them need not be set. */
const REPLACED: Readonly<Record<string, string>> = {
  'platform.base_url': 'http://127.0.0.1:4010/v1',
  'platform.api_key': 'sandbox-key',
  'platform.webhook.public_url': 'http://127.0.0.1:8080',
  'platform.webhook.secret_file': 'webhook-secret',
  'google.credentials': 'google-key.json',
  'google.act_as': '',
  'google.consent.client': 'google-web-client.json',
  'google.consent.keys': Buffer.alloc(32).toString('base64'),
  'google.calendar_root_url': 'http://127.0.0.1:4020/',
  'google.sheets_root_url': 'http://127.0.0.1:4020/',
  'google.token_url': 'http://127.0.0.1:4020/token',
  'redis.url': '',
  'redis.data_dir': 'data',
  'http.host': '127.0.0.1',
  'http.port': '0',
  'alerts.webhook': '',
  'log.level': 'info',
  'log.format': 'json',
};

/** Throws a `ConfigError` with lines of the mapping. */
export function loadMapping(
  source: { readonly text: string; readonly path: string },
  env: Environment,
  checks: ConfigChecks,
): Config {
  const { mirrors, bookings, blocks, ...config } = loadConfig(
    { ...source, text: withoutForeignVariables(source.text) },
    env,
    checks,
  );
  const named = withStandIns({ mirrors, bookings, blocks });
  return { ...config, ...named, ...withoutAccounts(config) };
}

/** The calendar of Google's sandbox for one of another kind: no sandbox has such, and the real server must not be reached. */
export function standInFor(calendarId: string): string {
  const kind = calendarKindOf(calendarId);
  if (kind === undefined) return calendarId;
  const address = calendarId.toLowerCase();
  const name = address.split(/[^a-z0-9]+/).findLast((part) => part !== '');
  return `${name}-${createHash('sha256').update(address).digest('hex').slice(0, 8)}@${kind}.example`;
}

function withStandIns<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withStandIns) as T;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const { calendarId, account, ...rest } = value as Record<string, unknown>;
  const others = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, withStandIns(each)]));
  const isForeign = typeof calendarId === 'string' && calendarKindOf(calendarId) !== undefined;
  return {
    ...others,
    ...(calendarId !== undefined && { calendarId: isForeign ? standInFor(calendarId) : calendarId }),
    ...(account !== undefined && !isForeign && { account }),
  } as T;
}

/** The sandboxes have one account. Until it replaces the others, two accounts of the YAML must not look the same. */
function ofAccount(path: string): string | undefined {
  const [, kind, setting] = /^(\w+)\.accounts\.[^.]+\.(\w+)$/.exec(path) ?? [];
  if (KIND_NAMES.some((name) => name === kind))
    return setting === 'url' ? `https://${kind}.example` : setting;
  const [, name, key] = /^google\.accounts\.([^.]+)\.(credentials|act_as|consent)$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  return key === 'credentials' ? `google-key-${name}.json` : `${name}@scenario.example`;
}

/** Keeps every line in its place, so that messages name the right one. */
function withoutForeignVariables(text: string): string {
  const document = new ConfigDocument(text);
  if (document.faults.length > 0) return text;
  const cuts: { readonly from: number; readonly to: number; readonly by: string }[] = [];
  visit(document.document, {
    Scalar: (role, node) => {
      if (role === 'key' || !isScalar(node) || !String(node.value).includes('${') || !node.range) return;
      const path = document
        .pathAt(node.range[0])
        .filter((part) => typeof part === 'string')
        .join('.');
      const by = path === 'platform.webhook.secrets' ? '' : (REPLACED[path] ?? ofAccount(path));
      if (by !== undefined) cuts.push({ from: node.range[0], to: node.range[1], by: JSON.stringify(by) });
    },
  });
  return cuts
    .toSorted((a, b) => b.from - a.from)
    .reduce((whole, { from, to, by }) => whole.slice(0, from) + by + whole.slice(to), text);
}

export function onSandboxes(config: Config, at: Addresses): Config {
  const short = (ms: number) => Math.min(ms, PACE.waitMaxMs);
  const {
    credentials: _key,
    actAs: _actAs,
    accounts: _accounts,
    consent: _consent,
    ...google
  } = config.google;
  const { secretFile: _file, ...webhook } = config.platform.webhook;
  const { schedule: _schedule, ...resync } = config.platform.resync;
  const { webhook: _chat, ...alerts } = config.alerts;
  return {
    ...config,
    platform: {
      ...config.platform,
      ...{ baseUrl: at.platformUrl, apiKey: at.apiKey },
      webhook: {
        ...webhook,
        ...{ publicUrl: at.publicUrl, secrets: [at.secret], signature: 'timestamped' },
        ...{ header: 'Service-Signature' },
      },
      feed: { ...config.platform.feed, everyMs: PACE.feedEveryMs, overlapMs: OVERLAP_MS },
      resync,
    },
    google: {
      ...google,
      ...{ credentials: at.keyFile, tokenUrl: `${at.googleUrl}/token` },
      ...{ calendarRootUrl: `${at.googleUrl}/`, sheetsRootUrl: `${at.googleUrl}/` },
      watch: {
        ...config.google.watch,
        ...{ everyMs: PACE.watchEveryMs, quietEveryMs: PACE.watchEveryMs, settleMs: 0, push: false },
      },
      quotas: { calendarPerMinute: MANY, sheetsReadsPerMinute: MANY, sheetsWritesPerMinute: MANY },
    },
    redis: { ...config.redis, url: at.redisUrl, prefix: at.prefix },
    http: { ...config.http, host: '127.0.0.1', port: 0, hosts: [] },
    worker: { ...config.worker, flushEveryMs: PACE.flushEveryMs, shutdownMs: 5_000 },
    alerts,
    mirrors: config.mirrors.map((mirror) =>
      mirror.kind === 'calendar'
        ? { ...mirror, staffEdits: { ...mirror.staffEdits, graceMs: short(mirror.staffEdits.graceMs) } }
        : mirror.kind === 'sheet' && mirror.check
          ? { ...mirror, check: { ...mirror.check, everyMs: PACE.checkEveryMs } }
          : mirror,
    ),
    bookings: config.bookings.map((entry) => {
      const stillForMs = short(entry.stillForMs);
      if (entry.kind === 'sheet') return { ...entry, stillForMs, everyMs: PACE.intakeEveryMs };
      if (entry.kind !== 'calendar') return entry;
      const staffEdits = Object.fromEntries(
        Object.entries(entry.staffEdits).map(([mirror, edits]) => [
          mirror,
          { ...edits, graceMs: short(edits.graceMs) },
        ]),
      );
      return { ...entry, stillForMs, staffEdits };
    }),
    blocks: config.blocks.map((rule) => ({ ...rule, everyMs: PACE.blocksEveryMs })),
  };
}
