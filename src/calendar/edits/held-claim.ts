import { CLASSES } from '../../engine/domain/class-slot.ts';
import { RetryableError } from '../../engine/domain/errors.ts';
import type { CalendarLink, MirrorLinks } from '../../engine/domain/link.ts';
import { contentHash, type Snapshot } from '../../engine/domain/object.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { LinkStore } from '../../engine/ports/calendars.ts';
import type { ClassReader, WorkStore } from '../../engine/ports/work.ts';

/** A claim while people's changes are decided. Every decision is stored immediately, under its fence. */
export class HeldClaim {
  readonly #work: Pick<WorkStore, 'refresh'>;
  readonly #links: Pick<LinkStore, 'write'>;
  #claim: Claim;

  constructor(parts: { work: Pick<WorkStore, 'refresh'>; links: Pick<LinkStore, 'write'> }, claim: Claim) {
    this.#work = parts.work;
    this.#links = parts.links;
    this.#claim = claim;
  }

  get claim(): Claim {
    return this.#claim;
  }

  links(mirror: string): readonly CalendarLink[] {
    return this.#claim.links[mirror]?.calendars ?? [];
  }

  /** Stores all in one write, and skips the write if nothing changes. Rejects with `RetryableError` `fenced`. */
  async put(mirror: string, ...changed: readonly CalendarLink[]): Promise<void> {
    const before = this.links(mirror);
    const others = before.filter((link) => !changed.some((each) => isSameEvent(each, link)));
    if (changed.every((each) => before.some((link) => contentHash(link) === contentHash(each)))) return;
    await this.#write(mirror, [...others, ...changed]);
  }

  async drop(mirror: string, gone: CalendarLink): Promise<void> {
    await this.#write(
      mirror,
      this.links(mirror).filter((link) => !isSameEvent(link, gone)),
    );
  }

  /** Takes over the platform's newest answer, unless something newer came in meanwhile. */
  async refresh(found: Snapshot): Promise<void> {
    const refreshed = await this.#work.refresh(this.#claim, { found });
    if (refreshed === undefined) throw fenced();
    // A sighting after the claim was taken has a turn of its own, and must not be settled with this one.
    this.#claim = { ...refreshed, sightings: this.#claim.sightings };
  }

  /** Reads the class again from the platform's list. */
  async reread(classes: ClassReader): Promise<void> {
    this.#claim = await classes.read(this.#claim);
  }

  /** Stores what is known of a class besides its events. */
  async putClass(known: MirrorLinks): Promise<void> {
    await this.#store(CLASSES, { ...this.#claim.links[CLASSES], ...known });
  }

  async #write(mirror: string, calendars: readonly CalendarLink[]): Promise<void> {
    await this.#store(mirror, calendars.length === 0 ? {} : { calendars });
  }

  async #store(mirror: string, links: MirrorLinks): Promise<void> {
    if (!(await this.#links.write(this.#claim, mirror, links))) throw fenced();
    this.#claim = { ...this.#claim, links: { ...this.#claim.links, [mirror]: links } };
  }
}

export function isSameEvent(
  a: Pick<CalendarLink, 'calendarId' | 'eventId'>,
  b: Pick<CalendarLink, 'calendarId' | 'eventId'>,
): boolean {
  return a.calendarId === b.calendarId && a.eventId === b.eventId;
}

function fenced(): RetryableError {
  return new RetryableError('fenced', 'another handler took the object over');
}
