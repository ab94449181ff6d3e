/** One person's blocks over a platform in memory. */

import { expect } from 'vitest';
import { blockWriter, createBlockTarget } from '../../../src/calendar/block-target.ts';
import { readReport } from '../../../src/calendar/block-wanted.ts';
import { type BlockRule, blockOrigin, type SeenBusy } from '../../../src/engine/block.ts';
import { TerminalError } from '../../../src/engine/errors.ts';
import type { IntentRecord, IntentStore, OpenRequest } from '../../../src/engine/intent.ts';
import type { Directory } from '../../../src/engine/mirror.ts';
import { type Appointment, type EntityKey, ORIGIN_MARK } from '../../../src/engine/object.ts';
import type { PlatformWriter, WriteRequest } from '../../../src/engine/platform.ts';
import type { Claim } from '../../../src/engine/work.ts';
import { HandClock } from '../../doubles/hand-clock.ts';
import { KeptLog } from '../../doubles/listener.ts';
import { MapMemory } from '../../doubles/map-memory.ts';
import { MemoryProblemBoard } from '../../doubles/problem-board.ts';
import { double } from '../../stand/double.ts';

export const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
export const NOON = Date.parse('2026-03-02T12:00:00.000Z');
export const TUESDAY = Date.parse('2026-03-03T00:00:00.000Z');
export const at = (ms: number) => new Date(ms).toISOString();

export const RULE: BlockRule = {
  ...{ name: 'private', service: 'Busy', contactId: 'house', horizonMs: 30 * DAY, everyMs: MINUTE },
  people: [{ resource: 'Anna', calendars: [{ calendarId: 'anna@x.example' }] }],
  hours: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((day) => [day, [[0, 1_440] as const]])),
  busy: {
    ...{ free: false, declined: false, tentative: true, unanswered: false },
    ...{ allDay: true, outOfOffice: true, shortestMs: 0, paddingMs: 0 },
  },
  paused: false,
};
export const DIRECTORY: Directory = {
  resources: new Map([['anna', { id: 'anna', branchId: 'b', projectId: 'p', name: 'Anna' }]]),
  branches: new Map([['b', { id: 'b', projectId: 'p', name: 'B', timezone: 'UTC' }]]),
  services: new Map([
    ['busy', { id: 'busy', projectId: 'p', name: 'Busy', lengths: { minMin: 30, maxMin: 240, stepMin: 15 } }],
  ]),
};

/** From and to, in hours of Tuesday. */
export type Hours = readonly [number, number];

export function appointment(id: string, [from, to]: Hours, fields: Partial<Appointment> = {}): Appointment {
  return {
    ...{ id, project_id: 'p', branch_id: 'b', service_id: 'busy', service_name: 'Busy', timezone: 'UTC' },
    ...{ resource_id: 'anna', resource_ids: ['anna'], status: 'confirmed', contact_id: 'house' },
    ...{ starts_at: at(TUESDAY + from * HOUR), ends_at: at(TUESDAY + to * HOUR) },
    metadata: { [ORIGIN_MARK]: blockOrigin('anna', TUESDAY + from * HOUR) },
    created_at: at(NOON),
    ...fields,
  };
}

export function seenBusy(busy: readonly Hours[] | null): SeenBusy {
  const spans = busy?.map(([from, to]) => [TUESDAY + from * HOUR, TUESDAY + to * HOUR] as const) ?? null;
  return {
    ...{ id: 'anna', rule: 'private', seen_at: at(NOON) },
    calendars: [{ calendarId: 'anna@x.example', busy: spans }],
  } as unknown as SeenBusy;
}

export interface Given {
  readonly busy?: readonly Hours[] | null;
  readonly standing?: readonly Appointment[];
  readonly rule?: Partial<BlockRule>;
  readonly snapshot?: undefined;
  readonly key?: EntityKey;
  /** The platform's refusal of a request, by its path and start. */
  readonly refuses?: (path: string) => string | undefined;
  readonly directory?: Directory;
}

