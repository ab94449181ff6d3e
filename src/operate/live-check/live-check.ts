// Checks on the platform and in calendars and spreadsheets, before a worker starts, whether everything that the mapping needs is there. It also asks Redis for the
// rights of the worker. It leaves no traces: most calls only read. The write requests that prove a right change nothing.

import { checkKinds } from '../../calendar/kinds.ts';
import { chooseEndpoint, endpointsAt } from '../../engine/endpoint-lack.ts';
import { WorkerError } from '../../engine/errors.ts';
import { findingOf, type LiveFinding, type LiveReport } from '../../engine/finding.ts';
import type { Memory } from '../../engine/memory.ts';
import { type Directory, lineName, ofKind, type Where } from '../../engine/mirror.ts';
import type { PlatformKind } from '../../engine/object.ts';
import type { Clock } from '../../engine/runtime.ts';
import { zoneNotices } from '../../engine/zone-news.ts';
import type { Consents } from '../../google/consent-store.ts';
import { accountsOf } from '../../mapping/accounts.ts';
import type { Config } from '../../mapping/config.ts';
import { filterNames } from '../../mapping/filter-lines.ts';
import { filtersOf, mirroredKinds, neededProjects, neededZones, zonesInUse } from '../../mapping/needs.ts';
import { didYouMean } from '../../mapping/problem.ts';
import { resolveCalendars } from '../../mapping/route.ts';
import { createPlatformClient, type PlatformClient } from '../../platform/client.ts';
import { eventTypesFor } from '../../platform/endpoint-care.ts';
import { WEBHOOK_PATH } from '../../platform/webhook-route.ts';
import { accountDescriptions } from './account-descriptions.ts';
import { checkBlocksLive, checkBookingsLive } from './blocks-side.ts';
import { calendarFinding, checkGoogle, openApis } from './google-side.ts';

/** People's stored consents. */
export type StoredConsents = Pick<Consents, 'token'> & { close(): Promise<void> };

/** What a worker has stored in Redis, and whether Redis can be used. */
export interface StoredState {
  readonly findings: readonly LiveFinding[];
  /** Read only. Undefined: it cannot be read. */
  readonly memory: Memory | undefined;
  close(): Promise<void>;
}

/**
 * `openConsents` is called only if the YAML has accounts of people; it rejects with one of the three families when Redis is unusable.
 * `openState` resolves with undefined while nothing is stored yet.
 * Throws `TerminalError` for an unusable credential file or API key; everything else is a finding.
 */
export async function checkLive(
  config: Config,
  parts: {
    readonly clock: Clock;
    readonly openConsents: () => Promise<StoredConsents>;
    readonly openState?: () => Promise<StoredState | undefined>;
  },
): Promise<LiveReport> {
  const accounts = accountDescriptions(config);
  const shareWith = (account: string | undefined) => accounts.get(account)?.shareWith ?? 'the worker';
  const { clock, openConsents, openState } = parts;
  const state = await openState?.();
  const consents = await readConsents(config, openConsents);
  const [platform, google, kinds] = await Promise.all([
    checkPlatform(config, clock),
    checkGoogle(config, { clock, shareWith, consents, memory: state?.memory }),
    checkKinds(config, clock),
  ]).finally(async () => {
    if (!(consents instanceof WorkerError)) await consents?.close();
    await state?.close();
  });
  const findings: readonly LiveFinding[] = [...(state?.findings ?? []), ...platform, ...google, ...kinds];
  const ok = findings.every(({ verdict }) => verdict === 'ok' || verdict === 'notice');
  return { ok, account: [...accounts.values()].map(({ spoken }) => spoken).join('; '), findings };
}

