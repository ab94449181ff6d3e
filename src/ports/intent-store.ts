import type { EndedRequest, IntentRecord, OpenRequest } from '../domain/intent.ts';

/** What was begun on the platform, per origin. Each call is one atomic step, durable when it resolves. */
export interface IntentStore {
  /** Undefined when nothing is known of the origin: it is new, or the store was lost. */
  read(origin: string): Promise<IntentRecord | undefined>;
  /**
   * Stores the request as the open one. `open`: another one is open already, and nothing was stored. `stale`: a request with this
   * generation or a later one has been there since the record was read; read it again.
   */
  begin(
    origin: string,
    request: OpenRequest,
  ): Promise<{ outcome: 'begun' | 'open'; open: OpenRequest } | { outcome: 'stale' }>;
  /** The open request takes another key and body, for the same wish. False when `key` is not the open one any more. */
  replace(origin: string, key: string, request: OpenRequest): Promise<boolean>;
  /** Closes the request with `end.key`, its body is forgotten. False when it was not open any more; then nothing is changed. */
  settle(origin: string, end: EndedRequest): Promise<boolean>;
}
