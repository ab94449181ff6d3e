// Erases one person wherever the worker can write, and returns a proof. The order is stored before the first write, and every step can be
// repeated: a second run continues where a killed run stopped.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  addErased,
  type Erased,
  type ErasureOrder,
  type ErasureReceipt,
  type ErasureStore,
  type MovedRow,
  NOTHING_ERASED,
} from '../../engine/erasure.ts';
import { RetryableError, TerminalError, WorkerError } from '../../engine/errors.ts';
import type { Leases } from '../../engine/leases.ts';
import type { KnownObjects, Ledger } from '../../engine/ledger.ts';
import {
  type Appointment,
  type EntityKind,
  formatKey,
  madeFor,
  parseKey,
  type Snapshot,
} from '../../engine/object.ts';
import { ownOf } from '../../engine/outside-booking.ts';
import { customerMarks, FOUND_BY_DIGITS, isAbout, type PersonTerms } from '../../engine/person.ts';
import type { ContactLookup, PlatformWriter } from '../../engine/platform.ts';
import type { Clock } from '../../engine/runtime.ts';
import type { Claim } from '../../engine/work.ts';
import { appointmentsOf, contactsOf, keysOf } from '../whereis.ts';
import { type CountErased, type LeftPlace, orUnread, type PersonalPlace, type Unread } from './look.ts';

export interface ForgetParts {
  readonly erasures: ErasureStore;
  readonly cards: ContactLookup;
  readonly appointments: Pick<PlatformWriter, 'list' | 'get'>;
  /** Ids of the contacts for whom `blocks` books; they are no persons. */
  readonly houseContacts: ReadonlySet<string>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly known: Pick<KnownObjects, 'each'>;
  /** Marks the classes dirty that have to learn of an appointment. */
  readonly wakeClasses: (appointment: Claim) => Promise<void>;
  readonly search: Parameters<typeof keysOf>[1];
  /** Removes keys; returns those that a handler is working on now. */
  readonly queue: {
    forget(keys: ReadonlySet<string>): Promise<readonly string[]>;
    /** Names the turns that handlers of this kind of object are working on now. */
    turns(kind: EntityKind): Promise<ReadonlySet<string>>;
  };
  readonly leases: Leases;
  readonly places: readonly PersonalPlace[];
  /** Places that only people, the platform and Google can search. */
  readonly outOfReach: readonly string[];
  readonly clock: Clock;
}

export interface ForgetPlan {
  readonly order: ErasureOrder;
  /** What a run would erase outside Redis. */
  readonly events: number;
  readonly rewritten: number;
  readonly cells: number;
  /** Keys in Redis that hold something about the person. */
  readonly keys: number;
  /** Appointments that have not ended: their events are removed too. */
  readonly upcoming: number;
  readonly left: readonly LeftPlace[];
  readonly unread: readonly Unread[];
}

export type ForgetOutcome =
  | { readonly state: 'erased'; readonly receipt: ErasureReceipt; readonly left: readonly LeftPlace[] }
  /** Some place cannot be read or written now. The order remains, and a later run continues it. */
  | { readonly state: 'unfinished'; readonly erased: Erased; readonly unread: readonly Unread[] };

/** Fields that name the person in leads, booking rows and booking events. */
const OWN_FIELDS = ['contact_id', 'name', 'phone', 'email', 'title', 'description', 'location'];

const FORGET_LEASE = 'forget';
const FORGET_LEASE_MS = 15_000;
const LEASE_ASKED_EVERY_MS = 500;
/** Longest wait for handlers: one ends sooner, because its calls have deadlines and its object is gone. */
const AT_WORK_MAX_MS = 60_000;
/** Pause between two looks whether handlers have ended. */
const AT_WORK_LOOK_EVERY_MS = 250;
/** Pause between two rounds: a handler that was fenced off requests another turn a second later, in which it finds nothing. */
const SETTLES_MS = 2_000;
/** Most rounds that may still find something: people may be changing events meanwhile. */
const ROUNDS_MAX = 10;