/** Undefined if the YAML has no account of a person. */
async function readConsents(
  { google }: Config,
  open: () => Promise<StoredConsents>,
): Promise<StoredConsents | WorkerError | undefined> {
  if (!Object.values(google.accounts ?? {}).some(({ consent }) => consent !== undefined)) return undefined;
  try {
    return await open();
  } catch (error) {
    if (error instanceof WorkerError) return error;
    throw error;
  }
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const UNCOUNTED = { add() {}, observe() {} };
/** Codes of a refused key: reported once, and nothing else is checked. */
const KEY_REFUSED = ['platform-unauthenticated', 'platform-addon-required'];

/** Checks the key and its scopes, the names of the mapping, and the webhook endpoint. */
async function checkPlatform(config: Config, clock: Clock): Promise<readonly LiveFinding[]> {
  const { baseUrl, apiKey, timeoutMs } = config.platform;
  const client = createPlatformClient({ baseUrl, apiKey, timeoutMs, clock, log: SILENT, meter: UNCOUNTED });
  const key = { side: 'platform', subject: 'API key' } as const;
  try {
    await client.reader.eventPage({ limit: 1 });
  } catch (error) {
    const finding = findingOf(key, error);
    const isWhole = error instanceof WorkerError && KEY_REFUSED.includes(error.code);
    if (isWhole || finding.verdict === 'unknown') return [finding];
  }
  const kinds = mirroredKinds(config);
  return [
    { ...key, verdict: 'ok', detail: `${baseUrl} accepts it` },
    await asked('event feed', () => client.reader.eventPage({ limit: 1 })),
    ...(await Promise.all(kinds.map((kind) => readRight(client, kind)))),
    ...(await names(client, config)),
    ...(await schedule(client, config)),
    ...(await zones(client, { config, clock })),
    ...(await checkBookingsLive(client, config)),
    ...(await checkBlocksLive(client, config, clock)),
    await endpoint(client, config, kinds),
  ];
}

function readRight({ reader }: PlatformClient, kind: PlatformKind): Promise<LiveFinding> {
  const read = { limit: 1 };
  switch (kind) {
    case 'appointment':
    case 'contact':
    case 'conversation':
      return asked(`right to read ${kind}s`, () => reader.page(kind, read));
    case 'message':
      return asked('right to read messages', () => reader.page('conversation', read));
    case 'lead':
      // The platform has no list of leads (platform API). Only the content of their events shows the right to read them.
      return Promise.resolve({
        side: 'platform',
        subject: 'right to read leads',
        verdict: 'notice',
        detail: 'cannot be checked: the platform has no list of leads',
        advice: 'Check in the dashboard that the key has leads:read.',
      });
  }
}

async function asked(subject: string, ask: () => Promise<unknown>): Promise<LiveFinding> {
  const about = { side: 'platform', subject } as const;
  try {
    await ask();
    return { ...about, verdict: 'ok', detail: 'can be read' };
  } catch (error) {
    return findingOf(about, error);
  }
}

async function names({ reader }: PlatformClient, config: Config): Promise<readonly LiveFinding[]> {
  const mirrors = ofKind(config.mirrors, 'calendar');
  const isFiltered = filtersOf(config).some(({ where }) => filterNames(where, NO_LISTS).length > 0);
  if (mirrors.length === 0 && !isFiltered) return [];
  try {
    const directory = await reader.directory();
    const resources = mirrors.flatMap((mirror) => {
      const { problems } = resolveCalendars(mirror, directory);
      const lines = mirror.calendars.map(lineName).filter(({ by }) => by !== 'all');
      return lines.map(({ by, name }): LiveFinding => {
        const about = { side: 'platform', subject: `${by} ${name}` } as const;
        const problem = problems.find((each) => each.by === by && each.name === name);
        if (problem === undefined) return { ...about, verdict: 'ok', detail: `found, for ${mirror.name}` };
        const { message, code, advice } = problem;
        return { ...about, verdict: 'broken', detail: `${message} (${code})`, advice };
      });
    });
    return [...resources, ...filtersOf(config).flatMap((filter) => namesOfFilter(filter, directory))];
  } catch (error) {
    return [findingOf({ side: 'platform', subject: 'names in the mapping' }, error)];
  }
}

const NO_LISTS: Directory = { branches: new Map(), services: new Map(), resources: new Map() };
/** Largest number of known names shown, so that they do not fill the screen. */
const NAMES_SHOWN_MAX = 12;

/** The branches, services and resources that a filter names. */
function namesOfFilter(
  {
    name: mirror,
    where,
    at = 'where',
  }: { readonly name: string; readonly where: Where; readonly at?: string },
  directory: Directory,
): readonly LiveFinding[] {
  return filterNames(where, directory).map(({ setting, name, known, isKnown }): LiveFinding => {
    const about = { side: 'platform', subject: `${setting} ${name}` } as const;
    if (isKnown) return { ...about, verdict: 'ok', detail: `found, for ${at}.${setting} of ${mirror}` };
    const shown = known.slice(0, NAMES_SHOWN_MAX).join(', ');
    const others = known.length > NAMES_SHOWN_MAX ? ` and ${known.length - NAMES_SHOWN_MAX} more` : '';
    return {
      ...about,
      verdict: 'broken',
      detail: `not among the platform's active names, but used in ${at}.${setting} of ${mirror} (filter-name-unknown)`,
      advice: `${didYouMean(name, known)}known: ${shown}${others}`,
    };
  });
}

/** Which zone the resyncs follow, if the YAML leaves that to branches in several. */
async function schedule({ reader }: PlatformClient, config: Config): Promise<readonly LiveFinding[]> {
  const { resync } = config.platform;
  if (resync.schedule === undefined || resync.timezone !== undefined) return [];
  const about = { side: 'platform', subject: 'schedule of resyncs' } as const;
  try {
    const [zone, ...others] = neededZones(config, await reader.directory());
    if (zone === undefined || others.length === 0) return [];
    const detail = `${resync.schedule} in ${zone}, as in most branches`;
    const advice = `Name a zone in platform.resync.timezone: other branches lie in ${others.slice(0, NAMES_SHOWN_MAX).join(', ')}.`;
    return [{ ...about, verdict: 'notice', detail, advice }];
  } catch (error) {
    return [findingOf(about, error)];
  }
}

/** What is to be known about the zones of branches; `check` tells of those in the YAML by itself. */
async function zones(
  { reader }: PlatformClient,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
): Promise<readonly LiveFinding[]> {
  const about = { side: 'platform', subject: 'time zones of branches' } as const;
  try {
    const inYaml = zonesInUse(config, NO_LISTS);
    const ofBranches = neededZones(config, await reader.directory()).filter((zone) => !inYaml.includes(zone));
    return zoneNotices(ofBranches, { nowMs: clock.now() }).map((detail) => ({
      ...{ ...about, verdict: 'notice', detail },
    }));
  } catch (error) {
    return [findingOf(about, error)];
  }
}

async function endpoint(
  { endpoints, reader }: PlatformClient,
  config: Config,
  kinds: readonly PlatformKind[],
): Promise<LiveFinding> {
  const about = { side: 'platform', subject: 'webhook endpoint' } as const;
  const { publicUrl } = config.platform.webhook;
  try {
    const all = await endpoints.list();
    const wanted = publicUrl === undefined ? undefined : new URL(`${publicUrl}${WEBHOOK_PATH}`).href;
    const own = endpointsAt(all, wanted);
    const isForSome = own.some(({ projectIds }) => projectIds !== null);
    const projects = isForSome ? neededProjects(config, await reader.directory()) : [];
    const choice = chooseEndpoint(own, { types: eventTypesFor(kinds), projects });
    if (choice === undefined) {
      const advice = 'Run `slotbridge webhook register`. Without an endpoint the event feed stays empty.';
      return { ...about, verdict: 'broken', detail: 'does not exist (endpoint-missing)', advice };
    }
    if (choice.endpoint.status !== 'enabled') {
      const advice = 'Run `slotbridge webhook enable`, or set platform.webhook.reenable.';
      return { ...about, verdict: 'broken', detail: 'disabled (endpoint-disabled)', advice };
    }
    const lacking = [...choice.lack.types, ...choice.lack.projects.map((id) => `project ${id}`)];
    if (lacking.length === 0) return { ...about, verdict: 'ok', detail: 'enabled, covers all needed events' };
    const detail = `not subscribed to ${lacking.join(', ')} (endpoint-narrow)`;
    return { ...about, verdict: 'broken', detail, advice: 'Run `slotbridge webhook register`.' };
  } catch (error) {
    return findingOf(about, error);
  }
}

/** Checks one calendar, as often as the caller wants. */
interface CalendarAccess {
  /** Name of the account that accesses it; undefined means the default account. */
  readonly account: string | undefined;
  /** The address with which the calendar must be shared. */
  readonly shareWith: string;
  look(): Promise<LiveFinding>;
}

/** `account`: for a calendar that the YAML does not name yet. Throws `TerminalError` for a key that cannot work. */
export function openCalendarAccess(
  config: Config,
  { calendarId, account: chosen }: { readonly calendarId: string; readonly account?: string | undefined },
  clock: Clock,
): CalendarAccess {
  const account = chosen ?? accountsOf(config)(`calendar:${calendarId}`);
  const spoken = accountDescriptions(config, [account]);
  const shareWith = spoken.get(account)?.shareWith ?? 'the worker';
  const { calendar } = openApis(config, { accountOf: () => account, clock });
  return {
    account,
    shareWith,
    look: () => calendarFinding(calendarId, { calendar, shareWith }),
  };
}
