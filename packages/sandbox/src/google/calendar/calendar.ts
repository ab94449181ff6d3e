// One calendar: its events, its access roles, and the change log that sync tokens refer to.
import type { JsonObject } from '../json.ts';
import { isCancelled, type StoredEvent } from './event.ts';
import { baseOf } from './series-id.ts';

export type Role = 'freeBusyReader' | 'reader' | 'writerWithoutPrivateAccess' | 'writer' | 'owner';

/** From the weakest to the strongest role. */
const ranks: readonly Role[] = ['freeBusyReader', 'reader', 'writerWithoutPrivateAccess', 'writer', 'owner'];

export function rank(role: Role | undefined): number {
  return role === undefined ? -1 : ranks.indexOf(role);
}

export function isRole(text: string): text is Role {
  return (ranks as readonly string[]).includes(text);
}

export interface CalendarAbout {
  timeZone: string;
  summary: string;
  description?: string;
  location?: string;
}

export class Calendar {
  readonly id: string;
  /** Never mutated, only replaced. */
  about: CalendarAbout;
  /** The caller of calendars.insert, for secondary calendars created through the API. */
  readonly madeBy: string | undefined;
  readonly #acl = new Map<string, Role>();
  readonly #events = new Map<string, StoredEvent>();
  readonly #ordered: StoredEvent[] = [];
  readonly #exceptions = new Map<string, Set<StoredEvent>>();
  /** Later parts of a series that was split, by the id of its first part. */
  readonly #parts = new Map<string, Set<StoredEvent>>();
  readonly #byProperty = new Map<string, Set<StoredEvent>>();
  /** (change, event), ascending. An entry is stale when its event has changed again. */
  #log: { change: number; event: StoredEvent }[] = [];
  #change = 0;
  #ordinals = 0;
  #epoch = 1;

  constructor(given: CalendarAbout & { id: string; madeBy?: string | undefined }) {
    const { id, madeBy, ...about } = given;
    this.id = id;
    this.madeBy = madeBy;
    this.about = about;
  }

  get timeZone(): string {
    return this.about.timeZone;
  }

  get summary(): string {
    return this.about.summary;
  }

  /** Number of the last change. */
  get change(): number {
    return this.#change;
  }

  /** Sync tokens of an older epoch are invalid. */
  get epoch(): number {
    return this.#epoch;
  }

  voidSyncTokens(): void {
    this.#epoch += 1;
  }

