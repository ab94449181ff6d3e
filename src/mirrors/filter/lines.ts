// Turns a `where` into lines, each of which judges an object independently. Pure. `since` and `until` are not lines, because they only rule
// admission.
import { TerminalError } from '../../domain/errors.ts';
import type { Condition, MetadataRule, Range, Where } from '../../domain/mirror.ts';
import { contentHash, type Snapshot } from '../../domain/snapshot.ts';
import type { Judged, Line, Subject } from './line.ts';
import { judgeNamed, type Names } from './named.ts';

const linesKnown = new WeakMap<Where, readonly Line[]>();

export function linesOf(where: Where): readonly Line[] {
  const known = linesKnown.get(where);
  if (known !== undefined) return known;
  const lines = [...placeLines(where), ...statusLines(where), ...contentLines(where)];
  linesKnown.set(where, lines);
  return lines;
}

/**
 * Hash of a filter's content lines; undefined if it has no such lines. If the hash is the same, an object that is newly refused has changed
 * itself; otherwise the YAML may have changed.
 */
export function contentLinesHash(where: Where): string | undefined {
  const { services, resources, sources, price, guests, metadata, customerLifecycles, condition } = where;
  const content = {
    ...{ services, resources, sources, price, guests, metadata, customerLifecycles },
    condition: condition?.source,
  };
  if (Object.values(content).every((line) => line === undefined)) return undefined;
  return contentHash(content).slice(0, HASH_CHARS);
}
const HASH_CHARS = 16;

function placeLines({ projects, branches }: Where): Line[] {
  return [
    ...listed('project', 'project_id', projects).map((line) => ({ ...line, about: 'place' as const })),
    ...named('branch', branches, {
      about: 'place',
      ids: ({ branch_id: id }) => (typeof id === 'string' ? [id] : undefined),
      names: ({ directory }) => directory.branches,
    }),
  ];
}

function statusLines(where: Where): Line[] {
  return [
    ...listed('status', 'status', where.statuses),
    ...listed('lifecycle', 'lifecycle', where.lifecycles),
    ...listed('channel', 'channel', where.channels),
    ...listed('direction', 'direction', where.directions),
    ...listed('author_type', 'author_type', where.authorTypes),
  ];
}

function contentLines(where: Where): Line[] {
  return [
    ...named('service', where.services, {
      about: 'content',
      ids: ({ service_id: id }) => (typeof id === 'string' ? [id] : undefined),
      names: ({ directory }) => directory.services,
      ownName: ({ service_name: name }) => (typeof name === 'string' ? name : undefined),
    }),
    ...named('resource', where.resources, {
      about: 'content',
      ids: occupied,
      names: ({ directory }) => directory.resources,
    }),
    ...listed('source', 'source', where.sources).map((line) => ({ ...line, about: 'content' as const })),
    // The platform counts in hundredths whatever the currency (platform API, general rule 7).
    ...ranged('price', where.price, ({ price_amount: amount }) => inUnits(amount, 100)),
    ...ranged('guests', where.guests, ({ guests_count: count }) => inUnits(count, 1)),
    ...(where.metadata ?? []).map(metadataLine),
    ...customerLines(where.customerLifecycles),
    ...(where.condition === undefined ? [] : [conditionLine(where.condition)]),
  ];
}

function listed(setting: string, field: string, allowed: readonly string[] | undefined): Line[] {
  if (allowed === undefined) return [];
  const judge = ({ snapshot }: Subject): Judged => {
    const value = snapshot[field];
    if (value === undefined) return 'unknown';
    return value !== null && allowed.includes(String(value)) ? 'yes' : 'no';
  };
  const tell = ({ snapshot }: Subject) => told(setting, snapshot[field], allowed.join(', '));
  return [{ setting, about: 'status', judge, tell }];
}

/** Cuts the value, whose length only people's dashboards limit, because it becomes a line on a terminal. */
function told(setting: string, value: unknown, allowed: string): string {
  if (value === undefined) return `its ${setting} is not known yet`;
  const shown = String(value).slice(0, SHOWN_CHARS_MAX);
  return `its ${setting} is ${value === null ? 'empty' : shown}, and only ${allowed} is taken`;
}
const SHOWN_CHARS_MAX = 100;

interface Named {
  readonly about: Line['about'];
  /** Undefined: unknown. */
  readonly ids: (snapshot: Snapshot) => readonly string[] | undefined;
  readonly names: (subject: Subject) => Names;
  readonly ownName?: (snapshot: Snapshot) => string | undefined;
}

