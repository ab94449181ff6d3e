// The scopes of Calendar's methods, as its discovery document lists them, and what a narrow scope leaves visible.
import type { Principal } from '../auth/principal.ts';

const eventReads = [
  'calendar.events.readonly',
  'calendar.events.owned.readonly',
  'calendar.events.public.readonly',
];
const eventWrites = ['calendar.events', 'calendar.events.owned'];
const listReads = ['calendar.calendarlist', 'calendar.calendarlist.readonly'];
const appMade = 'calendar.app.created';

export const scopes = {
  writeEvents: ['calendar', ...eventWrites, appMade],
  readEvents: [
    'calendar',
    'calendar.readonly',
    ...eventWrites,
    ...eventReads,
    'calendar.events.freebusy',
    appMade,
  ],
  stopChannel: [
    'calendar',
    'calendar.readonly',
    ...eventWrites,
    ...eventReads,
    ...listReads,
    'calendar.events.freebusy',
    'calendar.acls',
    'calendar.acls.readonly',
    'calendar.settings.readonly',
    appMade,
  ],
  readCalendar: [
    'calendar',
    'calendar.readonly',
    'calendar.calendars',
    'calendar.calendars.readonly',
    appMade,
  ],
  writeCalendar: ['calendar', 'calendar.calendars', appMade],
  ownCalendar: ['calendar', 'calendar.calendars'],
  readList: ['calendar', 'calendar.readonly', ...listReads],
  readEntry: ['calendar', 'calendar.readonly', ...listReads, appMade],
  writeList: ['calendar', 'calendar.calendarlist'],
  writeEntry: ['calendar', 'calendar.calendarlist', appMade],
  colors: [
    'calendar',
    'calendar.readonly',
    ...listReads,
    'calendar.events.freebusy',
    'calendar.events.owned',
    'calendar.events.owned.readonly',
    'calendar.events.public.readonly',
    appMade,
  ],
  freeBusy: ['calendar', 'calendar.readonly', 'calendar.freebusy', 'calendar.events.freebusy'],
  listRules: ['calendar', 'calendar.acls', 'calendar.acls.readonly'],
  readRules: ['calendar', 'calendar.readonly', 'calendar.acls', 'calendar.acls.readonly'],
  writeRules: ['calendar', 'calendar.acls'],
  settings: ['calendar', 'calendar.readonly', 'calendar.settings.readonly'],
} as const;

/** Whether the token opens only calendars that the caller has created. */
export function isAppMadeOnly(principal: Principal): boolean {
  return [...principal.scopes].filter(isCalendars).every((scope) => scope === appMade);
}

/** Whether the token shows only busy times of the caller's calendars, without details. */
export function isFreeBusyOnly(principal: Principal): boolean {
  const mine = [...principal.scopes].filter(isCalendars);
  return mine.every((scope) => scope === 'calendar.events.freebusy' || scope === 'calendar.freebusy');
}

function isCalendars(scope: string): boolean {
  return scope === 'calendar' || scope.startsWith('calendar.');
}