/** Only reads. Rejects with the three error families when the platform does not answer. */
export async function planForget(contactId: string, parts: ForgetParts): Promise<ForgetPlan> {
  const { order, shown } = await findPerson(contactId, parts);
  const unread: Unread[] = [];
  const left: LeftPlace[] = [];
  const done = await eraseOutside(parts, order, { act: false, unread, left, moved: [] });
  const keys = (await keysOf(order.terms, parts.search)).filter(({ name }) => !isOwn(name));
  const nowMs = parts.clock.now();
  const upcoming = shown.filter(
    ({ status, ends_at }) => status !== 'cancelled' && Date.parse(ends_at) > nowMs,
  ).length;
  return { order, ...done, keys: keys.length, upcoming, left, unread };
}

/**
 * Finds the person without reading calendars and sheets. `shown`: the appointments of the order that the platform shows, as they are now.
 * `upToMs`: what was made later is not looked for. Rejects like `planForget`.
 */
export async function findPerson(
  contactId: string,
  parts: ForgetParts,
  upToMs = Number.POSITIVE_INFINITY,
): Promise<{ readonly order: ErasureOrder; readonly shown: readonly Appointment[] }> {
  const id = contactId.toLowerCase();
  if (parts.houseContacts.has(id)) {
    throw new TerminalError('contact-of-blocks', 'an entry of `blocks` uses this contact', {
      advice: 'First remove the entry from `blocks` and restart the worker. Nothing was erased.',
    });
  }
  const contacts = await contactsOf(id, parts);
  const listed = await listedOf(id, contacts, parts);
  const recalled = await recalledOf(id, listed, parts);
  const begun = await openOf(id, parts);
  const proof = await parts.erasures.receipt(id);
  const isMeant = (each: Snapshot | undefined) => Number(madeFor(each)[1]) <= upToMs;
  const shown = [...listed, ...recalled.shown].filter(isMeant);
  const appointments = [...shown, ...recalled.stored.filter(isMeant)];
  return { order: await orderFor(id, { contacts, appointments, begun, proof, isMeant }, parts), shown };
}

/** Stores the order. Data that was created since its plan is erased too, and what was erased meanwhile still counts. */
export async function beginForget(order: ErasureOrder, parts: ForgetParts): Promise<ErasureOrder> {
  const open = await openOf(order.contactId, parts);
  const { erased } = open ?? (await parts.erasures.receipt(order.contactId)) ?? order;
  const begun = { ...order, erased, begunAtMs: open?.begunAtMs ?? parts.clock.now() };
  await parts.erasures.begin(begun);
  return begun;
}

/** Runs a plan that somebody has confirmed, perhaps minutes after it was made. Rejects with the three error families. */
export async function runPlan({ order }: ForgetPlan, parts: ForgetParts): Promise<ForgetOutcome> {
  const begun = await beginForget({ ...order, isEarly: true }, parts);
  const whole = await wholeOrder(begun, parts).catch((error: unknown) => {
    if (error instanceof WorkerError && error.target === 'redis') throw error;
    return unfinished(begun, error);
  });
  return 'state' in whole ? whole : runForget(whole, parts);
}

/**
 * Looks for the person again once nothing new of them is taken in. What came between the plan and the order would otherwise neither be
 * erased nor mirrored again. Whoever continues an early order looks, too: its command may have died, or the platform was away. What they
 * booked since the order is new, and is mirrored.
 */
async function wholeOrder(order: ErasureOrder, parts: ForgetParts): Promise<ErasureOrder> {
  if (order.isEarly !== true) return order;
  return beginForget((await findPerson(order.contactId, parts, order.begunAtMs)).order, parts);
}

/** A failure that may pass counts as unfinished, like a place that cannot be reached. */
function unfinished({ erased }: ErasureOrder, error: unknown): ForgetOutcome {
  if (!(error instanceof WorkerError)) throw error;
  return {
    state: 'unfinished',
    erased,
    unread: [{ place: error.target ?? 'the erasure', code: error.code }],
  };
}

/** Waits for its turn: the whole installation runs one erasure at a time. Rejects with the three error families. */
export async function runForget(order: ErasureOrder, parts: ForgetParts): Promise<ForgetOutcome> {
  const begun = await beginForget(order, parts);
  for (;;) {
    const held = await parts.leases.hold(FORGET_LEASE, ({ signal }) => rounds(begun, parts, signal), {
      ttlMs: FORGET_LEASE_MS,
    });
    if (held !== undefined) return held.result;
    await sleep(LEASE_ASKED_EVERY_MS);
  }
}

