// Why a mirror takes an object, or does not: in words, and by the line of the YAML that decides. For people who ask; what is done
// is decided in route.ts.
import type { Directory } from '../domain/directory.ts';
import type { CalendarMirror, Mirror, SheetMirror } from '../domain/mirror.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { type Division, divisionOf, EVERYTHING, resourcesOf, subjectsOf } from '../domain/subject.ts';
import type { Claim } from '../domain/work.ts';
import type { Judged } from './filter/line.ts';
import { linesOf } from './filter/lines.ts';
import { type CalendarBySubject, entersAtMs } from './route.ts';
import { archivedAtMs } from './sheet/tab/places.ts';

/** What a mirror makes of an object. */
export interface Opinion {
  readonly taken: boolean;
  /** Path of the setting that decides, `mirrors.staff-calendars.where.status`. */
  readonly rule: string;
  /** One clause, without personal data. */
  readonly because: string;
}

export interface Around {
  readonly directory: Directory;
  /** Subject to calendar; only for calendar mirrors. */
  readonly resolved: CalendarBySubject;
  readonly nowMs: number;
}

export function opinionOf(mirror: Mirror, claim: Claim, around: Around): Opinion {
  const { snapshot } = claim;
  const path = pathOf(mirror);
  if (claim.deleted) {
    if (mirror.kind === 'calendar') return no(path('calendars'), 'the platform said that it was deleted');
    const kept = mirror.deleted === 'keep';
    return {
      taken: kept,
      rule: path('sheet.deleted'),
      because: `it was deleted on the platform: ${mirror.deleted}`,
    };
  }
  if (snapshot === undefined) return no(path('from'), 'only its id is known so far');
  const refusal = refusedBy(mirror, { ...claim, snapshot }, around);
  if (refusal !== undefined) return no(path(refusal.setting), refusal.because);
  const because = takenBy(mirror, { ...claim, snapshot }, around.directory);
  if (mirror.kind === 'sheet') return sheetOpinion(mirror, claim, { ...around, because });
  const told = linesOf(mirror.where).length === 0 ? '' : `; ${because}`;
  return calendarOpinion(mirror, snapshot, { ...around, because: told });
}

/** The path of one of its settings. */
function pathOf({ name }: Mirror): (setting: string) => string {
  return (setting) => `mirrors.${name}.${setting}`;
}

function sheetOpinion(
  mirror: SheetMirror,
  { snapshot, links }: Claim,
  { nowMs, because }: Around & { readonly because: string },
): Opinion {
  const path = pathOf(mirror);
  const atMs = archivedAtMs(mirror, snapshot);
  if (mirror.archive === undefined || atMs === undefined)
    return { taken: true, rule: path('where'), because };
  const { tab, by } = mirror.archive;
  const at = new Date(atMs).toISOString();
  if (atMs > nowMs)
    return {
      taken: true,
      rule: path('where'),
      because: `${because}; it moves to tab ${tab} on ${at}`,
    };
  const rule = path('sheet.archive');
  if ((links[mirror.name]?.sheet?.staysUntilMs ?? 0) > nowMs)
    return {
      taken: true,
      rule,
      because: `it is old enough for tab ${tab}, but people have written beside its row`,
    };
  return { taken: true, rule, because: `its ${by} is old enough: since ${at} its row belongs to tab ${tab}` };
}

function no(rule: string, because: string): Opinion {
  return { taken: false, rule, because };
}

type KnownClaim = Claim & { readonly snapshot: Snapshot };

interface Refused {
  readonly setting: string;
  readonly because: string;
}

