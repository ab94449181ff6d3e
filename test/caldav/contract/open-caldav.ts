import { READ_ONLY } from '@slotbridge/rehearsal/demo/caldav/radicale';
import { Requests } from '@slotbridge/rehearsal/demo/caldav/requests';
import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { CaldavApi, type CaldavParts } from '../../../src/caldav/caldav-side.ts';
import { CalendarIndex } from '../../../src/caldav/calendar-index.ts';
import { DavMemory } from '../../../src/caldav/calendar-requests.ts';
import { CaldavBusyEventsApi, CaldavWatchApi } from '../../../src/caldav/watch-side.ts';
import { keySpace } from '../../../src/engine/key-space.ts';
import { KnownProblems, TargetBreakers } from '../../../src/google/call.ts';
import { CountingBudget } from '../../doubles/budget.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { startTestRedis } from '../../stand/redis.ts';
import { openTestStore } from '../../stand/store.ts';
import { BERLIN_ZONE, caldavStaff } from './caldav-staff.ts';
import type { Calendars } from './contract.ts';
import { STAFF_ZONE } from './staff.ts';

const ZONE = `<C:calendar-timezone><![CDATA[${BERLIN_ZONE}]]></C:calendar-timezone>`;
/** xandikos refuses a zone; SOGo takes its person's. */
const ZONES: Readonly<Record<string, string>> = { xandikos: 'UTC', sogo: 'Etc/UTC' };
let made = 0;

export interface OpenCaldav extends Calendars {
  readonly parts: CaldavParts;
  /** How many the worker has made. */
  requests(): number;
}

/** The worker's CalDAV side on a real server, and its people. */
export async function openCaldav(start: () => Promise<CalendarServer>): Promise<OpenCaldav> {
  const [server, redis] = await Promise.all([start(), startTestRedis()]);
  const store = openTestStore(redis.url);
  await store.ready();
  const [{ user, password, home }] = server.accounts;
  const account = { name: 'office', url: server.url, user, password };
  const steady = { now: () => performance.now() };
  const budget = new CountingBudget();
  const parts: CaldavParts = {
    ...{ budget, timeoutMs: 60_000, memory: new DavMemory(), accountOf: () => account },
    companyZone: async () => 'UTC',
    clock: new HandClock(Date.now()),
    breakers: new TargetBreakers({ clock: steady }),
    problems: new KnownProblems(store.problems, steady),
    index: new CalendarIndex({ redis: store.redis, keys: keySpace(store.prefix) }),
  };
  const requests = new Requests({ user, password, home });
  return {
    parts,
    requests: () => budget.ranks.length,
    api: triedAgain(new CaldavApi(parts)),
    watch: triedAgain(new CaldavWatchApi(parts)),
    busy: triedAgain(new CaldavBusyEventsApi(parts)),
    staff: caldavStaff(requests),
    zone: ZONES[server.name] ?? STAFF_ZONE,
    async newCalendar() {
      made += 1;
      const calendar = await requests.makeCalendar(`calendar${made}`, ZONE);
      // davical takes the zone afterwards only.
      await requests.set(calendar, ZONE);
      return calendar;
    },
    async missingCalendar() {
      made += 1;
      return `${home}calendar${made}/`;
    },
    ...(server.name === 'radicale' && { readOnlyCalendar: async () => `${home}${READ_ONLY}/` }),
    async close() {
      await store.close();
      await redis.stop();
      await server.stop();
    },
  };
}

/** SOGo closes connections that it has promised to keep. The worker's queue then tries again, and so does this. */
function triedAgain<Api extends object>(api: Api): Api {
  return new Proxy(api, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      return (...args: unknown[]) => {
        const first: unknown = call.apply(target, args);
        if (!(first instanceof Promise)) return first;
        return first.catch((error: unknown) => {
          if ((error as { code?: unknown }).code !== 'caldav-unreachable') throw error;
          return call.apply(target, args);
        });
      };
    },
  });
}