/** Continues an erasure that was begun; undefined when another process is at work. */
export async function resumeForget(
  order: ErasureOrder,
  parts: ForgetParts,
  until: AbortSignal,
): Promise<ForgetOutcome | undefined> {
  const work = ({ signal }: { readonly signal: AbortSignal }) =>
    wholeOrder(order, parts)
      .then((whole) => rounds(whole, parts, signal))
      .catch((error: unknown) => unfinished(order, error));
  return (await parts.leases.hold(FORGET_LEASE, work, { ttlMs: FORGET_LEASE_MS, until }))?.result;
}

async function openOf(
  contactId: string,
  { erasures }: Pick<ForgetParts, 'erasures'>,
): Promise<ErasureOrder | undefined> {
  return (await erasures.open()).find((each) => each.contactId === contactId);
}

async function rounds(begun: ErasureOrder, parts: ForgetParts, signal: AbortSignal): Promise<ForgetOutcome> {
  // An earlier run may have erased some of it, or all.
  const open = await openOf(begun.contactId, parts);
  const proof = await parts.erasures.receipt(begun.contactId);
  let order = open ?? begun;
  let { erased } = open ?? proof ?? begun;
  // No later look finds the rows of others that an earlier run hit.
  const hit = proof?.left.filter(({ why }) => why === 'moved') ?? [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    signal.throwIfAborted();
    const sinceMs = parts.clock.now();
    const unread: Unread[] = [];
    const left: LeftPlace[] = [];
    const moved: MovedRow[] = [];
    const worked = order;
    let isKnown = true;
    // Stored after each write: a run that is killed, or whose place fails, has then counted what it did.
    const count = async (more: Partial<Erased>) => {
      erased = addErased(erased, more);
      const kept = await parts.erasures.storeCounts(worked, erased);
      isKnown &&= kept !== undefined;
      order = kept ?? { ...worked, erased };
    };
    const countKeys = (keys: Erased['keys']) => count({ keys });
    await wakeClasses(worked, parts);
    const before = await parts.erasures.eraseState(worked, countKeys);
    await untilNoHandler(worked, parts, signal);
    const done = await eraseOutside(parts, worked, { act: true, unread, left, moved, count });
    const after = await parts.erasures.eraseState(worked, countKeys);
    await count({ moved });
    if (unread.length > 0) return { state: 'unfinished', erased, unread };
    const isClean = done.events + done.rewritten + done.cells + total(before) + total(after) === 0;
    // Without the order, Redis was lost meanwhile, and with it what keeps late events out. A command may also have begun a wider one. One
    // look is no proof either: people drag events to places that were already searched.
    const isWider = order.isEarly === true || aimOf(order) !== aimOf(worked);
    if (!isClean || !isKnown || isWider || round === 0) {
      await sleep(SETTLES_MS, undefined, { signal });
      continue;
    }
    const keys = (await keysOf(order.terms, parts.search)).filter(({ name }) => !isOwn(name));
    left.push(...(erased.moved ?? []));
    left.push(...keys.map(({ where, name, by }) => ({ kind: 'key' as const, where, name, by })));
    const since = proof?.begun ?? new Date(order.begunAtMs).toISOString();
    const receipt = await receiptOf(order, { begun: since, sinceMs, left, hit }, parts);
    if (!(await parts.erasures.end(order, receipt))) continue;
    return { state: 'erased', receipt, left };
  }
  throw new RetryableError(
    'erasure-contended',
    'places of this person are filled again as fast as they are emptied',
    {
      advice: 'Find out who writes them, then run the command again: it continues from there.',
    },
  );
}

/** What an order erases, and by what: compares two orders of one person. */
function aimOf({ keys, terms }: ErasureOrder): string {
  return JSON.stringify([keys, terms]);
}

/**
 * Runs before the appointments are forgotten here, and with them the classes that they belong to. The classes also learn of changes that
 * the appointments still had to pass on.
 */
