const DAY_MS = 86_400_000;

/** How long what is kept; milliseconds. */
export interface Keep {
  /** Content of objects, after their last turn. */
  readonly snapshotsMs: number;
  /** Appointments that are over and have an event or a row, after their last turn. */
  readonly objectsMs: number;
  /** After the last entry. */
  readonly historiesMs: number;
  readonly quarantineMs: number;
  readonly deadLettersMs: number;
  /** After the last request of an origin. */
  readonly intentsMs: number;
}

/** As in the schema of the YAML. */
export const KEEP: Keep = {
  snapshotsMs: 90 * DAY_MS,
  objectsMs: 400 * DAY_MS,
  historiesMs: 35 * DAY_MS,
  quarantineMs: 35 * DAY_MS,
  deadLettersMs: 180 * DAY_MS,
  intentsMs: 180 * DAY_MS,
};
