import type { EntityKind } from '../domain/entity.ts';
import { calendarIdsOf, ofKind } from '../domain/mirror.ts';
import type { Config } from './config.ts';
import { maskRedisAddress } from './kinds/redis-address.ts';

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
        publicUrl: publicUrl ?? 'not set',
        secrets: secrets.length === 0 ? 'not set' : `${secrets.length} set`,
        secretFile: secretFile ?? 'not set',
        ...webhook,
      },
      feed: platform.feed,
    },
    google: {
      credentials: credentials ?? 'application default credentials',
      actAs: actAs === undefined ? 'not set' : 'set',
      accounts: Object.keys(accounts).length,
      consent:
        consent === undefined ? 'not set' : { client: consent.client, keys: `${consent.keys.length} set` },
      ...reach,
    },
    redis: {
      url: redis.url === undefined ? 'private' : maskRedisAddress(redis.url),
      prefix: redis.prefix,
      dataDir: redis.dataDir,
    },
    http: config.http,
    worker: config.worker,
    log: config.log,
    privacy: config.privacy,
    alerts: { webhook: alertWebhook === undefined ? 'not set' : 'set', ...bounds },
    console: config.console,
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

export type ConfigSummary = ReturnType<typeof summarizeConfig>;

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
    calendars: calendarMirrors.reduce((sum, mirror) => sum + calendarIdsOf(mirror).length, 0),
    spreadsheets: new Set(sheetMirrors.map((mirror) => mirror.spreadsheetId)).size,
  };
}
