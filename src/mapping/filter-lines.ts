// Turns a `where` into lines, each of which judges an object independently. Pure. `since` and `until` are not lines, because they only rule
// admission.

import { TerminalError } from '../engine/errors.ts';
import type { Handler, MirrorTarget, WorkQueue } from '../engine/handler.ts';
import type { Intake } from '../engine/intake.ts';
import type { CustomerAppointments, Ledger } from '../engine/ledger.ts';
import type { Condition, Directory, MetadataRule, Range, Where } from '../engine/mirror.ts';
import {
  contentHash,
  type EntityKey,
  formatKey,
  isId,
  type PlatformKind,
  type Snapshot,
} from '../engine/object.ts';
import type { KnownCustomer } from '../engine/person.ts';
import { foldedText, namedAlike } from '../engine/plain-text.ts';
import type { WhyWords } from '../engine/planned.ts';
import type { PlatformReader } from '../engine/platform.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock } from '../engine/runtime.ts';
import type { DirtyMarks } from '../engine/sweep.ts';
import type { Claim } from '../engine/work.ts';

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
  const tell = ({ snapshot }: Subject, words: WhyWords) =>
    told(setting, { value: snapshot[field], allowed: allowed.join(', ') }, words);
  return [{ setting, about: 'status', judge, tell }];
}

/** Cuts the value, whose length only people's dashboards limit, because it becomes a line on a terminal. */
function told(
  setting: string,
  { value, allowed }: { readonly value: unknown; readonly allowed: string },
  words: WhyWords,
): string {
  if (value === undefined) return words.notKnownYet(setting);
  const shown = value === null ? null : String(value).slice(0, SHOWN_CHARS_MAX);
  return words.notAllowed(setting, { value: shown, allowed });
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
  const tell = (subject: Subject, words: WhyWords): string => {
    const ids = rule.ids(subject.snapshot) ?? [];
    const names = rule.names(subject);
    const own = rule.ownName?.(subject.snapshot);
    const shown = ids.map((id) => names.get(id)?.name ?? own ?? id).join(', ') || undefined;
    if (judge(subject) !== 'unknown')
      return told(setting, { value: shown ?? null, allowed: wanted.join(', ') }, words);
    return shown === undefined ? words.notKnown(setting) : words.notListed(setting, shown);
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
  const tell = ({ snapshot }: Subject, words: WhyWords) =>
    told(setting, { value: read(snapshot), allowed: words.range(range) }, words);
  return [{ setting, about: 'content', judge, tell }];
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
  const tell = ({ snapshot: { metadata } }: Subject, words: WhyWords) =>
    metadata === undefined ? words.notKnownYet('metadata') : words.metadata(key, values.join(', '));
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
  const tell = ({ snapshot, customer }: Subject, words: WhyWords) => {
    const value = snapshot['contact_id'] === null ? null : customer?.lifecycle;
    return told(setting, { value, allowed: allowed.join(', ') }, words);
  };
  return [{ setting, about: 'content', judge, tell }];
}

function conditionLine(condition: Condition): Line {
  const judge = (subject: Subject): Judged => {
    const held = condition.judge(subject);
    return held === 'failed' ? 'unknown' : held;
  };
  const tell = (subject: Subject, words: WhyWords) => words.condition[condition.judge(subject)];
  const assertReadable = (subject: Subject) => {
    if (condition.judge(subject) === 'failed') throw conditionFailed();
  };
  return { setting: 'if', about: 'content', judge, tell, assertReadable };
}

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
    setting: ['where', 'if'],
  });
}

/** `unknown`: the worker does not know what the line needs. Then mirrored objects stay, and no new ones are taken. */
export type Judged = 'yes' | 'no' | 'unknown';

export interface Subject {
  readonly kind: PlatformKind;
  readonly snapshot: Snapshot;
  readonly directory: Directory;
  /** The appointment's customer; undefined while unknown. */
  readonly customer?: KnownCustomer | undefined;
}