export function stand(given: Given = {}) {
  const platform = new Map((given.standing ?? []).map((each) => [each.id, each]));
  const done: string[] = [];
  const bodies: Record<string, unknown>[] = [];
  const filters: Readonly<Record<string, string>>[] = [];
  const requests = new Map<string, IntentRecord>();
  const [claims, stored]: unknown[][] = [[], []];
  const clock = new HandClock(NOON);
  const [log, memory, problems] = [new KeptLog(), new MapMemory(), new MemoryProblemBoard()];
  const say = (path: string, { body }: WriteRequest) => {
    done.push(path);
    bodies.push(JSON.parse(body) as Record<string, unknown>);
    const code = given.refuses?.(path);
    if (code !== undefined) throw new TerminalError(code, 'refused', { status: 409 });
  };
  const hour = (ms: number) => (ms - TUESDAY) / HOUR;
  const changed = (id: string, fields: Partial<Appointment>): Appointment => {
    const known = platform.get(id) ?? expect.fail(`no ${id}`);
    const next = { ...known, ...fields };
    platform.set(id, next);
    return next;
  };
  const writer: PlatformWriter = {
    timeoutMs: 10_000,
    async create(request) {
      const body = JSON.parse(request.body) as Record<string, string> & { duration_min: number };
      const fromMs = Date.parse(body['starts_at'] ?? '');
      say(`book ${hour(fromMs)}`, request);
      const id = `new${platform.size}`;
      const made = appointment(id, [hour(fromMs), hour(fromMs) + body.duration_min / 60], {
        ...{ metadata: body['metadata'], created_at: at(clock.now()) },
      });
      platform.set(id, made);
      return made;
    },
    async reschedule(id, request) {
      const { starts_at: startsAt = '' } = JSON.parse(request.body) as Record<string, string>;
      say(`move ${id} to ${hour(Date.parse(startsAt))}`, request);
      const known = platform.get(id) ?? expect.fail(`no ${id}`);
      const lengthMs = Date.parse(known.ends_at) - Date.parse(known.starts_at);
      return changed(id, { starts_at: startsAt, ends_at: at(Date.parse(startsAt) + lengthMs) });
    },
    async cancel(id, request) {
      say(`cancel ${id}`, request);
      return changed(id, { status: 'cancelled', resource_id: null, resource_ids: [] });
    },
    get: async (id) => platform.get(id),
    async list(asked, after) {
      filters.push(asked);
      const all = [...platform.values()];
      const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      return { data: all.slice(from, from + 2), hasMore: from + 2 < all.length };
    },
    slots: async () => expect.fail('nobody waits for free times'),
  };
  const intents: IntentStore = double({
    seed: async () => 'seed',
    read: async (origin: string) => requests.get(origin),
    async begin(origin: string, request: OpenRequest, claim) {
      claims?.push(claim);
      stored?.push(request);
      const known = requests.get(origin);
      if ((known?.generation ?? 0) + 1 !== request.generation) return { outcome: 'stale' };
      requests.set(origin, {
        ...{ generation: request.generation, open: request, appointmentId: undefined },
        ended: known?.ended ?? [],
      });
      return { outcome: 'begun', open: request };
    },
    async replace(origin: string, _: unknown, request: OpenRequest) {
      const known = requests.get(origin) ?? expect.fail('nothing stored');
      requests.set(origin, { ...known, open: request, generation: request.generation });
      return true;
    },
    async settle(origin, end) {
      const known = requests.get(origin) ?? expect.fail('nothing stored');
      requests.set(origin, { ...known, open: undefined, ended: [end, ...known.ended] });
      return true;
    },
    async withdraw(origin, end) {
      const known = requests.get(origin) ?? expect.fail('nothing stored');
      requests.set(origin, { ...known, open: undefined, ended: [end, ...known.ended] });
      return true;
    },
  });
  const rule = { ...RULE, ...given.rule };
  const parts = {
    ...{ writer: blockWriter(writer), intents, memory, problems, clock, log, rules: [rule] },
    directory: { current: () => given.directory ?? DIRECTORY },
  };
  const claim: Claim = {
    ...{ key: given.key ?? { kind: 'block', id: 'anna' }, fence: 'f', desiredRev: 1, syncedRev: 0 },
    ...{ deleted: false, verify: false, projectId: undefined, links: {}, sightings: [] },
    ...{ pendingSinceMs: NOON },
    snapshot: 'snapshot' in given ? given.snapshot : seenBusy(given.busy === undefined ? [] : given.busy),
  };
  const target = createBlockTarget(parts);
  const turn = () => target.reconcile(claim).catch((error: { code: string }) => error.code);
  const blocks = () =>
    [...platform.values()]
      .filter(({ status }) => status !== 'cancelled')
      .map(({ starts_at: from, ends_at: to }) => `${hour(Date.parse(from))}-${hour(Date.parse(to))}`);
  const report = () => readReport(memory, 'anna');
  return {
    ...{ turn, target, claim, stored, platform, done, bodies, filters, requests, claims, blocks, report },
    ...{ log, memory, problems, clock, parts, writer },
  };
}
