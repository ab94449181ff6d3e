import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { calendarIdsOf, ofKind } from '../engine/mirror.ts';
import type { EntityKind } from '../engine/object.ts';
import { eachKind, secretsOfKinds } from './calendar-kinds.ts';
import type { Config } from './config.ts';
import { maskRedisAddress } from './kinds/web-address.ts';

/** Texts of a section that the summary shows. Every other text, also one that a later version adds, is only said to be set. */
const SHOWN = {
  webhook: ['signature', 'header'],
  google: ['calendarRootUrl', 'sheetsRootUrl', 'tokenUrl'],
  consent: ['client'],
  http: ['host', 'hosts'],
  worker: ['language', 'statusTab'],
  log: ['level', 'format'],
  console: ['exposure', 'address', 'trustedProxies', 'issuer', 'clientId', 'scope', 'claim'],
} as const;

/**
 * The configuration as it may be logged and shown. It says whether secrets are set, not what they are, and shows addresses without
 * credentials. It only counts mirrors, because names of calendars and resources are names of people.
 */
export function summarizeConfig(config: Config) {
  const { platform, google, redis } = config;
  const { publicUrl, secrets, secretFile, ...webhook } = platform.webhook;
  const { credentials, actAs, accounts = {}, consent, ...reach } = google;
  const { webhook: alertWebhook, ...bounds } = config.alerts;
  return {
    platform: {
      baseUrl: platform.baseUrl,
      apiKey: 'set',
      timeoutMs: platform.timeoutMs,
      webhook: {
        publicUrl: publicUrl ?? NOT_SET,
        secrets: secrets.length === 0 ? NOT_SET : `${secrets.length} set`,
        secretFile: secretFile ?? NOT_SET,
        ...masked(webhook, SHOWN.webhook),
      },
      feed: masked(platform.feed),
    },
    google: {
      credentials: credentials ?? 'application default credentials',
      actAs: actAs === undefined ? NOT_SET : 'set',
      accounts: Object.keys(accounts).length,
      consent: consent === undefined ? NOT_SET : masked(consent, SHOWN.consent),
      ...masked(reach, SHOWN.google),
    },
    ...eachKind((name) => {
      const { accounts, ...others } = config[name];
      return { accounts: Object.keys(accounts).length, ...masked(others) };
    }),
    redis: {
      url: redis.url === undefined ? 'private' : maskRedisAddress(redis.url),
      prefix: redis.prefix,
      dataDir: redis.dataDir,
    },
    http: masked(config.http, SHOWN.http),
    worker: masked(config.worker, SHOWN.worker),
    log: masked(config.log, SHOWN.log),
    privacy: masked(config.privacy),
    alerts: { webhook: alertWebhook === undefined ? NOT_SET : 'set', ...masked(bounds) },
    console: masked(config.console, SHOWN.console),
    mirrors: countMirrors(config),
    feeds: config.feeds.length,
    bookings: {
      fromCalendars: config.bookings.filter(({ kind }) => kind === 'calendar').length,
      fromSheets: config.bookings.filter(({ kind }) => kind === 'sheet').length,
    },
    blocks: {
      entries: config.blocks.length,
      people: config.blocks.reduce((sum, { people }) => sum + people.length, 0),
    },
  };
}

const NOT_SET = 'not set';

/** Numbers and switches as they are, and the texts named in `shown`, at any depth. */
function masked(section: object, shown: readonly string[] = []): Record<string, unknown> {
  const entries = Object.entries(section).map(([name, value]: [string, unknown]) => {
    if (['number', 'boolean', 'undefined'].includes(typeof value) || shown.includes(name))
      return [name, value];
    if (Array.isArray(value)) return [name, value.length === 0 ? NOT_SET : `${value.length} set`];
    return [name, typeof value === 'object' && value !== null ? masked(value, shown) : 'set'];
  });
  return Object.fromEntries(entries);
}