export interface Line {
  /** The setting below `where`: `status`, `metadata.channel`. */
  readonly setting: string;
  /**
   * What a refusal means for an object that is already mirrored. `place`: an object never changes it, so the YAML was edited. `status` and
   * `content`: the object may have changed.
   */
  readonly about: 'place' | 'status' | 'content';
  readonly judge: (subject: Subject) => Judged;
  /** The reason, as one clause without personal data. */
  readonly tell: (subject: Subject, words: WhyWords) => string;
  /** Absent: the line can judge every object. */
  readonly assertReadable?: (subject: Subject) => void;
}

export function judgeAll(lines: readonly Line[], subject: Subject): Judged {
  let judged: Judged = 'yes';
  for (const line of lines) {
    const own = line.judge(subject);
    if (own === 'no') return 'no';
    if (own === 'unknown') judged = 'unknown';
  }
  return judged;
}

// Compares names of branches, services and resources in filters with the platform's lists. Pure.

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type Names = ReadonlyMap<string, { readonly name: string }>;

/** Only an id has this form: no list is needed to know what it means. */
export function isUuid(wanted: string): boolean {
  return UUID.test(wanted.trim());
}

/**
 * Whether a line names one of the object's ids, by id or by name. The answer is unknown if a name of either side is missing from the lists
 * now. They hold only active things, and a renamed or deactivated service must not empty a mirror.
 */
export function judgeNamed(
  wanted: readonly string[],
  ids: readonly string[],
  about: { readonly names: Names; readonly ownName?: string | undefined },
): Judged {
  const named = ids.flatMap((id) => about.names.get(id)?.name ?? []);
  const own = about.ownName === undefined ? named : [...named, about.ownName];
  const isWanted = (each: string) =>
    ids.includes(each) || own.some((name) => isMeant(name, each, about.names));
  if (wanted.some(isWanted)) return 'yes';
  if (ids.length === 0) return 'no';
  if (wanted.some((each) => !isResolved(each, about.names))) return 'unknown';
  const isByName = wanted.some((each) => !isUuid(each) && !about.names.has(each));
  const hasNameless = own.length === 0 || (about.ownName === undefined && named.length < ids.length);
  return isByName && hasNameless ? 'unknown' : 'no';
}

/** People type names on both sides. Of several that look the same, the one that is written like this is meant. */
function isMeant(name: string, wanted: string, names: Names): boolean {
  if (name === wanted) return true;
  if (foldedText(name) !== foldedText(wanted)) return false;
  const alike = lookOf(names).get(foldedText(wanted)) ?? [];
  return namedAlike([...alike, name], wanted, (each) => each).includes(name);
}

function isResolved(wanted: string, names: Names): boolean {
  return isUuid(wanted) || names.has(wanted) || lookOf(names).has(foldedText(wanted));
}

const looks = new WeakMap<Names, ReadonlyMap<string, readonly string[]>>();

/** The names by what they look like. Kept, because every object is compared with them. */
function lookOf(names: Names): ReadonlyMap<string, readonly string[]> {
  const known = looks.get(names);
  if (known !== undefined) return known;
  const found = new Map<string, string[]>();
  for (const { name } of names.values())
    found.set(foldedText(name), [...(found.get(foldedText(name)) ?? []), name]);
  looks.set(names, found);
  return found;
}

/** A name in a filter that the platform's lists do not have. */
export interface UnknownName {
  /** `branch`, `service` or `resource`: the setting below `where`. */
  readonly setting: string;
  readonly name: string;
  /** The names that the lists do have. */
  readonly known: readonly string[];
}

/** Every name in a filter, and whether the platform's lists have it. */
export function filterNames(
  where: Where,
  directory: Directory,
): readonly (UnknownName & { readonly isKnown: boolean })[] {
  const lists = [
    ['branch', where.branches, directory.branches],
    ['service', where.services, directory.services],
    ['resource', where.resources, directory.resources],
  ] as const;
  return lists.flatMap(([setting, wanted = [], names]) => {
    const known = [...new Set([...names.values()].map(({ name }) => name))];
    return wanted.map((name) => {
      const isKnown = names.has(name.trim()) || namedAlike(known, name, (each) => each).length > 0;
      return { setting, name, known, isKnown };
    });
  });
}