  roleOf(email: string): Role | undefined {
    // The id of a person's own calendar is the person's address.
    if (email === this.id) return 'owner';
    const domain = email.slice(email.indexOf('@') + 1);
    const roles = [email, `domain:${domain}`, 'default'].map((scope) => this.#acl.get(scope));
    return roles.reduce((best, role) => (rank(role) > rank(best) ? role : best), undefined);
  }

  /** The access rule for exactly this scope: an address, `domain:…` or `default`. */
  ruleFor(scope: string): Role | undefined {
    return scope === this.id ? 'owner' : this.#acl.get(scope);
  }

  share(email: string, role: Role | undefined): void {
    if (role === undefined) this.#acl.delete(email);
    else this.#acl.set(email, role);
    // Google invalidates sync tokens when access changes.
    this.voidSyncTokens();
  }

  sharedWith(): string[] {
    return [...this.#acl.keys()];
  }

  get(id: string): StoredEvent | undefined {
    return this.#events.get(id);
  }

  /** All events including tombstones, in the stable order, starting at a position. */
  *from(ordinal: number): Generator<StoredEvent> {
    for (let i = this.#positionOf(ordinal); i < this.#ordered.length; i += 1) {
      const event = this.#ordered[i];
      if (event !== undefined) yield event;
    }
  }

  /** Events changed after `change`, each once, in the order of their last change. */
  *changedSince(change: number): Generator<StoredEvent> {
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log[middle]?.change ?? 0) <= change) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < this.#log.length; i += 1) {
      const entry = this.#log[i];
      if (entry !== undefined && entry.event.change === entry.change) yield entry.event;
    }
  }

  withPrivateProperty(key: string, value: string): Iterable<StoredEvent> {
    return this.#byProperty.get(`${key}=${value}`) ?? [];
  }

  /** Changed or deleted instances of a series. */
  exceptionsOf(masterId: string): Iterable<StoredEvent> {
    return this.#exceptions.get(masterId) ?? [];
  }

  /** The masters of one series that was never split, or of all its parts. A part may be a tombstone. */
  partsOf(eventId: string): StoredEvent[] {
    const base = baseOf(eventId);
    const first = this.#events.get(base);
    return [...(first === undefined ? [] : [first]), ...(this.#parts.get(base) ?? [])];
  }

  /** The masters and exceptions of the event's series, in all its parts. */
  familyOf({ id, recurringEventId }: StoredEvent): StoredEvent[] {
    const masters = this.partsOf(recurringEventId ?? id);
    return masters.flatMap((master) => [master, ...this.exceptionsOf(master.id)]);
  }

  nextOrdinal(): number {
    this.#ordinals += 1;
    return this.#ordinals;
  }

  add(event: StoredEvent): void {
    this.remove(event.id);
    this.#events.set(event.id, event);
    this.#ordered.push(event);
    if (event.recurringEventId !== undefined) {
      const siblings = this.#exceptions.get(event.recurringEventId) ?? new Set();
      this.#exceptions.set(event.recurringEventId, siblings.add(event));
    } else if (baseOf(event.id) !== event.id) {
      const parts = this.#parts.get(baseOf(event.id)) ?? new Set();
      this.#parts.set(baseOf(event.id), parts.add(event));
    }
    this.#index(event.fields, event);
    this.#logChange(event);
  }

  /**
   * Call this after a change, with the event's previous fields. The first change of a series instance makes it an
   * exception.
   */
  changed(event: StoredEvent, before: JsonObject): void {
    if (!this.#events.has(event.id)) {
      this.add(event);
      return;
    }
    this.#unindex(before, event);
    this.#index(event.fields, event);
    this.#logChange(event);
  }

  /** Removes the event and its tombstone, so that the id is free again. */
  remove(id: string): void {
    const event = this.#events.get(id);
    if (event === undefined) return;
    this.#events.delete(id);
    this.#ordered.splice(this.#positionOf(event.ordinal), 1);
    if (event.recurringEventId !== undefined) this.#exceptions.get(event.recurringEventId)?.delete(event);
    this.#parts.get(baseOf(id))?.delete(event);
    this.#unindex(event.fields, event);
    event.change = -1;
  }

  live(): StoredEvent[] {
    return this.#ordered.filter((event) => !isCancelled(event));
  }

  all(): readonly StoredEvent[] {
    return this.#ordered;
  }

  #positionOf(ordinal: number): number {
    let low = 0;
    let high = this.#ordered.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ordered[middle]?.ordinal ?? 0) < ordinal) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #logChange(event: StoredEvent): void {
    this.#change += 1;
    event.change = this.#change;
    this.#log.push({ change: this.#change, event });
    // Drops stale entries when they dominate, so that the log stays within a few times the number of events.
    if (this.#log.length > 1000 && this.#log.length > 4 * this.#ordered.length) {
      this.#log = this.#log.filter((entry) => entry.event.change === entry.change);
    }
  }

  #index(fields: JsonObject, event: StoredEvent): void {
    for (const pair of privatePairs(fields)) {
      const holders = this.#byProperty.get(pair) ?? new Set();
      this.#byProperty.set(pair, holders.add(event));
    }
  }

  #unindex(fields: JsonObject, event: StoredEvent): void {
    for (const pair of privatePairs(fields)) {
      const holders = this.#byProperty.get(pair);
      holders?.delete(event);
      if (holders?.size === 0) this.#byProperty.delete(pair);
    }
  }
}

function privatePairs(fields: JsonObject): string[] {
  const properties = fields['extendedProperties'] as { private?: Record<string, string> } | undefined;
  return Object.entries(properties?.private ?? {}).map(([key, value]) => `${key}=${value}`);
}