function countMirrors({ mirrors }: Config) {
  const calendarMirrors = ofKind(mirrors, 'calendar');
  const sheetMirrors = ofKind(mirrors, 'sheet');
  const toSheets = (from: EntityKind) => sheetMirrors.filter((mirror) => mirror.from === from).length;
  return {
    total: mirrors.length,
    appointmentsToCalendars: calendarMirrors.length,
    appointmentsToSheets: toSheets('appointment'),
    contactsToSheets: toSheets('contact'),
    leadsToSheets: toSheets('lead'),
    conversationsToSheets: toSheets('conversation'),
    messagesToSheets: toSheets('message'),
    tabs: sheetMirrors.length,
    calendars: calendarMirrors.reduce((sum, mirror) => sum + calendarIdsOf(mirror).length, 0),
    spreadsheets: new Set(sheetMirrors.map((mirror) => mirror.spreadsheetId)).size,
  };
}

const OTHERS = 0o077;

/** Files with secrets that other users of this machine may read or change. Missing and unreadable files are reported elsewhere. */
export function openSecretFiles(
  { google, platform }: Config,
  others: readonly string[] = [],
): readonly string[] {
  const { secretFile } = platform.webhook;
  const keys = Object.values(google.accounts ?? {}).map(({ credentials }) => credentials);
  const all = [google.credentials, ...keys, google.consent?.client, secretFile, ...others];
  return [...new Set(all)].filter((path): path is string => path !== undefined && isOpen(path));
}

/** True when other users may read or change this YAML, and a secret stands in it rather than in a variable. */
export function isOpenSecret(
  { path, text }: { readonly path: string; readonly text: string },
  config: Config,
): boolean {
  return isOpen(path) && holdsSecret(text, config);
}

/** True when a secret stands in this YAML rather than in a variable. */
export function holdsSecret(text: string, config: Config): boolean {
  // A default of a variable is the sandbox's key.
  const plain = text.replaceAll(/\$\{[^}]*\}/g, '');
  return secretsOf(config).some((secret) => plain.includes(secret));
}

function secretsOf(config: Config): readonly string[] {
  const { platform, console, alerts, redis } = config;
  const password = /:([^:@/]+)@/.exec(redis.url ?? '')?.[1];
  const all = [
    platform.apiKey,
    ...platform.webhook.secrets,
    console.oidc?.clientSecret,
    alerts.webhook,
    ...secretsOfKinds(config),
    password,
  ];
  return all.filter((secret): secret is string => secret !== undefined && secret !== '');
}

function isOpen(path: string): boolean {
  // Windows has no file modes of this kind.
  if (process.platform === 'win32') return false;
  try {
    return (statSync(path).mode & OTHERS) !== 0;
  } catch {
    return false;
  }
}

/** Lists what differs between two configurations: names of mirrors, bookings and settings, never a value. */
export function configChanges(before: Config, after: Config): readonly string[] {
  const {
    mirrors: oldMirrors,
    bookings: oldBookings,
    feeds: oldFeeds,
    blocks: oldBlocks,
    ...oldSettings
  } = before;
  const { mirrors, bookings, feeds, blocks, ...settings } = after;
  return [
    ...settingsThatDiffer(oldSettings, settings, []),
    ...entriesThatDiffer('mirror', oldMirrors, mirrors),
    ...entriesThatDiffer('booking', oldBookings, bookings),
    ...entriesThatDiffer('feed', oldFeeds, feeds),
    ...entriesThatDiffer('entry of blocks', oldBlocks, blocks),
  ];
}

function settingsThatDiffer(before: unknown, after: unknown, path: readonly string[]): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isGroup(before) || !isGroup(after)) return [`${path.join('.')} changed`];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => settingsThatDiffer(before[name], after[name], [...path, name]));
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function entriesThatDiffer(
  what: string,
  before: readonly { readonly name: string }[],
  after: readonly { readonly name: string }[],
): readonly string[] {
  const [old, fresh] = [before, after].map((each) => new Map(each.map((entry) => [entry.name, entry])));
  const names = new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])]);
  return [...names].flatMap((name) => {
    const [was, is] = [old?.get(name), fresh?.get(name)];
    if (isDeepStrictEqual(was, is)) return [];
    return [`${what} ${name} ${was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'}`];
  });
}