/** Raises a problem for each name in a filter that the platform's lists do not have. Such a name takes nothing new. */
export async function reportFilterNames(
  filters: readonly { readonly name: string; readonly where: Where; readonly at?: string }[],
  directory: Directory,
  problems: Pick<ProblemBoard, 'raise' | 'clear'>,
): Promise<void> {
  for (const filter of filters) {
    for (const { setting, name, isKnown } of filterNames(filter.where, directory)) {
      const target = `mapping:${filter.name}/${filter.at ?? 'where'}.${setting}/${name}`;
      if (isKnown) await problems.clear(target);
      else await problems.raise({ target, code: 'filter-name-unknown', ...WORDS });
    }
  }
}

const WORDS = {
  message:
    'a name in a filter, a colour or a class of the mapping is not on the active lists of the platform',
  advice:
    'Run `slotbridge check --live`, which suggests the right name. What is mirrored stays; nothing new is taken, coloured or shown as a class by that name.',
};

// Looks up the customer of an appointment: in the contact as stored here, else on the platform.

/** Undefined while the customer is unknown. Rejects with the three error families. */
export type CustomerOf = (appointment: Snapshot) => Promise<KnownCustomer | undefined>;

interface CustomerParts {
  readonly view: Pick<Ledger, 'peek'>;
  readonly reader: Pick<PlatformReader, 'get'>;
  /** Absent for read-only callers: then nothing is stored. */
  readonly worker?: {
    readonly appointments: Pick<CustomerAppointments, 'note'>;
    readonly intake: Pick<Intake, 'observe'>;
    readonly clock: Clock;
  };
}

export function createCustomers({ view, reader, worker }: CustomerParts): CustomerOf {
  return async (appointment) => {
    const id = appointment['contact_id'];
    if (typeof id !== 'string' || !isId(id)) return undefined;
    // Before the lookup, so that a later change of the contact finds the appointment.
    await worker?.appointments.note(id, appointment.id);
    const key: EntityKey = { kind: 'contact', id };
    const known = await view.peek(key);
    if (known?.deleted === true) return undefined;
    if (known?.snapshot !== undefined && !known.verify) return customerIn(known.snapshot);
    const found = await reader.get(key);
    if (found === undefined) return undefined;
    if (known === undefined) {
      const seen = { as: 'snapshot', snapshot: found } as const;
      await worker?.intake.observe({ key, source: 'list', occurredAtMs: worker.clock.now(), seen });
    }
    return customerIn(found);
  };
}

function customerIn({ lifecycle, name }: Snapshot): KnownCustomer {
  return {
    ...(typeof lifecycle === 'string' && { lifecycle }),
    ...(typeof name === 'string' && name.trim() !== '' && { name }),
  };
}

/** The same target, with the customer added to each claim. */
export function withCustomer(target: MirrorTarget, customerOf: CustomerOf): MirrorTarget {
  const told = async (claim: Claim): Promise<Claim> => {
    if (claim.snapshot === undefined || claim.deleted) return claim;
    return { ...claim, customer: await customerOf(claim.snapshot) };
  };
  return {
    name: target.name,
    from: target.from,
    reconcile: async (claim, failed) => target.reconcile(await told(claim), failed),
    preview: async (claim) => target.preview(await told(claim)),
    planned: async (claim) => target.planned(await told(claim)),
    expected: async (claim) => target.expected(await told(claim)),
    nextTurnAtMs: (claim, nowMs) => target.nextTurnAtMs?.(claim, nowMs),
  };
}

/** Whenever a contact changes, marks dirty the appointments that were judged by it. */
export function createCustomerWaker(parts: {
  readonly appointments: CustomerAppointments;
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty'>;
  readonly queue: WorkQueue;
}): Handler {
  const { appointments, dirtyMarks, queue } = parts;
  return {
    name: 'customers',
    from: 'contact',
    async reconcile({ key }) {
      const ids = await appointments.of(key.id);
      if (ids.length === 0) return 'nothing';
      const keys = ids.map((id): EntityKey => ({ kind: 'appointment', id }));
      const unknown = await dirtyMarks.markDirty(keys, { read: false });
      queue.add(keys.filter((each) => !unknown.includes(each)).map(formatKey));
      // Appointments that are forgotten here need no turn. If they come back, they are noted again.
      await appointments.forgetUnknown(
        key.id,
        unknown.map(({ id }) => id),
      );
      return 'nothing';
    },
  };
}
