/** Where time comes from. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}
