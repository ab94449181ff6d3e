// Requests per minute. Calendar counts over a sliding minute; Sheets refills each bucket every minute. A refusal has Google's real
// body, and neither API sends Retry-After.
import type { Method } from './method.ts';
import {
  calendarLimitRefusal,
  calendarQuotaRefusal,
  calendarRefusal,
  type Refusal,
  sheetsRefusal,
} from './refusal.ts';

export interface QuotaLimits {
  calendarPerMinutePerUser?: number;
  calendarPerMinutePerProject?: number;
  /** Writes to one calendar by all callers: an operational limit for which Google publishes no number. Default: unlimited. */
  calendarWritesPerMinutePerCalendar?: number;
  sheetsReadsPerMinutePerUser?: number;
  sheetsWritesPerMinutePerUser?: number;
  sheetsReadsPerMinutePerProject?: number;
  sheetsWritesPerMinutePerProject?: number;
}

/**
 * The form of Calendar's refusals. `403`: as recorded, where only the body tells a quota of the user or project from the limit of one
 * calendar. `429`: the guide's body for each of them. `alternate`: these two in turn. `guide`: the guide's 403, with
 * `userRateLimitExceeded` for the user's quota.
 */
export type QuotaForm = '403' | '429' | 'alternate' | 'guide';

/** Whose limit is spent. */
type Spent = 'user' | 'project' | 'calendar';

const defaults: Required<QuotaLimits> = {
  calendarPerMinutePerUser: 600,
  calendarPerMinutePerProject: 10_000,
  calendarWritesPerMinutePerCalendar: Number.POSITIVE_INFINITY,
  sheetsReadsPerMinutePerUser: 60,
  sheetsWritesPerMinutePerUser: 60,
  sheetsReadsPerMinutePerProject: 300,
  sheetsWritesPerMinutePerProject: 300,
};
const minuteMs = 60_000;

export class Quotas {
  readonly #now: () => number;
  #limits: Required<QuotaLimits>;
  readonly #sliding = new Map<string, SlidingMinute>();
  readonly #buckets = new Map<string, { minute: number; used: number }>();
  #refusals = 0;

  constructor(now: () => number, limits: QuotaLimits = {}) {
    this.#now = now;
    this.#limits = withProject(limits, defaults);
  }

  /** How many calls were refused so far. */
  refusals(): number {
    return this.#refusals;
  }

  /** Sets new limits. What was used stays used. */
  change(limits: QuotaLimits): void {
    this.#limits = withProject(limits, this.#limits);
  }

  /** Counts the call, or throws. Calls that fail later still count. */
  spend(method: Method, caller: { user: string; calendarId: string | undefined }, form: QuotaForm): void {
    const { user, calendarId } = caller;
    if (method.service === 'calendar') {
      this.#spendCalendar(user, form);
      if (calendarId !== undefined && method.http !== 'GET') this.#spendWrite(calendarId, form);
    } else this.#spendSheets(method.quota, user);
  }

  #spendCalendar(user: string, form: QuotaForm): void {
    const mine = this.#minute(`user ${user}`);
    const all = this.#minute('project');
    const now = this.#now();
    if (mine.count(now) >= this.#limits.calendarPerMinutePerUser) throw this.#calendarRefused(form, 'user');
    if (all.count(now) >= this.#limits.calendarPerMinutePerProject)
      throw this.#calendarRefused(form, 'project');
    mine.add(now);
    all.add(now);
  }

  #spendWrite(calendarId: string, form: QuotaForm): void {
    const writes = this.#minute(`calendar ${calendarId}`);
    const now = this.#now();
    if (writes.count(now) >= this.#limits.calendarWritesPerMinutePerCalendar)
      throw this.#calendarRefused(form, 'calendar');
    writes.add(now);
  }

  #minute(key: string): SlidingMinute {
    const held = this.#sliding.get(key) ?? new SlidingMinute();
    this.#sliding.set(key, held);
    return held;
  }

