/** A staff member, place or piece of equipment (platform API, Resource). */
export interface Resource {
  readonly id: string;
  readonly branchId: string;
  readonly projectId: string;
  readonly name: string;
  /** How many can be booked for one time; absent: unknown. */
  readonly capacity?: number;
}

/** An office (platform API, Branch). */
export interface Branch {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** IANA zone. */
  readonly timezone: string;
}

/** What can be booked (platform API, Service). */
export interface Service {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** `fixed` or `interval` (time rental). */
  readonly bookingMode?: string;
  /** `interval` services only. */
  readonly lengths?: ServiceLengths;
  /** Customers can book it themselves. */
  readonly isOnline?: boolean;
}

/** The platform's reference lists, as last read. */
export interface Directory {
  readonly resources: ReadonlyMap<string, Resource>;
  readonly branches: ReadonlyMap<string, Branch>;
  readonly services: ReadonlyMap<string, Service>;
}

/** Used while the platform's lists cannot be read: ids replace names. */
export const NO_DIRECTORY: Directory = { resources: new Map(), branches: new Map(), services: new Map() };

/** Lengths that an interval service accepts: `minMin`, then steps of `stepMin`, up to `maxMin`. Minutes. */
export interface ServiceLengths {
  readonly minMin: number;
  readonly maxMin: number;
  readonly stepMin: number;
}