function named(setting: string, wanted: readonly string[] | undefined, rule: Named): Line[] {
  if (wanted === undefined) return [];
  const judge = (subject: Subject): Judged => {
    const { snapshot } = subject;
    const ids = rule.ids(snapshot);
    if (ids === undefined) return 'unknown';
    return judgeNamed(wanted, ids, { names: rule.names(subject), ownName: rule.ownName?.(snapshot) });
  };
  const tell = (subject: Subject): string => {
    const ids = rule.ids(subject.snapshot) ?? [];
    const names = rule.names(subject);
    const own = rule.ownName?.(subject.snapshot);
    const shown = ids.map((id) => names.get(id)?.name ?? own ?? id).join(', ') || undefined;
    if (judge(subject) !== 'unknown') return told(setting, shown ?? null, wanted.join(', '));
    return shown === undefined
      ? `its ${setting} is not known`
      : `its ${setting} is ${shown}, and the platform's lists do not have every name of the line`;
  };
  return [{ setting, about: rule.about, judge, tell }];
}

/** The platform releases the resources of a cancelled appointment, so its former resources are unknown (platform API, Appointment). */
function occupied({ resource_ids: all, resource_id: main, status }: Snapshot): readonly string[] | undefined {
  if (status === 'cancelled' || (all === undefined && main === undefined)) return undefined;
  if (Array.isArray(all) && all.length > 0) return all.map(String);
  return typeof main === 'string' ? [main] : [];
}

/** Undefined: unknown. Null: the object has no such value. */
function inUnits(value: unknown, parts: number): number | null | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'number' ? value / parts : null;
}

function ranged(
  setting: string,
  range: Range | undefined,
  read: (snapshot: Snapshot) => number | null | undefined,
): Line[] {
  if (range === undefined) return [];
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range;
  const judge = ({ snapshot }: Subject): Judged => {
    const value = read(snapshot);
    if (value === undefined) return 'unknown';
    return value !== null && value >= min && value <= max ? 'yes' : 'no';
  };
  const bounds = [
    ...(range.min === undefined ? [] : [`from ${range.min}`]),
    ...(range.max === undefined ? [] : [`to ${range.max}`]),
  ].join(' ');
  return [
    { setting, about: 'content', judge, tell: ({ snapshot }) => told(setting, read(snapshot), bounds) },
  ];
}

/** Longest value of `metadata` (platform API, general rule 8). A longer value came from elsewhere, and matches nothing. */
const METADATA_CHARS_MAX = 500;

function metadataLine({ key, values }: MetadataRule): Line {
  const judge = ({ snapshot: { metadata } }: Subject): Judged => {
    if (metadata === undefined) return 'unknown';
    if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, key)) return 'no';
    const value: unknown = (metadata as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'string' && value.length > METADATA_CHARS_MAX) return 'no';
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isPlain && values.includes(String(value).trim()) ? 'yes' : 'no';
  };
  const tell = ({ snapshot: { metadata } }: Subject) =>
    metadata === undefined
      ? 'its metadata is not known yet'
      : `its metadata has no ${key} that is one of: ${values.join(', ')}`;
  return { setting: `metadata.${key}`, about: 'content', judge, tell };
}

/** An appointment without a contact has no lifecycle. The lifecycle of a contact may be unknown yet. */
function customerLines(allowed: readonly string[] | undefined): Line[] {
  if (allowed === undefined) return [];
  const setting = 'customer_lifecycle';
  const judge = ({ snapshot, customer }: Subject): Judged => {
    if (snapshot['contact_id'] === null) return 'no';
    if (customer?.lifecycle === undefined) return 'unknown';
    return allowed.includes(customer.lifecycle) ? 'yes' : 'no';
  };
  const tell = ({ snapshot, customer }: Subject) =>
    told(setting, snapshot['contact_id'] === null ? null : customer?.lifecycle, allowed.join(', '));
  return [{ setting, about: 'content', judge, tell }];
}

function conditionLine(condition: Condition): Line {
  const judge = (subject: Subject): Judged => {
    const held = condition.judge(subject);
    return held === 'failed' ? 'unknown' : held;
  };
  const tell = (subject: Subject) => CONDITION_TOLD[condition.judge(subject)];
  const assertReadable = (subject: Subject) => {
    if (condition.judge(subject) === 'failed') throw conditionFailed();
  };
  return { setting: 'if', about: 'content', judge, tell, assertReadable };
}

const CONDITION_TOLD = {
  yes: 'its condition holds',
  no: 'its condition does not hold',
  unknown: 'a field of its condition is not known',
  failed: 'its condition cannot be read for this object',
};

/**
 * Throws `TerminalError` `condition-failed` when a line cannot be judged. The object then becomes a dead letter instead of being left out
 * silently.
 */
export function assertReadable(where: Where, subject: Subject): void {
  for (const line of linesOf(where)) line.assertReadable?.(subject);
}

/** Leaves out Liquid's message, which may quote a value of the object. */
export function conditionFailed(): TerminalError {
  return new TerminalError('condition-failed', 'the condition of a filter cannot be read for this object', {
    advice: 'Run `slotbridge check`, and look at the filters that where.if of this mirror uses.',
  });
}
