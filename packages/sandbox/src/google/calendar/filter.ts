// The query of events.list: valid combinations of parameters, and which events match.

import { isZone } from '../../zones/local.ts';
import { listOf, objectOf } from '../json.ts';
import type { Call } from '../method.ts';
import { calendarRefusal, invalidValue, notInSandbox } from '../refusal.ts';
import { isCancelled, type StoredEvent } from './event.ts';
import { parseInstant } from './moments.ts';

const pageSizeDefault = 250;
const pageSizeMax = 2500;
/** Google does not document how old `updatedMin` may be; about four weeks are reported. */
const updatedMinAgeMsMax = 28 * 86_400_000;
/** Parameters that a sync token excludes. */
const forbiddenWithToken = [
  'iCalUID',
  'privateExtendedProperty',
  'q',
  'sharedExtendedProperty',
  'timeMin',
  'timeMax',
  'updatedMin',
];
/** Parameters with which a list gives no sync token. */
const withoutToken = [
  'iCalUID',
  'orderBy',
  'privateExtendedProperty',
  'q',
  'sharedExtendedProperty',
  'updatedMin',
];
/** "All other parameters should be the same as for the initial synchronization." */
const boundToToken = ['singleEvents', 'eventTypes', 'timeZone', 'showHiddenInvitations', 'maxAttendees'];

export interface ListQuery {
  pageSize: number;
  zone: string | undefined;
  isExpanded: boolean;
  showDeleted: boolean;
  orderBy: string | undefined;
  timeMin: number | undefined;
  timeMax: number | undefined;
  updatedMin: number | undefined;
  iCalUID: string | undefined;
  text: string | undefined;
  privateProperty: { key: string; value: string } | undefined;
  sharedProperty: { key: string; value: string } | undefined;
  eventTypes: ReadonlySet<string>;
  syncToken: string | undefined;
  pageToken: string | undefined;
  givesSyncToken: boolean;
  /** The parameters that a sync token is bound to. */
  binding: string;
  /** The parameters that a page token is bound to. */
  wording: string;
}

/** Reads the query, or throws Calendar's 400 or 410. */
export function readListQuery(call: Call, now: number): ListQuery {
  const { query } = call;
  const syncToken = query.text('syncToken');
  if (syncToken !== undefined) checkBesideToken(call);
  const size = query.number('maxResults') ?? pageSizeDefault;
  if (size < 1)
    throw invalidValue(
      `Invalid value '${size}'. Values must be within the range: [1, ${pageSizeMax}]`,
      'maxResults',
    );
  const zone = query.text('timeZone');
  if (zone !== undefined && !isZone(zone)) throw invalidValue('Invalid time zone definition.', 'timeZone');
  const timeMin = instant(call, 'timeMin');
  const timeMax = instant(call, 'timeMax');
  if (timeMin !== undefined && timeMax !== undefined && timeMax <= timeMin) {
    throw calendarRefusal(400, {
      domain: 'calendar',
      reason: 'timeRangeEmpty',
      message: 'The specified time range is empty.',
      locationType: 'parameter',
      location: 'timeMax',
    });
  }
  const updatedMin = instant(call, 'updatedMin');
  if (updatedMin !== undefined && updatedMin < now - updatedMinAgeMsMax) throw updatedMinTooLongAgo();
  const isExpanded = query.flag('singleEvents') ?? false;
  const orderBy = query.text('orderBy');
  if (orderBy === 'startTime' && !isExpanded)
    throw invalidValue('The requested ordering is not available for the particular query.', 'orderBy');
  return {
    pageSize: Math.min(size, pageSizeMax),
    zone,
    isExpanded,
    showDeleted: query.flag('showDeleted') ?? false,
    orderBy,
    timeMin,
    timeMax,
    updatedMin,
    iCalUID: query.text('iCalUID'),
    text: query.text('q')?.toLowerCase(),
    privateProperty: property(call, 'privateExtendedProperty'),
    sharedProperty: property(call, 'sharedExtendedProperty'),
    eventTypes: new Set(query.texts('eventTypes')),
    syncToken,
    pageToken: query.text('pageToken'),
    givesSyncToken: !withoutToken.some((name) => query.has(name)),
    binding: wording(call, boundToToken),
    wording: wording(call, [...boundToToken, ...forbiddenWithToken, 'orderBy', 'showDeleted', 'syncToken']),
  };
}

