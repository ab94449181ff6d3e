import { fenced } from '../../src/engine/errors.ts';
import {
  type CalendarLink,
  linksText,
  type MirrorLinks,
  type ObjectLinks,
  parseLinks,
} from '../../src/engine/link.ts';
import type { LinkStore } from '../../src/engine/link-store.ts';
import type { Claim } from '../../src/engine/work.ts';

/** Links in memory, fenced like the real ones. It also hands out the claims, because it knows the links. */
export class MemoryLinkStore implements Pick<LinkStore, keyof LinkStore> {
  #fence = 0;
  readonly #links = new Map<string, ObjectLinks>();

  claim(about: Pick<Claim, 'key' | 'snapshot'> & Partial<Claim>): Claim {
    this.#fence += 1;
    return {
      fence: String(this.#fence),
      desiredRev: 1,
      syncedRev: 0,
      deleted: false,
      verify: false,
      sightings: [],
      projectId: undefined,
      pendingSinceMs: undefined,
      links: this.of(about.key.id),
      ...about,
    };
  }

  of(id: string): ObjectLinks {
    return this.#links.get(id) ?? {};
  }

  calendars(id: string, mirror: string): readonly CalendarLink[] {
    return this.of(id)[mirror]?.calendars ?? [];
  }

  /** Redis is lost. */
  forget(): void {
    this.#links.clear();
  }

  async write(claim: Claim, mirror: string, links: MirrorLinks): Promise<void> {
    if (claim.fence !== String(this.#fence)) throw fenced();
    // As it comes back from Redis.
    const stored = parseLinks(linksText(links));
    this.#links.set(claim.key.id, { ...this.of(claim.key.id), [mirror]: stored });
  }

  async adopt(key: string, mirror: string, link: CalendarLink): Promise<boolean> {
    const id = key.split('/')[1] ?? key;
    const calendars = this.calendars(id, mirror);
    if (calendars.some((each) => each.calendarId === link.calendarId)) return false;
    this.#links.set(id, { ...this.of(id), [mirror]: { calendars: [...calendars, link] } });
    return true;
  }
}
