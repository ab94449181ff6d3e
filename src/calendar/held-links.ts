import { RetryableError } from '../engine/errors.ts';
import type { CalendarLink } from '../engine/link.ts';
import type { LinkStore } from '../engine/link-store.ts';
import type { Claim } from '../engine/work.ts';

/** The links of one appointment while a handler works on it. Each change is stored immediately, under the fence of the claim. */
export class HeldLinks {
  readonly #store: LinkStore;
  readonly #claim: Claim;
  readonly #mirror: string;
  #calendars: readonly CalendarLink[];

  constructor(store: LinkStore, claim: Claim, mirror: string) {
    this.#store = store;
    this.#claim = claim;
    this.#mirror = mirror;
    this.#calendars = claim.links[mirror]?.calendars ?? [];
  }

  /** Rejects with `RetryableError` `fenced` when another handler has taken the object over. */
  async assertHeld(): Promise<void> {
    const calendars = this.#calendars;
    const links = calendars.length === 0 ? {} : { calendars };
    if (await this.#store.write(this.#claim, this.#mirror, links)) return;
    throw new RetryableError('fenced', 'another handler took the object over');
  }

  /** `instead`: the link that this one replaces, perhaps with another event id. */
  put(link: CalendarLink, instead?: CalendarLink): Promise<void> {
    const others = this.#calendars.filter((each) => !isSame(each, link) && !isSame(each, instead));
    this.#calendars = [...others, link];
    return this.assertHeld();
  }

  drop(link: CalendarLink): Promise<void> {
    this.#calendars = this.#calendars.filter((each) => !isSame(each, link));
    return this.assertHeld();
  }
}

function isSame(a: CalendarLink, b: CalendarLink | undefined): boolean {
  return a.calendarId === b?.calendarId && a.eventId === b.eventId;
}
