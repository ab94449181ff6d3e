// What five servers answered, by ability. A test asks them again.
import type { ServerName } from './servers/describe.ts';

export interface Seen {
  readonly name: ServerName;
  /** Debian's. */
  readonly version: string;
  readonly answers: Readonly<Record<string, string>>;
}

const SAME = {
  'first write of an event': '201, ETag',
  'good update': '204',
  'update with a stale If-Match': '412',
  'deletion with a stale If-Match': '412',
  'update of a deleted event': '412',
  'If-None-Match: * on an event': '412',
  'one UID in two calendars': '201',
  'name without .ics': 'told',
  'event without an end': '201',
  'event deleted and made anew': 'another ETag',
  'multiget of a missing event': '404',
  'window in the third week of a series': 'found',
  'guest with SCHEDULE-AGENT=CLIENT': 'is told nothing',
};

export const SEEN: readonly Seen[] = [
  {
    name: 'radicale',
    version: '3.1.8-2',
    answers: {
      ...SAME,
      'well-known address': '301 /',
      'good update': '201',
      'one UID under two names': '409, 1 stored',
      'X- value with a comma': 'one',
      'unknown sync-token': '403 valid-sync-token',
      'old token after the calendar was made anew': '403',
      'MOVE to another calendar': '201 as a.ics',
    },
  },
  {
    name: 'xandikos',
    version: '0.2.8-1',
    answers: {
      ...SAME,
      'well-known address': '302 /',
      'one UID under two names': '207, 1 stored',
      'X- value with a comma': 'one\\,two\\;three',
      'unknown sync-token': '500',
      'old token after the calendar was made anew': '500',
      'window in the third week of a series': 'not found',
      'MOVE to another calendar': '405',
      'guest with SCHEDULE-AGENT=CLIENT': 'knows one person',
    },
  },
  {
    name: 'davical',
    version: '1.1.12-2',
    answers: {
      ...SAME,
      'well-known address': '404',
      'one UID under two names': '201, 2 stored',
      'X- value with a comma': 'one,two;three',
      'unknown sync-token': '207, 1 told',
      'old token after the calendar was made anew': '207, told: new.ics',
      'multiget of a missing event': 'left out',
      'MOVE to another calendar': '200 as a.ics',
    },
  },
  {
    name: 'cyrus',
    version: '3.6.1-4+deb12u5',
    answers: {
      ...SAME,
      'well-known address': '301 /dav/calendars',
      'one UID under two names': '403, 1 stored',
      'one UID in two calendars': '403',
      'event without an end': '403',
      'X- value with a comma': 'one,two;three',
      'unknown sync-token': '403 valid-sync-token',
      'old token after the calendar was made anew': '403',
      'MOVE to another calendar': '201 as a.ics',
    },
  },
  {
    name: 'sogo',
    version: '5.8.0-2+deb12u4',
    answers: {
      ...SAME,
      'well-known address': '200 a page',
      'deletion with a stale If-Match': '204',
      'update of a deleted event': '201',
      'If-None-Match: * on an event': '204',
      'one UID under two names': '409, 1 stored',
      'event without an end': '201, DURATION:PT1H',
      'X- value with a comma': 'one,two\\;three',
      'unknown sync-token': '207, 1 told',
      'old token after the calendar was made anew': '207, told: new.ics',
      'event deleted and made anew': 'the same ETag',
      'MOVE to another calendar': '201 as its UID',
      'guest with SCHEDULE-AGENT=CLIENT': 'is in his calendar',
    },
  },
];
