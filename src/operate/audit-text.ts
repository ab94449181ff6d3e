import { counted, unbroken } from '../engine/counts.ts';
import type { Difference } from '../engine/finding.ts';
import type { FieldChange } from '../engine/planned.ts';
import type { PlannedObject } from './audit/fix.ts';
import { localTime } from './spoken-time.ts';

const SHOWN_MAX = 50;

/** Number of differences per kind and reason. */
export function countDifferences(differences: readonly Difference[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { what, why } of differences) {
    const name = `${what}, ${why}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** A table of the first differences, sorted by class, then the counts. `isWhole`: everything could be read and judged. */
export function formatDifferences(differences: readonly Difference[], isWhole: boolean): string {
  if (differences.length === 0)
    return isWhole ? 'No differences.' : 'No differences in what could be compared.';
  const sorted = [...differences].sort((a, b) => classOf(a).localeCompare(classOf(b)));
  const rows = sorted
    .slice(0, SHOWN_MAX)
    .map((each) => [
      each.what,
      each.why,
      each.key,
      each.mirror,
      each.name === undefined ? each.place : `${each.place}, ${each.name}`,
    ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  );
  const rest = differences.length - rows.length;
  const counts = Object.entries(countDifferences(differences)).map(([name, count]) => `  ${name}: ${count}`);
  return [
    ...lines,
    ...(rest > 0 ? [`  … and ${rest} more; --csv and --json have all`] : []),
    'Counts:',
    ...counts,
  ].join('\n');
}

export function toCsv(differences: readonly Difference[]): string {
  return csv(
    ['what', 'why', 'object', 'mirror', 'place', 'name'],
    differences.map(({ what, why, key, mirror, place, name }) => [what, why, key, mirror, place, name ?? '']),
  );
}

function classOf({ what, why, key }: Difference): string {
  return `${what} ${why} ${key}`;
}

/** RFC 4180, with a header, and one line for each row. Cells that a spreadsheet would take for a formula get a leading apostrophe. */
export function csv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n');
}

/** Spreadsheets skip invisible characters before they look for a formula. */
function quoted(cell: string): string {
  const line = cell.split('\t').map(unbroken).join('\t');
  const text = /^[\s\p{C}]*[=+\-@]|^\t/u.test(line) ? `'${line}` : line;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Formats for people what a YAML would change: first a summary, then by calendar and tab, then by object.

export interface PlanChange {
  /** `created`, `updated`, `moved`, `removed`, `kept`, or the code of a change that cannot be predicted. */
  readonly action: string;
  readonly key: string;
  readonly mirror: string;
  /** Empty if the action is a code. */
  readonly place: string;
  readonly from?: string;
  readonly fields?: readonly FieldChange[];
  readonly object: PlannedObject;
  readonly hash: string;
  /** Would be kept, but a person asked for its removal. */
  readonly pruned?: true;
}

export interface PlanCount {
  readonly mirror: string;
  readonly place: string;
  readonly count: number;
}

export interface Plan {
  readonly objects: number;
  readonly changes: readonly PlanChange[];
  readonly stays: readonly PlanCount[];
  readonly leftovers: readonly PlanCount[];
  /** Places in which so much would be pruned that a person must approve it. */
  readonly guarded: readonly string[];
  /** Objects with a change by people that the YAML at work then decides about; absent: unknown. */
  readonly undecided?: number;
}

const SHOWN_OF_EACH_MAX = 10;
/** Enough to distinguish two objects that were created in the same minute. */
const ID_CHARS_SHOWN = 8;
const ACTIONS = ['created', 'updated', 'moved', 'removed', 'kept'] as const;
const SIGNS: Readonly<Record<string, string>> = {
  created: '+',
  updated: '~',
  moved: '>',
  removed: '-',
  kept: '=',
};
const WORDS: Readonly<Record<string, string>> = {
  created: 'create',
  updated: 'change',
  moved: 'move',
  removed: 'remove',
  kept: 'keep, no longer taken',
};

export function formatPlan(
  plan: Plan,
  options: { readonly detail: boolean; readonly showPeople: boolean },
): string {
  const { changes, stays, leftovers } = plan;
  return [
    `${counted(plan.objects, 'object')} checked; nothing was written.`,
    ...(changes.length === 0 ? ['Nothing would change.'] : []),
    `  ${summarize(changes, stays)}`,
    ...groupsOf(changes, stays).flatMap((group) => formatGroup(group, options)),
    ...(leftovers.length === 0 ? [] : ['']),
    ...leftovers.map(
      ({ mirror, place, count }) =>
        `= ${mirror} in ${place}: ${counted(count, 'event or row', 'events and rows')} of mirrors or places that the YAML no longer names; they stay`,
    ),
    ...platformLines(plan),
    ...adviceFor(plan, options),
  ].join('\n');
}

/** An edit of the YAML carries nothing to the platform that people did before it. */
function platformLines({ undecided }: Plan): readonly string[] {
  if (undecided === undefined) return [];
  if (undecided === 0) return ['', 'On the platform nothing changes.'];
  const waiting = counted(undecided, 'object has', 'objects have');
  return [
    '',
    `On the platform nothing changes by itself: ${waiting} a change by people that waits, and the YAML at work then decides.`,
  ];
}

function summarize(changes: readonly PlanChange[], stays: readonly PlanCount[]): string {
  const of = (action: string) => changes.filter((change) => change.action === action).length;
  const codes = [...new Set(changes.map(({ action }) => action))].filter((action) => !isAction(action));
  return [
    ...ACTIONS.slice(0, 4).map((action) => `${WORDS[action]} ${of(action)}`),
    `keep ${total(stays) + of('kept')}${of('kept') > 0 ? ` (${of('kept')} no longer taken)` : ''}`,
    ...codes.map((code) => `cannot be predicted ${of(code)} (${code})`),
  ].join(', ');
}

function total(counts: readonly PlanCount[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

function isAction(action: string): boolean {
  return (ACTIONS as readonly string[]).includes(action);
}

interface Group {
  readonly mirror: string;
  readonly place: string;
  readonly changes: readonly PlanChange[];
  readonly stays: number;
}

/** By mirror and place, sorted by both names. */
function groupsOf(changes: readonly PlanChange[], stays: readonly PlanCount[]): readonly Group[] {
  const names = new Map(
    [...changes, ...stays].map(({ mirror, place }) => [`${mirror} ${place}`, { mirror, place }]),
  );
  return [...names.values()]
    .map(({ mirror, place }) => {
      const isHere = (each: { mirror: string; place: string }) =>
        each.mirror === mirror && each.place === place;
      return { mirror, place, changes: changes.filter(isHere), stays: total(stays.filter(isHere)) };
    })
    .sort((a, b) => a.mirror.localeCompare(b.mirror) || a.place.localeCompare(b.place));
}

function formatGroup(
  { mirror, place, changes, stays }: Group,
  options: { readonly detail: boolean; readonly showPeople: boolean },
): readonly string[] {
  const actions = [...new Set(changes.map(({ action }) => action))].sort(
    (a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b),
  );
  const counts = [
    ...actions.map((action) => {
      const count = changes.filter((change) => change.action === action).length;
      return `${count} ${WORDS[action] ?? `cannot be predicted (${action})`}`;
    }),
    ...(stays > 0 ? [`${stays} keep`] : []),
  ];
  const lines = actions.flatMap((action) => {
    const own = changes.filter((change) => change.action === action).sort(byTime);
    const shown = options.detail ? own : own.slice(0, SHOWN_OF_EACH_MAX);
    const rest = own.length - shown.length;
    return [
      ...shown.flatMap((change) => formatChange(change, options)),
      ...(rest > 0 ? [`    … and ${rest} more; --detail has all`] : []),
    ];
  });
  return ['', `${place === '' ? 'everywhere' : place}  (${mirror}): ${counts.join(', ')}`, ...lines];
}

function rankOf(action: string): number {
  const at = (ACTIONS as readonly string[]).indexOf(action);
  return at < 0 ? ACTIONS.length : at;
}

function byTime(a: PlanChange, b: PlanChange): number {
  return (a.object.at ?? '').localeCompare(b.object.at ?? '') || a.key.localeCompare(b.key);
}

function formatChange(
  change: PlanChange,
  { detail, showPeople }: { readonly detail: boolean; readonly showPeople: boolean },
): readonly string[] {
  const { action, key, object, fields = [], from } = change;
  const { at, zone = 'UTC', service, resources, status, name } = object;
  const [kind = '', id = ''] = key.split('/');
  const isAppointment = kind === 'appointment';
  const said = [
    isAppointment ? undefined : `${kind} ${id.slice(0, ID_CHARS_SHOWN)}`,
    at === undefined ? undefined : `${isAppointment ? '' : 'made '}${localTime(at, zone)} ${zone}`,
    service,
    resources?.join(' and '),
    isAppointment ? undefined : status,
    showPeople ? name : undefined,
  ].filter((part) => part !== undefined && part !== '');
  // An object without any recognisable data is shown by its key.
  const who = said.join(', ') || key;
  const moved = from === undefined ? '' : `, from ${from}`;
  const brief = detail || fields.length === 0 ? '' : `: ${fields.map(({ field }) => field).join(', ')}`;
  const why = change.pruned === true ? ', no longer taken' : '';
  const sign = SIGNS[action] ?? '!';
  const lines = [`    ${sign} ${who}${moved}${why}${brief}`];
  if (!detail) return lines;
  return [
    ...lines,
    `        ${key}`,
    ...fields.map((field) => `        ${formatField(field, zone, showPeople)}`),
  ];
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

function formatField(
  { field, old, new: now, personal }: FieldChange,
  zone: string,
  showPeople: boolean,
): string {
  if (personal === true && !showPeople) return `${field}: text differs (--show-people shows it)`;
  if (now === undefined) return `${field}: differs`;
  const spoken = (value: string) => (INSTANT.test(value) ? localTime(value, zone) : oneLine(value));
  return `${field}: ${old === undefined ? '(former value unknown)' : spoken(old)} → ${spoken(now)}`;
}

/** Longest text shown of a field, so that it does not fill the screen. */
const TEXT_CHARS_MAX = 200;

function oneLine(text: string): string {
  const shown = text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)} …` : text;
  return text === ''
    ? '(empty)'
    : shown
        .split('\n')
        .map((line) => line.trim())
        .join(' ⏎ ');
}

function adviceFor({ changes, guarded }: Plan, { detail }: { readonly detail: boolean }): readonly string[] {
  const hasKept = changes.some(({ action }) => action === 'kept');
  const lines = [
    ...(hasKept ? ['Objects that are no longer taken stay; --prune plans to remove them.'] : []),
    ...guarded.map(
      (place) => `Much of ${place} would be removed: that needs \`slotbridge approve orphans '${place}'\`.`,
    ),
    ...(!detail && changes.some(({ fields = [] }) => fields.length > 0)
      ? ['--detail shows each field, old → new.']
      : []),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** How many of the chosen differences something was done about. */
export function healedOf({ counts }: { readonly counts: Readonly<Record<string, number>> }): number {
  return (counts['given a turn'] ?? 0) + (counts['taken away'] ?? 0);
}
