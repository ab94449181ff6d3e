// The methods of Calendar v3 that the sandbox performs, with the parameters and scopes of the discovery document.

import type { Answer, Call, Method } from '../method.ts';
import { notInSandbox } from '../refusal.ts';
import type { QueryShape } from '../request/query.ts';
import { any } from '../request/shape.ts';
import type { Channels } from './channels.ts';
import { CalendarDesk } from './desk.ts';
import { eventMethods, method, sends } from './event-methods.ts';
import { freeBusy } from './freebusy.ts';
import { CalendarLists } from './lists.ts';
import type { CalendarOffice } from './office.ts';
import { scopes } from './scopes.ts';
import { calendarListEntryShape, calendarShape, freeBusyShape, ruleShape } from './shapes.ts';
import { Sharing } from './sharing.ts';

const entries = 'calendar/v3/users/me/calendarList';

export function calendarMethods(office: CalendarOffice, channels: Channels): Method[] {
  const lists = new CalendarLists(office);
  const calendars = new CalendarDesk(office);
  const sharing = new Sharing(office);
  return [
    ...eventMethods(office, channels),
    method({
      id: 'calendars.get',
      http: 'GET',
      path: 'calendar/v3/calendars/{calendarId}',
      scopes: scopes.readCalendar,
      query: {},
      perform: (call) => calendars.get(call),
    }),
    method({
      id: 'calendarList.list',
      http: 'GET',
      path: entries,
      scopes: scopes.readList,
      query: entryList,
      perform: (call) => lists.list(call),
    }),
    method({
      id: 'calendarList.get',
      http: 'GET',
      path: `${entries}/{calendarId}`,
      scopes: scopes.readEntry,
      query: {},
      perform: (call) => lists.get(call),
    }),
    method({
      id: 'calendarList.insert',
      http: 'POST',
      path: entries,
      scopes: scopes.writeList,
      query: { colorRgbFormat: 'bool' },
      body: calendarListEntryShape,
      perform: (call) => lists.insert(call),
    }),
    method({
      id: 'calendarList.delete',
      http: 'DELETE',
      path: `${entries}/{calendarId}`,
      scopes: scopes.writeEntry,
      query: {},
      perform: (call) => lists.delete(call),
    }),
    method({
      id: 'colors.get',
      http: 'GET',
      path: 'calendar/v3/colors',
      scopes: scopes.colors,
      query: {},
      perform: () => lists.colors(),
    }),
    method({
      id: 'freebusy.query',
      http: 'POST',
      path: 'calendar/v3/freeBusy',
      scopes: scopes.freeBusy,
      query: {},
      body: freeBusyShape,
      perform: (call) => freeBusy(office, call),
    }),
    ...calendarsMethods.map(([id, http, path, granted]) =>
      method({
        id,
        http,
        path: `calendar/v3/calendars${path}`,
        scopes: granted,
        query: {},
        ...(['calendars.delete', 'calendars.clear'].includes(id) ? {} : { body: calendarShape }),
        perform: (call) => performCalendars(calendars, call),
      }),
    ),
    ...rulesMethods.map(([id, http, path]) =>
      method({
        id,
        http,
        path: `calendar/v3/calendars/{calendarId}/acl${path}`,
        scopes: id === 'acl.list' ? scopes.listRules : http === 'GET' ? scopes.readRules : scopes.writeRules,
        query:
          id === 'acl.list'
            ? ruleList
            : http === 'GET' || http === 'DELETE'
              ? {}
              : { sendNotifications: 'bool' },
        ...(http === 'GET' || http === 'DELETE' ? {} : { body: ruleShape }),
        perform: (call) => performRules(sharing, call),
      }),
    ),
    ...unknownMethods.map(([id, http, path, query]) =>
      method({
        id,
        http,
        path: `calendar/v3/${path}`,
        scopes: id.startsWith('settings') ? scopes.settings : scopes.writeEvents,
        query,
        body: any,
        perform: () => refuse(id),
      }),
    ),
  ];
}

const entryList: QueryShape = {
  maxResults: 'count',
  minAccessRole: ['freeBusyReader', 'owner', 'reader', 'writer', 'writerWithoutPrivateAccess'],
  pageToken: 'string',
  showDeleted: 'bool',
  showHidden: 'bool',
  showOwnOrganizationOnly: 'bool',
  syncToken: 'string',
};

const calendarsMethods: [string, Method['http'], string, readonly string[]][] = [
  ['calendars.insert', 'POST', '', scopes.writeCalendar],
  ['calendars.patch', 'PATCH', '/{calendarId}', scopes.writeCalendar],
  ['calendars.update', 'PUT', '/{calendarId}', scopes.writeCalendar],
  ['calendars.delete', 'DELETE', '/{calendarId}', scopes.writeCalendar],
  ['calendars.clear', 'POST', '/{calendarId}/clear', scopes.ownCalendar],
];

function performCalendars(calendars: CalendarDesk, call: Call): Answer {
  switch (call.methodId) {
    case 'calendars.insert':
      return calendars.insert(call);
    case 'calendars.delete':
      return calendars.delete(call);
    case 'calendars.clear':
      return calendars.clear(call);
    default:
      return calendars.change(call);
  }
}

const ruleList: QueryShape = {
  maxResults: 'count',
  pageToken: 'string',
  showDeleted: 'bool',
  syncToken: 'string',
};
const rulesMethods: [string, Method['http'], string][] = [
  ['acl.list', 'GET', ''],
  ['acl.insert', 'POST', ''],
  ['acl.get', 'GET', '/{ruleId}'],
  ['acl.patch', 'PATCH', '/{ruleId}'],
  ['acl.update', 'PUT', '/{ruleId}'],
  ['acl.delete', 'DELETE', '/{ruleId}'],
];

function performRules(sharing: Sharing, call: Call): Answer {
  switch (call.methodId) {
    case 'acl.list':
      return sharing.list(call);
    case 'acl.get':
      return sharing.get(call);
    case 'acl.insert':
      return sharing.insert(call);
    case 'acl.delete':
      return sharing.delete(call);
    default:
      return sharing.change(call);
  }
}

/** Known to Google, but not to the sandbox: refused with 501 instead of 404. */
const unknownMethods: [string, Method['http'], string, QueryShape][] = [
  // It interprets a sentence in an undocumented way.
  ['events.quickAdd', 'POST', 'calendars/{calendarId}/events/quickAdd', { ...sends, text: 'string' }],
  [
    'calendars.transferOwnership',
    'POST',
    'calendars/{calendarId}/transferOwnership',
    { newDataOwner: 'string', useAdminAccess: 'bool' },
  ],
  ['acl.watch', 'POST', 'calendars/{calendarId}/acl/watch', ruleList],
  ['calendarList.patch', 'PATCH', 'users/me/calendarList/{calendarId}', { colorRgbFormat: 'bool' }],
  ['calendarList.update', 'PUT', 'users/me/calendarList/{calendarId}', { colorRgbFormat: 'bool' }],
  ['calendarList.watch', 'POST', 'users/me/calendarList/watch', entryList],
  [
    'settings.list',
    'GET',
    'users/me/settings',
    { maxResults: 'count', pageToken: 'string', syncToken: 'string' },
  ],
  ['settings.get', 'GET', 'users/me/settings/{setting}', {}],
  [
    'settings.watch',
    'POST',
    'users/me/settings/watch',
    { maxResults: 'count', pageToken: 'string', syncToken: 'string' },
  ],
];

function refuse(id: string): never {
  throw notInSandbox(id);
}