/** The first line of `where` that does not take it. */
function refusedBy(mirror: Mirror, claim: KnownClaim, around: Around): Refused | undefined {
  const { snapshot } = claim;
  const { directory, nowMs } = around;
  const links = claim.links[mirror.name];
  const linked = links !== undefined;
  const subject = { kind: mirror.from, snapshot, directory, customer: claim.customer };
  const refusal = (judged: Judged): Refused | undefined => {
    const line = linesOf(mirror.where).find((each) => each.judge(subject) === judged);
    return line && { setting: `where.${line.setting}`, because: line.tell(subject) };
  };
  const refused = refusal('no') ?? (linked ? undefined : refusal('unknown'));
  if (refused !== undefined || linked) return refused;
  const field = mirror.from === 'appointment' ? 'starts_at' : 'created_at';
  const atMs = Date.parse(String(snapshot[field]));
  if ('sinceMs' in mirror.where && atMs < nowMs - mirror.where.sinceMs) {
    return {
      setting: 'where.since',
      because: `its ${field} is ${String(snapshot[field])}, longer ago than is taken up`,
    };
  }
  if (mirror.from !== 'appointment') return undefined;
  const entersMs = entersAtMs(mirror.where, snapshot, { nowMs, linked, directory });
  if (entersMs === undefined) return undefined;
  const enters = new Date(entersMs).toISOString();
  return {
    setting: 'where.until',
    because: `it starts at ${String(snapshot['starts_at'])}, further ahead than is taken up; it enters on ${enters}`,
  };
}

/** What `where` says of an object that it takes. */
function takenBy(mirror: Mirror, claim: KnownClaim, directory: Directory): string {
  const { snapshot } = claim;
  const lines = linesOf(mirror.where);
  const subject = { kind: mirror.from, snapshot, directory, customer: claim.customer };
  const unknown = lines.find((line) => line.judge(subject) === 'unknown');
  if (unknown !== undefined) return `it stands there, and stays although ${unknown.tell(subject)}`;
  const named = lines.map(({ setting }) => setting);
  return ['every line of where takes it', ...(named.length === 0 ? [] : [named.join(', ')])].join(': ');
}

function calendarOpinion(
  mirror: CalendarMirror,
  snapshot: Snapshot,
  { resolved, directory, because: taken }: Around & { readonly because: string },
): Opinion {
  const path = pathOf(mirror);
  const { cancelled } = mirror.event;
  if (snapshot['status'] === 'cancelled') {
    return {
      taken: cancelled === 'keep',
      rule: path('event.cancelled'),
      because: `it is cancelled: ${cancelled}`,
    };
  }
  const subjects = subjectsOf(snapshot).filter((subject) => resolved.has(subject));
  const map = path(subjects[0] === EVERYTHING ? 'calendars.calendar' : 'calendars.map');
  if (subjects.length > 0) {
    const owners = [...new Set(subjects.map((subject) => OWNERS[divisionOf(subject)]))];
    return { taken: true, rule: map, because: `${owners.join(', and ')}${taken}` };
  }
  const divisions = new Set([...resolved.keys()].map(divisionOf));
  const missing = ORDER.filter((by) => divisions.has(by)).map((by) => missingOf(by, snapshot, directory));
  return no(map, missing.join(', and ') || 'the mapping has no calendar');
}

const ORDER = ['resource', 'branch', 'service'] as const;

const OWNERS: Readonly<Record<Division, string>> = {
  resource: 'one of its resources has a calendar',
  branch: 'its branch has a calendar',
  service: 'its service has a calendar',
  all: 'there is a calendar for everything',
};

/** Why nothing of this sort brings it into a calendar. */
function missingOf(by: (typeof ORDER)[number], snapshot: Snapshot, directory: Directory): string {
  const { branch_id: branch, service_id: service, service_name: name } = snapshot;
  const resources = resourcesOf(snapshot).map((id) => directory.resources.get(id)?.name ?? id);
  const found = {
    resource: resources.join(', '),
    branch: branch && (directory.branches.get(String(branch))?.name ?? branch),
    service: service && (name ?? directory.services.get(String(service))?.name ?? service),
  }[by];
  if (!found) return `it has no ${by}`;
  return by === 'resource'
    ? `none of its resources (${found}) has a calendar`
    : `its ${by} (${found}) has no calendar`;
}