async function wakeClasses({ keys }: ErasureOrder, parts: ForgetParts): Promise<void> {
  for (const name of keys) {
    const key = parseKey(name);
    const claim = key?.kind === 'appointment' ? await parts.view.peek(key) : undefined;
    if (claim !== undefined) await parts.wakeClasses(claim);
  }
}

/** Handlers whose objects are gone commit nothing, but one of their calls may still be under way. */
async function untilNoHandler(order: ErasureOrder, parts: ForgetParts, signal: AbortSignal): Promise<void> {
  const keys = new Set(order.keys);
  // Wait only for class turns that have already begun: later ones know whom they must not name.
  let classes = await parts.queue.turns('class');
  for (let waitedMs = 0; waitedMs < AT_WORK_MAX_MS; waitedMs += AT_WORK_LOOK_EVERY_MS) {
    const atWork = await parts.queue.forget(keys);
    if (atWork.length + classes.size === 0) return;
    await sleep(AT_WORK_LOOK_EVERY_MS, undefined, { signal });
    if (classes.size > 0) classes = common(classes, await parts.queue.turns('class'));
  }
  throw new RetryableError('handler-at-work', 'a handler for this person does not finish', {
    advice: 'Run the command again in a minute: it continues from there.',
  });
}

function common(some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...some].filter((each) => others.has(each)));
}

async function eraseOutside(
  parts: ForgetParts,
  { terms }: ErasureOrder,
  told: {
    readonly act: boolean;
    readonly unread: Unread[];
    readonly left: LeftPlace[];
    readonly moved: MovedRow[];
    readonly count?: CountErased;
  },
): Promise<Pick<Erased, 'events' | 'rewritten' | 'cells'>> {
  const { unread, left, ...how } = told;
  let [events, rewritten, cells] = [0, 0, 0];
  for (const place of parts.places) {
    await orUnread(unread, place.name, async () => {
      const done = await place.erase({ terms, ...how });
      events += done.events ?? 0;
      rewritten += done.rewritten ?? 0;
      cells += done.cells ?? 0;
      left.push(...done.left);
    });
  }
  return { events, rewritten, cells };
}

/** Also finds appointments that no card is linked to yet, by number and name. */
async function listedOf(
  contactId: string,
  contacts: readonly Snapshot[],
  parts: ForgetParts,
): Promise<readonly Appointment[]> {
  const phones = contacts.flatMap(({ phone }) => (typeof phone === 'string' && phone !== '' ? [phone] : []));
  const found = new Map<string, Appointment>();
  for (const asked of [contactId, ...phones])
    for (const each of await appointmentsOf(asked, contacts, parts)) found.set(each.id, each);
  const terms = await withShared(
    contactId,
    termsFor(contactId, { contacts, appointments: [] }, undefined),
    parts,
  );
  return [...found.values()].filter((each) =>
    each['contact_id'] === null || each['contact_id'] === undefined
      ? isAbout(`${each['customer_name']}\n${each['customer_phone']}`, terms)
      : each['contact_id'] === contactId,
  );
}

/**
 * Appointments that are stored here as the contact's. The stored state may be old, because a merge gives appointments to another card. So
 * the platform is asked whose the appointments are now that it does not list as the contact's.
 */
async function recalledOf(
  contactId: string,
  listed: readonly Appointment[],
  { known, appointments }: Pick<ForgetParts, 'known' | 'appointments'>,
): Promise<{ readonly shown: readonly Appointment[]; readonly stored: readonly Snapshot[] }> {
  const stored = new Map<string, Snapshot>();
  await known.each('appointment', async (claims) => {
    for (const { key, snapshot, contactId: emptiedOf } of claims) {
      const holder = snapshot === undefined ? emptiedOf : snapshot['contact_id'];
      if (holder === contactId) stored.set(key.id, snapshot ?? { id: key.id });
    }
  });
  const shown: Appointment[] = [];
  const isListed = new Set(listed.map(({ id }) => id));
  for (const id of [...stored.keys()].filter((each) => !isListed.has(each))) {
    const now = await appointments.get(id);
    if (now === undefined) continue;
    const holder = now['contact_id'];
    if (typeof holder === 'string' && holder !== contactId) stored.delete(id);
    else shown.push(now);
  }
  return { shown, stored: [...stored.values()] };
}