  #calendarRefused(form: QuotaForm, spent: Spent): Refusal {
    this.#refusals += 1;
    if (form === '429' || (form === 'alternate' && this.#refusals % 2 === 0))
      return calendarLimitRefusal(429);
    if (spent === 'calendar') return calendarLimitRefusal(403);
    if (form !== 'guide') return calendarQuotaRefusal(spent);
    if (spent === 'project') return calendarLimitRefusal(403);
    return calendarRefusal(403, {
      domain: 'usageLimits',
      reason: 'userRateLimitExceeded',
      message: 'User Rate Limit Exceeded',
    });
  }

  #spendSheets(kind: 'read' | 'write', user: string): void {
    const perUser =
      kind === 'read' ? this.#limits.sheetsReadsPerMinutePerUser : this.#limits.sheetsWritesPerMinutePerUser;
    const perProject =
      kind === 'read'
        ? this.#limits.sheetsReadsPerMinutePerProject
        : this.#limits.sheetsWritesPerMinutePerProject;
    const mine = this.#bucket(`${kind} user ${user}`);
    const all = this.#bucket(`${kind} project`);
    if (mine.used >= perUser) throw this.#sheetsRefused(kind, { limit: perUser, isPerUser: true });
    if (all.used >= perProject) throw this.#sheetsRefused(kind, { limit: perProject, isPerUser: false });
    mine.used += 1;
    all.used += 1;
  }

  #bucket(key: string): { minute: number; used: number } {
    const minute = Math.floor(this.#now() / minuteMs);
    const held = this.#buckets.get(key);
    if (held?.minute === minute) return held;
    const fresh = { minute, used: 0 };
    this.#buckets.set(key, fresh);
    return fresh;
  }

  #sheetsRefused(kind: 'read' | 'write', what: { limit: number; isPerUser: boolean }): Refusal {
    this.#refusals += 1;
    const name = kind === 'read' ? 'Read' : 'Write';
    const per = what.isPerUser ? ' per user' : '';
    return sheetsRefusal(
      429,
      `Quota exceeded for quota metric '${name} requests' and limit '${name} requests per minute${per}' of service 'sheets.googleapis.com' for consumer 'project_number:100000000000'.`,
      [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'RATE_LIMIT_EXCEEDED',
          domain: 'googleapis.com',
          metadata: {
            service: 'sheets.googleapis.com',
            consumer: 'projects/100000000000',
            quota_location: 'global',
            quota_metric: `sheets.googleapis.com/${kind}_requests`,
            quota_limit: `${name}RequestsPerMinutePer${what.isPerUser ? 'User' : 'Project'}`,
            quota_limit_value: String(what.limit),
            quota_unit: what.isPerUser ? '1/min/{project}/{user}' : '1/min/{project}',
          },
        },
        {
          '@type': 'type.googleapis.com/google.rpc.Help',
          links: [
            {
              description: 'Request a higher quota limit.',
              url: 'https://cloud.google.com/docs/quotas/help/request_increase',
            },
          ],
        },
      ],
    );
  }
}

/** Moments of the last 60 seconds, oldest first. The front is dropped lazily. */
class SlidingMinute {
  #moments: number[] = [];
  #start = 0;

  count(now: number): number {
    while (this.#start < this.#moments.length && (this.#moments[this.#start] ?? now) <= now - minuteMs)
      this.#start += 1;
    if (this.#start > 4096) {
      this.#moments = this.#moments.slice(this.#start);
      this.#start = 0;
    }
    return this.#moments.length - this.#start;
  }

  add(now: number): void {
    this.#moments.push(now);
  }
}

/** Raises a project limit to at least the user limit, so that a raised user limit can be reached. */
function withProject(limits: QuotaLimits, base: Required<QuotaLimits>): Required<QuotaLimits> {
  const merged = { ...base, ...limits };
  return {
    ...merged,
    calendarPerMinutePerProject:
      limits.calendarPerMinutePerProject ??
      Math.max(merged.calendarPerMinutePerProject, merged.calendarPerMinutePerUser),
    sheetsReadsPerMinutePerProject:
      limits.sheetsReadsPerMinutePerProject ??
      Math.max(merged.sheetsReadsPerMinutePerProject, merged.sheetsReadsPerMinutePerUser),
    sheetsWritesPerMinutePerProject:
      limits.sheetsWritesPerMinutePerProject ??
      Math.max(merged.sheetsWritesPerMinutePerProject, merged.sheetsWritesPerMinutePerUser),
  };
}
