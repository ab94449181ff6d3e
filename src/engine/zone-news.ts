/** What an operator should know about time zones: unknown names, rules that differ from Node's, and rules that are old. */

import { nodeDatesShow, nodeOffsetAt, offsetAt, ZONES_VERSION, zoneNamed } from './zone-rules.ts';
import table from './zone-table.json' with { type: 'json' };

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const NAMES_SHOWN_MAX = 5;

/** Node's rules: the release of their database, and minutes east of UTC; undefined for what Node does not know. */
export interface OtherRules {
  readonly version: string | undefined;
  readonly offsetAt: (name: string, ms: number) => number | undefined;
  /** A cheaper proof that the offsets of these moments are equal. Absent: there is none. */
  readonly show?: (name: string, offsets: ReadonlyMap<number, number>) => boolean;
}

export const NODE_RULES: OtherRules = {
  version: process.versions['tz'],
  offsetAt: nodeOffsetAt,
  show: nodeDatesShow,
};

/** One sentence or two per fact, with what to do; empty when there is nothing to do or to know. `names`: the zones in use. */
export function zoneNotices(
  names: readonly string[],
  { nowMs, other = NODE_RULES }: { readonly nowMs: number; readonly other?: OtherRules },
): readonly string[] {
  const all = [...new Set(names)];
  const unknown = all.filter((name) => zoneNamed(name) === undefined);
  const apart = all.filter((name) => isApart(name, { nowMs, other }));
  const ageMs = nowMs - Date.parse(table.written);
  return [
    ...unknown.slice(0, NAMES_SHOWN_MAX).map((name) => unknownZoneAdvice(name, other)),
    ...(apart.length === 0 ? [] : [apartNotice(apart, other)]),
    ...(ageMs > YEAR_MS
      ? [`The rules of time zones (${ZONES_VERSION}) are more than a year old. Update slotbridge.`]
      : []),
  ];
}

/** Which release of the rules knows a zone that these lack, and what to do. */
export function unknownZoneAdvice(name: string, other: OtherRules = NODE_RULES): string {
  const isKnownThere = other.offsetAt(name.slice(0, NAME_CHARS_MAX), 0) !== undefined;
  const shown = name.slice(0, NAME_CHARS_MAX);
  return isKnownThere
    ? `The time zone ${shown} is in release ${other.version} of the rules, and slotbridge has ${ZONES_VERSION}. Update slotbridge.`
    : `The time zone ${shown} is not in release ${ZONES_VERSION} of the rules. Correct the name, or update slotbridge if the zone is new.`;
}

/** The longest name of IANA has 32 characters. */
const NAME_CHARS_MAX = 60;

/** Within a year. Neither set of rules changes while a process lives, so each zone is compared once. */
function isApart(name: string, { nowMs, other }: { nowMs: number; other: OtherRules }): boolean {
  const known = compared.get(other)?.get(name);
  if (known !== undefined) return known;
  const zone = zoneNamed(name);
  const days = zone === undefined ? [] : Array.from({ length: 366 }, (_, day) => nowMs + day * DAY_MS);
  const own = new Map(days.map((ms) => [ms, zone === undefined ? 0 : offsetAt(zone, ms)]));
  const isDifferent =
    other.show?.(name, own) !== true &&
    [...own].some(([ms, offset]) => (other.offsetAt(name, ms) ?? offset) !== offset);
  const results = compared.get(other) ?? new Map<string, boolean>();
  compared.set(other, results.set(name, isDifferent));
  return isDifferent;
}

const compared = new WeakMap<OtherRules, Map<string, boolean>>();

function apartNotice(names: readonly string[], { version = 'another release' }: OtherRules): string {
  const more = names.length > NAMES_SHOWN_MAX ? ` and ${names.length - NAMES_SHOWN_MAX} more` : '';
  const zones = `${names.slice(0, NAMES_SHOWN_MAX).join(', ')}${more}`;
  const fact = `Node has other rules (${version}) than slotbridge (${ZONES_VERSION}) for ${zones}.`;
  return version < ZONES_VERSION
    ? `${fact} Those of slotbridge are newer, and they count: other programs on this machine may show another hour.`
    : `${fact} Those of slotbridge count and may be out of date: update slotbridge.`;
}
