import type { Config } from '../config/config.ts';
import { filtersOf, mirroredKinds, neededProjects } from '../config/needs.ts';
import { didYouMean } from '../config/suggest.ts';
import type { Directory } from '../domain/directory.ts';
import { chooseEndpoint, endpointsAt } from '../domain/endpoint-lack.ts';
import type { PlatformKind } from '../domain/entity.ts';
import { WorkerError } from '../domain/errors.ts';
import type { LiveFinding } from '../domain/live-finding.ts';
import { lineName, ofKind, type Where } from '../domain/mirror.ts';
import { filterNames } from '../mirrors/filter/named.ts';
import { resolveCalendars } from '../mirrors/route.ts';
import { createPlatformClient, type PlatformClient } from '../platform/client.ts';
import type { Clock } from '../ports/runtime.ts';
import { WEBHOOK_PATH } from '../sources/webhook/route.ts';
import { eventTypesFor } from '../upkeep/endpoint/endpoint-care.ts';
import { checkBlocksLive } from './blocks-side.ts';
import { checkBookingsLive } from './bookings-side.ts';
import { findingOf } from './finding.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const UNCOUNTED = { add() {}, observe() {} };
/** Codes of a refused key: reported once, and nothing else is checked. */
const KEY_REFUSED = ['platform-unauthenticated', 'platform-addon-required'];

/** Checks the key and its scopes, the names of the mapping, and the webhook endpoint. */
export async function checkPlatform(config: Config, clock: Clock): Promise<readonly LiveFinding[]> {
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
