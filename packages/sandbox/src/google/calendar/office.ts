// The sandbox's calendars and what they share: access, etags, mails, change listeners.
import type { Principal } from '../auth/principal.ts';
import type { JsonObject } from '../json.ts';
import type { Call } from '../method.ts';
import { calendarRefusal } from '../refusal.ts';
import type { Switches } from '../switches.ts';
import { Calendar, type CalendarAbout, type Role, rank } from './calendar.ts';
import { renderEvent, type StoredEvent } from './event.ts';
import { isAppMadeOnly, isFreeBusyOnly } from './scopes.ts';

/** The viewer of an event and the form to show. By default, the owner in the calendar's zone. */
export interface Seeing {
  role?: Role | undefined;
  zone?: string | undefined;
  viewer?: string | undefined;
  attendeesMax?: number | undefined;
  /** For judges: tombstones with all that is stored. */
  isWhole?: boolean;
}

export class CalendarOffice {
  readonly now: () => number;
  readonly switches: Switches;
  readonly #random: () => number;
  /** By lower-cased id: Google ignores the case of ids. */
  readonly #calendars = new Map<string, Calendar>();
  readonly #listeners: ((calendar: Calendar) => void)[] = [];
  #etag = 0;
  #mails = 0;
  #notifyingCalls = 0;

  constructor(about: { now: () => number; random: () => number; switches: Switches }) {
    this.now = about.now;
    this.switches = about.switches;
    this.#random = about.random;
  }

  addCalendar(about: CalendarAbout & { id: string; madeBy?: string }): Calendar {
    const calendar = new Calendar(about);
    this.#calendars.set(about.id.toLowerCase(), calendar);
    return calendar;
  }

  removeCalendar(id: string): void {
    this.#calendars.delete(id.toLowerCase());
  }

  /** For the sandbox's own use, without an access check. */
  calendar(id: string): Calendar | undefined {
    return this.#calendars.get(id.toLowerCase());
  }

  calendars(): Calendar[] {
    return [...this.#calendars.values()];
  }

  /** The calendar of a call. An unshared calendar looks like a missing one: 404. */
  reach(id: string, principal: Principal): Calendar {
    const wanted = id === 'primary' ? principal.email : id;
    // Every account has its own calendar, even a service account, whose calendar is usually empty and unused.
    const calendar =
      this.#calendars.get(wanted.toLowerCase()) ??
      (wanted === principal.email ? this.#ownCalendar(wanted) : undefined);
    if (calendar === undefined || calendar.roleOf(principal.email) === undefined) throw notFound();
    // With only the scope calendar.app.created, a caller sees only the calendars that the app has created.
    if (isAppMadeOnly(principal) && calendar.madeBy !== principal.email) throw notFound();
    return calendar;
  }

  /** The same, with the right to write. */
  reachToWrite(id: string, principal: Principal): Calendar {
    const calendar = this.reach(id, principal);
    const role = calendar.roleOf(principal.email);
    const isEnough = rank(role) >= rank('writerWithoutPrivateAccess');
    // The scope calendar.events.owned opens only calendars that the caller owns.
    const isOwnedOnly = !['calendar', 'calendar.events', 'calendar.app.created'].some((scope) =>
      principal.scopes.has(scope),
    );
    if (!isEnough) throw needs('writer');
    if (isOwnedOnly && role !== 'owner') throw needs('owner');
    return calendar;
  }

  nextEtag(): string {
    // Google's etags are quoted numbers that grow with time.
    this.#etag = Math.max(this.#etag + 2, this.now() * 2);
    return `"${this.#etag}000"`;
  }

  /** A random string in the base32hex alphabet of event ids. */
  randomId(length = 26): string {
    const alphabet = '0123456789abcdefghijklmnopqrstuv';
    return Array.from({ length }, () => alphabet[Math.floor(this.#random() * 32)] ?? '0').join('');
  }

  /** Number of mails that `sendUpdates` other than none would have sent. */
  mailsSent(): number {
    return this.#mails;
  }

  /** Number of calls that asked to notify people, even if the event had no guests. */
  notifyingCalls(): number {
    return this.#notifyingCalls;
  }

  countNotifying(guests: number): void {
    this.#notifyingCalls += 1;
    this.#mails += guests;
  }

  onChange(listener: (calendar: Calendar) => void): void {
    this.#listeners.push(listener);
  }

  announce(calendar: Calendar): void {
    for (const listener of this.#listeners) listener(calendar);
  }

  /** The event as this caller may see it. */
  show(calendar: Calendar, event: StoredEvent, how: Seeing = {}): JsonObject {
    const role = how.role ?? 'owner';
    const isPrivate =
      event.fields['visibility'] === 'private' || event.fields['visibility'] === 'confidential';
    return renderEvent(event, {
      calendarId: calendar.id,
      calendarZone: calendar.timeZone,
      zone: how.zone ?? calendar.timeZone,
      isMasked: role === 'freeBusyReader' || (isPrivate && rank(role) < rank('writer')),
      areTombstonesMinimal: this.switches.tombstonesMinimal,
      areTombstonesWhole: how.isWhole ?? false,
      viewer: how.viewer,
      attendeesMax: how.attendeesMax,
    });
  }

  #ownCalendar(email: string): Calendar {
    return this.addCalendar({ id: email, timeZone: 'UTC', summary: email });
  }
}

/** What the caller may see of the calendar's events. */
export function seeingOf(calendar: Calendar, call: Call): Seeing {
  const viewer = call.principal.email;
  return {
    viewer,
    role: isFreeBusyOnly(call.principal) ? 'freeBusyReader' : calendar.roleOf(viewer),
    attendeesMax: call.query.number('maxAttendees'),
  };
}

export function notFound() {
  return calendarRefusal(404, { reason: 'notFound', message: 'Not Found' });
}

export function needs(role: 'writer' | 'owner') {
  return calendarRefusal(403, {
    domain: 'calendar',
    reason: 'requiredAccessLevel',
    message: `You need to have ${role} access to this calendar.`,
  });
}
