/** The two APIs; they differ in envelopes, common parameters and quotas. */
export type Service = 'calendar' | 'sheets';
