import type { MirrorLinks } from '../domain/link.ts';
import type { Claim } from '../domain/work.ts';

/** Which events and rows mirror which object. */
export interface LinkStore {
  /** Replaces what one mirror holds of one object; an empty `MirrorLinks` takes it away. False when fenced off: nothing was written. */
  write(claim: Claim, mirror: string, links: MirrorLinks): Promise<boolean>;
  /** Adds a calendar link found in the calendar itself (after Redis was lost), unless the mirror has links for the object already. */
  adopt(key: string, mirror: string, links: MirrorLinks): Promise<boolean>;
}
