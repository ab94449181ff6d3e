// Asks each home which of its calendars changed: one request for all that stand beside each other. A change means that a calendar is read now.
// No change proves nothing, because versions may stand still (rule 4 of decision 0050): each calendar is polled besides.
import { WorkerError } from '../engine/errors.ts';
import { asleep, type Part, repeat } from '../engine/supervisor.ts';
import type { Listening } from '../google/calendar-watch-api.ts';
import type { CaldavParts } from './caldav-side.ts';
import { davPath, propfind } from './calendar-requests.ts';
import { type DavAccount, davCall, UNABLE } from './call.ts';
import { CTAG, dav, readMultistatus } from './xml.ts';

export interface LookParts extends CaldavParts {
  /** The shortest time between two looks at a home. */
  readonly lookEveryMs: number;
}

/** Calendars of one account beside each other. */
interface Home {
  readonly account: DavAccount;
  readonly url: URL;
  /** Path to id. */
  readonly calendars: ReadonlyMap<string, string>;
}

interface Seen {
  /** The server's version of the calendar. */
  readonly version: string;
  readonly lastWrite: string | undefined;
}

/** Until a home that does not tell versions is asked again. */
const UNABLE_PAUSE_MS = 10 * 60_000;
/** After a failed look. The polls tell people what is wrong. */
const FAILED_PAUSE_MS = 30_000;
/** How long after its end a process's homes are asked by another one at most. */
const NEXT_HOLDER_MS = 5_000;
type Version = 'getctag' | 'sync-token';
/** What names the version of a calendar: `getctag` is half the work for radicale, and RFC 6578 has the other. */
const VERSIONS: Readonly<Record<Version, { readonly asked: string; readonly name: string }>> = {
  getctag: { asked: '<CS:getctag/>', name: CTAG },
  'sync-token': { asked: '<D:sync-token/>', name: dav('sync-token') },
};

/** One part of the worker for each home. Each home is asked by one process. */
export function homeLooks(parts: LookParts, listening: Listening): readonly Part[] {
  const { leases, log } = listening;
  return homesOf(parts, listening.calendars).map((home) => {
    const name = `calendar-home:${home.account.name}:${home.url.href}`;
    const seen = new Map<string, Seen>();
    return {
      name: 'calendar homes',
      run: (signal) =>
        repeat({ name: 'calendar homes', everyMs: NEXT_HOLDER_MS, signal, log }, async () => {
          try {
            await leases.hold(
              name,
              (lease) => looks(parts, { ...listening, home, seen, signal: lease.signal }),
              {
                until: signal,
              },
            );
            return undefined;
          } catch (error) {
            if (error instanceof WorkerError) return FAILED_PAUSE_MS;
            throw error;
          }
        }),
    };
  });
}

function homesOf({ accountOf }: LookParts, calendars: readonly string[]): readonly Home[] {
  const homes = new Map<string, Omit<Home, 'calendars'> & { readonly calendars: Map<string, string> }>();
  for (const id of calendars) {
    const own = new URL(id.endsWith('/') ? id : `${id}/`);
    const url = new URL('..', own);
    const account = accountOf(`calendar:${id}`);
    const key = `${account.name} ${url.href}`;
    const home = homes.get(key) ?? { account, url, calendars: new Map() };
    homes.set(key, home);
    home.calendars.set(davPath(own.pathname, own), id);
  }
  return [...homes.values()];
}

/** Ends with the signal, or rejects when a look fails. */
async function looks(
  parts: LookParts,
  listening: Listening & {
    readonly home: Home;
    /** Outlives failures. */
    readonly seen: Map<string, Seen>;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { home, seen, signal, ring, isCurrent } = listening;
  let version: Version = 'getctag';
  while (!signal.aborted) {
    if (!(await isCurrent())) return;
    const beganAtMs = performance.now();
    const told = await look(parts, home, version);
    // A slow server is busy with looks for half of the time at most.
    let waitMs = Math.max(parts.lookEveryMs, performance.now() - beganAtMs);
    if (told.size === 0) {
      if (version === 'sync-token') waitMs = UNABLE_PAUSE_MS;
      version = version === 'getctag' ? 'sync-token' : 'getctag';
    }
    for (const [calendarId, now] of told) {
      const before = seen.get(calendarId);
      // A first look cannot tell what changed since the last poll.
      // If the worker wrote meanwhile, people perhaps did not: the next poll tells.
      const isNews =
        before === undefined || (before.version !== now.version && before.lastWrite === now.lastWrite);
      if (isNews) await ring(calendarId);
      seen.set(calendarId, now);
    }
    await asleep(waitMs, [signal]);
  }
}

/** Empty if the server tells no such versions. */
async function look(
  parts: LookParts,
  { account, url, calendars }: Home,
  version: Version,
): Promise<ReadonlyMap<string, Seen>> {
  const { asked, name } = VERSIONS[version];
  const { status, body } = await davCall(parts, {
    ...{ account, target: `caldav:${account.name}`, method: 'PROPFIND', url: url.href, rank: 'list' },
    headers: { 'content-type': 'application/xml; charset=utf-8', depth: '1' },
    ...{ body: propfind(asked), takes: [207, ...UNABLE] },
  });
  const { responses } = (status === 207 ? readMultistatus(body) : undefined) ?? { responses: [] };
  const found = responses.flatMap(({ href, found: properties }) => {
    const calendarId = calendars.get(davPath(href, url));
    const text = properties.get(name)?.text.trim() ?? '';
    return calendarId === undefined || text === '' ? [] : [[calendarId, text] as const];
  });
  const told = found.map(async ([calendarId, text]) => {
    return [
      calendarId,
      { version: text, lastWrite: (await parts.index.lastWrite(calendarId))?.name },
    ] as const;
  });
  return new Map(await Promise.all(told));
}