/** Whether an event belongs in a list without a sync token. */
export function answers(event: StoredEvent, query: ListQuery): boolean {
  if (isCancelled(event) && !showsDeleted(event, query)) return false;
  if (query.timeMin !== undefined && event.endMs <= query.timeMin) return false;
  if (query.timeMax !== undefined && event.startMs >= query.timeMax) return false;
  if (query.updatedMin !== undefined && event.updatedMs < query.updatedMin) return false;
  if (query.iCalUID !== undefined && event.iCalUID !== query.iCalUID) return false;
  if (query.privateProperty !== undefined && !holds(event, 'private', query.privateProperty)) return false;
  if (query.sharedProperty !== undefined && !holds(event, 'shared', query.sharedProperty)) return false;
  if (query.text !== undefined && !mentions(event, query.text)) return false;
  return isOfType(event, query);
}

export function isOfType(event: StoredEvent, query: ListQuery): boolean {
  return query.eventTypes.size === 0 || query.eventTypes.has(String(event.fields['eventType'] ?? 'default'));
}

function showsDeleted(event: StoredEvent, query: ListQuery): boolean {
  // Cancelled exceptions of a series always show while the series is not expanded.
  return (
    query.showDeleted ||
    query.updatedMin !== undefined ||
    (event.recurringEventId !== undefined && !query.isExpanded)
  );
}

function checkBesideToken(call: Call): void {
  if (call.query.has('orderBy'))
    throw invalidValue('Sync token cannot be used with non-default ordering.', 'orderBy');
  const forbidden = forbiddenWithToken.find((name) => call.query.has(name));
  if (forbidden !== undefined || call.query.flag('showDeleted') === false) {
    throw invalidValue('Sync token cannot be used with other request restrictions.', 'syncToken');
  }
}

function instant(call: Call, name: string): number | undefined {
  const text = call.query.text(name);
  if (text === undefined) return undefined;
  const ms = parseInstant(text);
  if (ms === undefined)
    throw calendarRefusal(400, {
      reason: 'badRequest',
      message: 'Bad Request',
      locationType: 'parameter',
      location: name,
    });
  return ms;
}

function property(call: Call, name: string): { key: string; value: string } | undefined {
  const given = call.query.texts(name);
  // For several values, the reference requires all to match and the guide any, so the sandbox refuses them.
  if (given.length > 1)
    throw notInSandbox(`more than one ${name}: Google's reference and guide contradict each other`);
  const [text] = given;
  if (text === undefined) return undefined;
  const at = text.indexOf('=');
  if (at < 1) throw invalidValue(`Invalid value '${text}'.`, name);
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

function holds(
  event: StoredEvent,
  copy: 'private' | 'shared',
  wanted: { key: string; value: string },
): boolean {
  return objectOf(objectOf(event.fields['extendedProperties'])[copy])[wanted.key] === wanted.value;
}

function mentions(event: StoredEvent, text: string): boolean {
  const guests = listOf(event.fields['attendees']).flatMap((guest) => [
    objectOf(guest)['displayName'],
    objectOf(guest)['email'],
  ]);
  const places = [
    event.fields['summary'],
    event.fields['description'],
    event.fields['location'],
    event.organizer['email'],
    event.organizer['displayName'],
    ...guests,
  ];
  return places.some((place) => typeof place === 'string' && place.toLowerCase().includes(text));
}

function wording(call: Call, names: readonly string[]): string {
  return names.map((name) => `${name}=${call.query.texts(name).sort().join(',')}`).join('&');
}

function updatedMinTooLongAgo() {
  return calendarRefusal(410, {
    domain: 'calendar',
    reason: 'updatedMinTooLongAgo',
    message: 'The requested minimum modification time lies too far in the past.',
    locationType: 'parameter',
    location: 'updatedMin',
  });
}
