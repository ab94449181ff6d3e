// The methods of Calendar v3 that the sandbox performs, with the parameters and scopes of the discovery document.

import type { Call, Method } from '../method.ts';
import { calendarRefusal, notInSandbox } from '../refusal.ts';
import type { QueryShape } from '../request/query.ts';
import { any } from '../request/shape.ts';
import type { Channels } from './channels.ts';
import { Events } from './events.ts';
import { Listing } from './listing.ts';
import { CalendarLists } from './lists.ts';
import type { CalendarOffice } from './office.ts';
import { calendarListEntryShape, channelShape, eventShape, eventsShape } from './shapes.ts';

const sends: QueryShape = { sendNotifications: 'bool', sendUpdates: ['all', 'externalOnly', 'none'] };
const versions: QueryShape = {
  conferenceDataVersion: ['0', '1'],
  eventLabelVersion: ['0', '1'],
  maxAttendees: 'int',
  supportsAttachments: 'bool',
};
const window: QueryShape = {
  maxResults: 'int',
  pageToken: 'string',
  showDeleted: 'bool',
  timeMax: 'string',
  timeMin: 'string',
  timeZone: 'string',
};
const listQuery: QueryShape = {
  ...window,
  alwaysIncludeEmail: 'bool',
  eventTypes: 'strings',
  iCalUID: 'string',
  maxAttendees: 'int',
  orderBy: ['startTime', 'updated'],
  privateExtendedProperty: 'strings',
  q: 'string',
  sharedExtendedProperty: 'strings',
  showHiddenInvitations: 'bool',
  singleEvents: 'bool',
  syncToken: 'string',
  updatedMin: 'string',
};
const writeScopes = ['calendar', 'calendar.events', 'calendar.events.owned'];
const readScopes = [
  ...writeScopes,
  'calendar.readonly',
  'calendar.events.readonly',
  'calendar.events.owned.readonly',
  'calendar.events.freebusy',
  'calendar.events.public.readonly',
];
const calendarScopes = ['calendar', 'calendar.readonly', 'calendar.calendars', 'calendar.calendars.readonly'];
const listScopes = [
  'calendar',
  'calendar.readonly',
  'calendar.calendarlist',
  'calendar.calendarlist.readonly',
];
const listWriteScopes = ['calendar', 'calendar.calendarlist'];
const events = 'calendar/v3/calendars/{calendarId}/events';
const entries = 'calendar/v3/users/me/calendarList';

