/** Counts and measures; what the names mean is told in `ops/metrics.ts`. Label values are ids of the mapping and codes, never personal data. */
export interface Meter {
  add(counter: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Seconds. */
  observe(histogram: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
}