/** Adds the numbers and addresses that are also on another person's card. */
async function withShared(
  contactId: string,
  terms: PersonTerms,
  { cards }: Pick<ForgetParts, 'cards'>,
): Promise<PersonTerms> {
  const shared = new Set(terms.shared);
  const look = async (texts: readonly string[], find: ContactLookup['byPhone']) => {
    for (const text of texts)
      if ((await find(text, undefined)).some(({ id }) => id !== contactId)) shared.add(text);
  };
  await look(terms.phones, cards.byPhone.bind(cards));
  await look(terms.emails, cards.byEmail.bind(cards));
  return {
    ...terms,
    shared: [...shared],
    hashes: terms.hashes.filter((hash) => !marksOf([...shared]).has(hash)),
  };
}

const NOBODY = { contactId: undefined, phone: undefined, email: undefined, name: undefined };

/** Marks that are not this person's alone: what they find may be a relative's. */
function marksOf(shared: readonly string[]): ReadonlySet<string> {
  return new Set(
    shared.flatMap((text) => Object.values(customerMarks({ ...NOBODY, phone: text, email: text }))),
  );
}

interface Found {
  readonly contacts: readonly Snapshot[];
  /** May contain an appointment twice: as the platform shows it, and as it was stored here. */
  readonly appointments: readonly Snapshot[];
  readonly begun: ErasureOrder | undefined;
  readonly proof: ErasureReceipt | undefined;
  readonly isMeant: (snapshot: Snapshot | undefined) => boolean;
}

async function orderFor(contactId: string, found: Found, parts: ForgetParts): Promise<ErasureOrder> {
  const { contacts, appointments, begun, proof, isMeant } = found;
  const own = new Set<string>(appointments.map(({ id }) => `appointment/${id}`));
  const named = termsFor(contactId, { contacts, appointments }, begun?.terms);
  const terms = await withShared(contactId, named, parts);
  const ids = new Set(terms.ids);
  const others = new Set<string>();
  const sorted = (['lead', 'booking', 'contact', 'appointment'] as const).map((kind) =>
    parts.known.each(kind, async (claims) => {
      for (const claim of claims) {
        if (isOwnOrTheirs(claim, { contactId, own, ids, terms })) {
          if (isMeant(claim.snapshot)) own.add(formatKey(claim.key));
        } else others.add(othersMark(claim, terms));
      }
    }),
  );
  await Promise.all(sorted);
  const hashes = terms.hashes.filter((hash) => !others.has(hash));
  const keys = [...new Set([`contact/${contactId}`, ...own, ...(begun?.keys ?? [])])];
  const all = keys.map((key) => key.slice(key.indexOf('/') + 1));
  return {
    ...{ contactId, keys, terms: { ...terms, hashes, ids: withStems(all) } },
    begunAtMs: begun?.begunAtMs ?? parts.clock.now(),
    erased: begun?.erased ?? proof?.erased ?? NOTHING_ERASED,
  };
}

/** A contact is the person's by its id, and an appointment if the platform or the stored state gave it to the person. */
function isOwnOrTheirs(
  claim: Claim,
  whose: {
    readonly contactId: string;
    readonly own: ReadonlySet<string>;
    readonly ids: ReadonlySet<string>;
    readonly terms: PersonTerms;
  },
): boolean {
  const { kind, id } = claim.key;
  if (kind === 'contact') return id === whose.contactId;
  return kind === 'appointment'
    ? whose.own.has(formatKey(claim.key))
    : isTheirs(claim, whose.ids, whose.terms);
}

/** The mark of another number that ends alike: a mark has only the last digits. Empty if the object has no such number. */
function othersMark({ snapshot }: Claim, { phones }: PersonTerms): string {
  const { phone, customer_phone, cells } = (snapshot ?? {}) as Readonly<Record<string, unknown>>;
  const inRow = (cells as Readonly<Record<string, unknown>> | undefined)?.['phone'];
  const number = inRow ?? phone ?? customer_phone;
  const digits = lastDigits(number);
  const isTheirs = phones.map(lastDigits).some((own) => own.endsWith(digits) || digits.endsWith(own));
  return isTheirs ? '' : (customerMarks({ ...NOBODY, phone: number }).phone ?? '');
}