export function calendarMethods(office: CalendarOffice, channels: Channels): Method[] {
  const desk = new Events(office);
  const listing = new Listing(office);
  const lists = new CalendarLists(office);
  const method = (about: Omit<Method, 'service' | 'quota'>): Method => ({
    service: 'calendar',
    quota: about.http === 'GET' ? 'read' : 'write',
    ...about,
  });
  return [
    method({
      id: 'events.list',
      http: 'GET',
      path: events,
      scopes: readScopes,
      query: listQuery,
      answer: eventsShape,
      perform: (call) => listing.list(call),
    }),
    method({
      id: 'events.insert',
      http: 'POST',
      path: events,
      scopes: writeScopes,
      query: { ...sends, ...versions },
      body: eventShape,
      answer: eventShape,
      perform: (call) => desk.insert(call),
    }),
    method({
      id: 'events.get',
      http: 'GET',
      path: `${events}/{eventId}`,
      scopes: readScopes,
      query: { alwaysIncludeEmail: 'bool', maxAttendees: 'int', timeZone: 'string' },
      answer: eventShape,
      perform: (call) => desk.get(call),
    }),
    method({
      id: 'events.patch',
      http: 'PATCH',
      path: `${events}/{eventId}`,
      scopes: writeScopes,
      query: { ...sends, ...versions, alwaysIncludeEmail: 'bool' },
      body: eventShape,
      answer: eventShape,
      perform: (call) => desk.patch(call),
    }),
    method({
      id: 'events.update',
      http: 'PUT',
      path: `${events}/{eventId}`,
      scopes: writeScopes,
      query: { ...sends, ...versions, alwaysIncludeEmail: 'bool' },
      body: eventShape,
      answer: eventShape,
      perform: (call) => desk.update(call),
    }),
    method({
      id: 'events.delete',
      http: 'DELETE',
      path: `${events}/{eventId}`,
      scopes: writeScopes,
      query: sends,
      perform: (call) => desk.delete(call),
    }),
    method({
      id: 'events.move',
      http: 'POST',
      path: `${events}/{eventId}/move`,
      scopes: writeScopes,
      query: { ...sends, destination: 'string' },
      answer: eventShape,
      perform: (call) => desk.move(call),
    }),
    method({
      id: 'events.instances',
      http: 'GET',
      path: `${events}/{eventId}/instances`,
      scopes: readScopes,
      query: { ...window, alwaysIncludeEmail: 'bool', maxAttendees: 'int', originalStart: 'string' },
      answer: eventsShape,
      perform: (call) => listing.instances(call),
    }),
    method({
      id: 'events.watch',
      http: 'POST',
      path: `${events}/watch`,
      scopes: readScopes,
      query: listQuery,
      body: channelShape,
      perform: (call) => channels.watch(call),
    }),
    method({
      id: 'channels.stop',
      http: 'POST',
      path: 'calendar/v3/channels/stop',
      scopes: readScopes,
      query: {},
      body: channelShape,
      perform: (call) => channels.stop(call),
    }),
    method({
      id: 'calendars.get',
      http: 'GET',
      path: 'calendar/v3/calendars/{calendarId}',
      scopes: calendarScopes,
      query: {},
      perform: (call) => lists.calendar(call),
    }),
    method({
      id: 'calendarList.list',
      http: 'GET',
      path: entries,
      scopes: listScopes,
      query: {
        maxResults: 'int',
        minAccessRole: 'string',
        pageToken: 'string',
        showDeleted: 'bool',
        showHidden: 'bool',
        showOwnOrganizationOnly: 'bool',
        syncToken: 'string',
      },
      perform: (call) => lists.list(call),
    }),
    method({
      id: 'calendarList.get',
      http: 'GET',
      path: `${entries}/{calendarId}`,
      scopes: listScopes,
      query: {},
      perform: (call) => lists.get(call),
    }),
    method({
      id: 'calendarList.insert',
      http: 'POST',
      path: entries,
      scopes: listWriteScopes,
      query: { colorRgbFormat: 'bool' },
      body: calendarListEntryShape,
      perform: (call) => lists.insert(call),
    }),
    method({
      id: 'calendarList.delete',
      http: 'DELETE',
      path: `${entries}/{calendarId}`,
      scopes: listWriteScopes,
      query: {},
      perform: (call) => lists.delete(call),
    }),
    method({
      id: 'colors.get',
      http: 'GET',
      path: 'calendar/v3/colors',
      scopes: listScopes,
      query: {},
      perform: () => lists.colors(),
    }),
    ...unknownMethods.map(([id, http, path]) =>
      method({
        id,
        http,
        path: `calendar/v3/${path}`,
        scopes: ['calendar'],
        query: {},
        body: any,
        perform: (call) => refuse(id, call),
      }),
    ),
  ];
}

/** Known to Google, not to the sandbox: refused with 501 rather than 404. */
const unknownMethods: [string, Method['http'], string][] = [
  ['events.import', 'POST', 'calendars/{calendarId}/events/import'],
  ['events.quickAdd', 'POST', 'calendars/{calendarId}/events/quickAdd'],
  ['freebusy.query', 'POST', 'freeBusy'],
  ['calendars.insert', 'POST', 'calendars'],
  ['calendars.patch', 'PATCH', 'calendars/{calendarId}'],
  ['calendars.update', 'PUT', 'calendars/{calendarId}'],
  ['calendars.delete', 'DELETE', 'calendars/{calendarId}'],
  ['calendars.clear', 'POST', 'calendars/{calendarId}/clear'],
  ['acl.list', 'GET', 'calendars/{calendarId}/acl'],
  ['acl.insert', 'POST', 'calendars/{calendarId}/acl'],
  ['settings.list', 'GET', 'users/me/settings'],
];

function refuse(id: string, call: Call): never {
  if (call.path['calendarId'] === '')
    throw calendarRefusal(404, { reason: 'notFound', message: 'Not Found' });
  throw notInSandbox(id);
}
