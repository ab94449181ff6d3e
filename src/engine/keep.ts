const DAY_MS = 86_400_000;

/** How long the worker keeps what; milliseconds. */
export interface Keep {
  /** Content of objects, counted from their last turn. */
  readonly snapshotsMs: number;
  /** Past appointments that have an event or a row, counted from their last turn. */
  readonly objectsMs: number;
  /** Counted from the last entry. */
  readonly historiesMs: number;
  readonly quarantineMs: number;
  readonly deadLettersMs: number;
  /** Counted from the last request of an origin. */
  readonly intentsMs: number;
}

/** The defaults of the YAML schema. */
export const KEEP: Keep = {
  snapshotsMs: 90 * DAY_MS,
  objectsMs: 400 * DAY_MS,
  historiesMs: 35 * DAY_MS,
  quarantineMs: 35 * DAY_MS,
  deadLettersMs: 180 * DAY_MS,
  intentsMs: 180 * DAY_MS,
};
