import type { Snapshot } from '../engine/object.ts';
import { localParts } from '../engine/zone-parts.ts';
import { offsetAt, zoneNamed } from '../engine/zone-rules.ts';
import type { ConsoleParts } from './parts.ts';
import { textForEyes } from './person.ts';
import type { Visit } from './visit.ts';

/** When and where an appointment is, in the words of its branch. */
export interface AppointmentTime {
  readonly starts: LocalMoment;
  readonly ends: LocalMoment | undefined;
  readonly zone: string;
  /** Names, the main one first; ids where the platform's lists lack them. */
  readonly resources: readonly string[];
  readonly branch: string;
}

export interface LocalMoment {
  readonly atMs: number;
  /** Minutes east of UTC, by slotbridge's rules. */
  readonly offsetMin: number;
  /** `Mon 23 Nov`, in the language of the console; with the year if it is not this one. */
  readonly day: string;
  /** `12:00` */
  readonly clock: string;
}

/** Undefined for an object without a start. */
export function appointmentTimeOf(
  { directory, zoneOf }: Pick<ConsoleParts, 'directory' | 'zoneOf'>,
  snapshot: Snapshot | undefined,
  visit: Visit,
): AppointmentTime | undefined {
  if (snapshot === undefined) return undefined;
  const named = zoneOf(snapshot);
  // The search takes the same way: an unknown zone counts as UTC.
  const zone = visit.times === 'utc' || zoneNamed(named) === undefined ? 'UTC' : named;
  const starts = momentIn(snapshot['starts_at'], zone, visit);
  if (starts === undefined) return undefined;
  const { resources, branches } = directory();
  const text = textForEyes(visit);
  const branchId = snapshot['branch_id'];
  return {
    ...{ starts, ends: momentIn(snapshot['ends_at'], zone, visit), zone },
    resources: resourceIds(snapshot).map((id) => text(resources.get(id)?.name ?? id)),
    branch: typeof branchId === 'string' ? text(branches.get(branchId)?.name ?? branchId) : '',
  };
}

function momentIn(iso: unknown, zone: string, { words, nowMs }: Visit): LocalMoment | undefined {
  const atMs = typeof iso === 'string' ? Date.parse(iso) : Number.NaN;
  const parts = localParts(atMs, zone, { locale: words.code, ...SHOWN });
  const rules = zoneNamed(zone);
  if (parts === undefined || rules === undefined) return undefined;
  const isThisYear =
    localParts(nowMs, zone, { locale: words.code, ...SHOWN })?.get('year') === parts.get('year');
  const named = (['weekday', 'day', 'month', 'year'] as const).slice(0, isThisYear ? 3 : 4);
  const day = named.map((part) => parts.get(part)).join(' ');
  const clock = `${parts.get('hour')}:${parts.get('minute')}`;
  return { atMs, offsetMin: offsetAt(rules, atMs), day, clock };
}

const SHOWN = {
  ...({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const),
};

function resourceIds({ resource_id: main, resource_ids: all }: Snapshot): readonly string[] {
  const ids = [main, ...(Array.isArray(all) ? all : [])];
  return [...new Set(ids.filter((id): id is string => typeof id === 'string' && id !== ''))];
}
