// events.* and channels.stop, with the parameters and scopes of the discovery document.
import type { Method } from '../method.ts';
import type { QueryShape } from '../request/query.ts';
import type { Channels } from './channels.ts';
import { Events } from './events.ts';
import { Listing } from './listing.ts';
import type { CalendarOffice } from './office.ts';
import { scopes } from './scopes.ts';
import { channelShape, eventShape, eventsShape } from './shapes.ts';

export const sends: QueryShape = { sendNotifications: 'bool', sendUpdates: ['all', 'externalOnly', 'none'] };
const versions: QueryShape = {
  conferenceDataVersion: ['0', '1'],
  eventLabelVersion: ['0', '1'],
  maxAttendees: 'count',
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
export const listQuery: QueryShape = {
  ...window,
  alwaysIncludeEmail: 'bool',
  eventTypes: { each: ['birthday', 'default', 'focusTime', 'fromGmail', 'outOfOffice', 'workingLocation'] },
  iCalUID: 'string',
  maxAttendees: 'count',
  orderBy: ['startTime', 'updated'],
  privateExtendedProperty: 'strings',
  q: 'string',
  sharedExtendedProperty: 'strings',
  showHiddenInvitations: 'bool',
  singleEvents: 'bool',
  syncToken: 'string',
  updatedMin: 'string',
};
const events = 'calendar/v3/calendars/{calendarId}/events';

export function eventMethods(office: CalendarOffice, channels: Channels): Method[] {
  const desk = new Events(office);
  const listing = new Listing(office);
  return [
    method({
      id: 'events.list',
      http: 'GET',
      path: events,
      scopes: scopes.readEvents,
      query: listQuery,
      answer: eventsShape,
      perform: (call) => listing.list(call),
    }),
    method({
      id: 'events.insert',
      http: 'POST',
      path: events,
      scopes: scopes.writeEvents,
      query: { ...sends, ...versions },
      body: eventShape,
      answer: eventShape,
      perform: (call) => desk.insert(call),
    }),
    method({
      id: 'events.get',
      http: 'GET',
      path: `${events}/{eventId}`,
      scopes: scopes.readEvents,
      query: { alwaysIncludeEmail: 'bool', maxAttendees: 'count', timeZone: 'string' },
      answer: eventShape,
      perform: (call) => desk.get(call),
    }),
    method({
      id: 'events.patch',
      http: 'PATCH',
      path: `${events}/{eventId}`,
      scopes: scopes.writeEvents,
      query: { ...sends, ...versions, alwaysIncludeEmail: 'bool' },
      body: eventShape,
      answer: eventShape,
      perform: (call) => desk.patch(call),
    }),
    method({
      id: 'events.update',
      http: 'PUT',
      path: `${events}/{eventId}`,
      scopes: scopes.writeEvents,
      query: { ...sends, ...versions, alwaysIncludeEmail: 'bool' },
      body: eventShape,
      answer: eventShape,
      perform: (call) => desk.update(call),
    }),
    method({
      id: 'events.delete',
      http: 'DELETE',
      path: `${events}/{eventId}`,
      scopes: scopes.writeEvents,
      query: sends,
      perform: (call) => desk.delete(call),
    }),
    method({
      id: 'events.move',
      http: 'POST',
      path: `${events}/{eventId}/move`,
      scopes: ['calendar', 'calendar.events', 'calendar.events.owned'],
      query: { ...sends, destination: 'string' },
      answer: eventShape,
      perform: (call) => desk.move(call),
    }),
    method({
      id: 'events.instances',
      http: 'GET',
      path: `${events}/{eventId}/instances`,
      scopes: scopes.readEvents,
      query: { ...window, alwaysIncludeEmail: 'bool', maxAttendees: 'count', originalStart: 'string' },
      answer: eventsShape,
      perform: (call) => listing.instances(call),
    }),
    method({
      id: 'events.watch',
      http: 'POST',
      path: `${events}/watch`,
      scopes: scopes.readEvents,
      query: listQuery,
      body: channelShape,
      perform: (call) => channels.watch(call),
    }),
    method({
      id: 'channels.stop',
      http: 'POST',
      path: 'calendar/v3/channels/stop',
      scopes: scopes.stopChannel,
      query: {},
      body: channelShape,
      perform: (call) => channels.stop(call),
    }),
    method({
      id: 'events.import',
      http: 'POST',
      path: `${events}/import`,
      scopes: scopes.writeEvents,
      query: {
        conferenceDataVersion: ['0', '1'],
        eventLabelVersion: ['0', '1'],
        supportsAttachments: 'bool',
      },
      body: eventShape,
      answer: eventShape,
      perform: (call) => desk.import(call),
    }),
  ];
}

/** A method of this service. Its HTTP verb determines the quota. */
export function method(about: Omit<Method, 'service' | 'quota'>): Method {
  return { service: 'calendar', quota: about.http === 'GET' ? 'read' : 'write', ...about };
}