function lastDigits(number: unknown): string {
  return String(number ?? '')
    .replaceAll(/\D/g, '')
    .slice(-FOUND_BY_DIGITS);
}

/** A lead or an outside booking names its person, or the appointment that it led to. */
function isTheirs({ snapshot, links }: Claim, ids: ReadonlySet<string>, terms: PersonTerms): boolean {
  const booked = Object.values(links).flatMap(({ booking }) => ownOf(booking)?.id ?? []);
  if (booked.length > 0) return booked.some((id) => ids.has(id));
  return snapshot !== undefined && isAbout(ownTexts(snapshot).join('\n'), terms);
}

/** Fields that say whom it is for. Comments may name anybody. */
function ownTexts(snapshot: Snapshot): readonly string[] {
  const cells = snapshot['cells'];
  const from = typeof cells === 'object' && cells !== null ? (cells as Record<string, unknown>) : snapshot;
  // A sheet makes a number of a phone that is typed without its plus.
  return OWN_FIELDS.map((field) => String(from[field] ?? ''));
}

function termsFor(
  contactId: string,
  {
    contacts,
    appointments,
  }: { readonly contacts: readonly Snapshot[]; readonly appointments: readonly Snapshot[] },
  begun: PersonTerms | undefined,
): PersonTerms {
  const all = [
    ...contacts.map(({ phone, email, name }) => ({ phone, email, name })),
    ...appointments.map((each) => ({
      phone: each['customer_phone'],
      email: each['customer_email'],
      name: each['customer_name'],
    })),
  ];
  const texts = (field: 'phone' | 'email' | 'name') =>
    all.flatMap((each) => (typeof each[field] === 'string' && each[field] !== '' ? [each[field]] : []));
  // Many people share a name, so its mark is left out.
  const marks = all.flatMap(({ phone, email }) =>
    Object.values(customerMarks({ contactId, phone, email, name: undefined })),
  );
  const union = (some: readonly string[], more: readonly string[] = []) => [...new Set([...some, ...more])];
  return {
    ids: union([contactId, ...appointments.map(({ id }) => id)], begun?.ids),
    phones: union(texts('phone'), begun?.phones),
    emails: union(texts('email'), begun?.emails),
    names: union(texts('name'), begun?.names),
    shared: begun?.shared ?? [],
    hashes: union(marks, begun?.hashes),
  };
}

/** Ids, also in the form that they have in the ids of events. */
function withStems(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.flatMap((id) => [id.toLowerCase(), id.toLowerCase().replaceAll('-', '')]))];
}

async function receiptOf(
  order: ErasureOrder,
  seen: {
    readonly begun: string;
    readonly sinceMs: number;
    readonly left: readonly LeftPlace[];
    readonly hit: ErasureReceipt['left'];
  },
  { erasures, outOfReach }: ForgetParts,
): Promise<ErasureReceipt> {
  const left = await Promise.all(
    seen.left.map(async ({ kind, where, name, by, why }) => ({
      ...{ kind, by, ...(why === undefined ? {} : { why }) },
      place: await erasures.hashOf(`${where} ${name}`),
    })),
  );
  const { moved: _, ...erased } = order.erased;
  return {
    version: 1,
    person: await erasures.hashOf(`contact/${order.contactId}`),
    begun: seen.begun,
    verified: new Date(seen.sinceMs).toISOString(),
    ...{ erased, left: [...seen.hit, ...left], recognisedBy: recognisedBy(order), outOfReach },
  };
}

/** Only what was known about the person could be searched for. */
export function recognisedBy({ terms }: Pick<ErasureOrder, 'terms'>): ErasureReceipt['recognisedBy'] {
  const { phones, emails, names } = terms;
  const known = { phone: phones, email: emails, name: names } as const;
  const kinds = (['phone', 'email', 'name'] as const).filter((kind) => known[kind].length > 0);
  return ['id', ...kinds];
}

/** The erasure's own keys, and leases, which last seconds. */
function isOwn(name: string): boolean {
  return /^(forgetting|forgotten|receipts|lease)(:|$)/.test(name);
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
