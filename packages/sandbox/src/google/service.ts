/** The two APIs. They differ in envelopes, common parameters and quotas. */
export type Service = 'calendar' | 'sheets';
