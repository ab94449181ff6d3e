import type { calendar_v3 } from 'googleapis/build/src/apis/calendar/index.js';

/** What googleapis accepts as its `auth` option. */
export type GoogleAuthClient = Exclude<NonNullable<calendar_v3.Options['auth']>, string>;
