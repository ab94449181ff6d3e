import type { CalendarLink, MirrorLinks } from '../domain/link.ts';
import type { Claim } from '../domain/work.ts';

/** Which events and rows mirror which object. */
export interface LinkStore {
  /** Replaces what one mirror holds of one object; an empty `MirrorLinks` takes it away. False when fenced off: nothing was written. */
  write(claim: Claim, mirror: string, links: MirrorLinks): Promise<boolean>;
  /**
   * Takes up an event that was found in its calendar (after Redis was lost), unless the mirror has a link into that calendar
   * already. The object becomes dirty, so that the event is compared with the truth. `key` is `formatKey` of the object.
   */
  adopt(key: string, mirror: string, link: CalendarLink): Promise<boolean>;
}
