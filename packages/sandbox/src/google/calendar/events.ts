// events.get, insert, patch, update, delete, move: checks rights and preconditions before the writes.

import { isZone } from '../../zones/local.ts';
import type { Principal } from '../auth/principal.ts';
import { type JsonObject, listOf, objectOf, stringOf } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { calendarRefusal, invalidValue } from '../refusal.ts';
import { type Calendar, rank } from './calendar.ts';
import {
  cancelEvent,
  guestsOf,
  insertEvent,
  moveEvent,
  sequenceOf,
  typeRestricted,
  writeEvent,
} from './change.ts';
import { isCancelled, type StoredEvent } from './event.ts';
import { withAnswers } from './guests.ts';
import { mergePatch } from './merge.ts';
import { type CalendarOffice, notFound, type Seeing, seeingOf } from './office.ts';
import { instanceCalled } from './series.ts';
import { writableFields } from './shapes.ts';

/** Shared fields: in a guest's copy, only the organizer may change them, unless guestsCanModify is set. */
const sharedFields = [
  'summary',
  'description',
  'location',
  'start',
  'end',
  'recurrence',
  'attendees',
  'status',
  'source',
];

export class Events {
  readonly #office: CalendarOffice;

  constructor(office: CalendarOffice) {
    this.#office = office;
  }

  get(call: Call): Answer {
    const calendar = this.#office.reach(call.path['calendarId'] ?? '', call.principal);
    const event = this.#find(calendar, call);
    const zone = zoneOf(call);
    if (call.headers['if-none-match'] === event.etag) return { status: 304, etag: event.etag };
    return this.#answer(calendar, event, { ...seeingOf(calendar, call), zone });
  }

  insert(call: Call): Answer {
    const calendar = this.#office.reachToWrite(call.path['calendarId'] ?? '', call.principal);
    const fields = acceptedFields(call);
    this.#refuseGuests(call.body, call.principal);
    const iCalUID = stringOf(call.body['iCalUID']);
    const id = stringOf(call.body['id']);
    // "Only one of them should be supplied at event creation time."
    if (iCalUID !== undefined && id !== undefined)
      throw invalidValue('Only one of id and iCalUID can be supplied.');
    const event = insertEvent(this.#office, calendar, { fields, author: call.principal, id, iCalUID });
    this.#mail(call, guestsOf(event, calendar));
    return this.#answer(calendar, event, seeingOf(calendar, call));
  }

  /**
   * A private copy of an event from elsewhere, identified by its iCalUID. Importing the same iCalUID again changes
   * the copy.
   */
  import(call: Call): Answer {
    const calendar = this.#office.reachToWrite(call.path['calendarId'] ?? '', call.principal);
    const iCalUID = stringOf(call.body['iCalUID']);
    if (iCalUID === undefined)
      throw calendarRefusal(400, { reason: 'required', message: 'Missing iCalUID.' });
    if (call.body['id'] !== undefined) throw invalidValue('Only one of id and iCalUID can be supplied.');
    const fields = acceptedFields(call);
    // Google is retiring the rule "If a non-default event is imported, its type will be changed to default".
    if ((fields['eventType'] ?? 'default') !== 'default') throw typeRestricted();
    const held = calendar.all().find((event) => event.iCalUID === iCalUID);
    const event =
      held === undefined
        ? insertEvent(this.#office, calendar, {
            fields,
            author: call.principal,
            iCalUID,
            ...organizerOf(call),
          })
        : writeEvent(this.#office, calendar, { event: held, fields, sequence: sequenceOf(call.body) });
    return this.#answer(calendar, event, seeingOf(calendar, call));
  }

  patch(call: Call): Answer {
    return this.#write(call, (event) => {
      // An event that moved to another calendar left only its id, so there is nothing to merge with.
      const known = isCancelled(event) && event.isBare ? { status: 'cancelled' } : event.fields;
      return mergePatch(known, acceptedFields(call));
    });
  }

  update(call: Call): Answer {
    return this.#write(call, (event) => {
      const fields = acceptedFields(call);
      // The type cannot change. A body without a type keeps it.
      if (fields['eventType'] === undefined && event.fields['eventType'] !== undefined)
        fields['eventType'] = event.fields['eventType'];
      return fields;
    });
  }

  delete(call: Call): Answer {
    const calendar = this.#office.reachToWrite(call.path['calendarId'] ?? '', call.principal);
    const event = this.#find(calendar, call);
    if (isCancelled(event))
      throw calendarRefusal(410, { reason: 'deleted', message: 'Resource has been deleted' });
    this.#checkMatch(call, event);
    this.#checkPrivate(calendar, event, call.principal);
    const guests = guestsOf(event, calendar);
    cancelEvent(this.#office, calendar, event);
    this.#mail(call, guests);
    return { status: 204 };
  }

  move(call: Call): Answer {
    const from = this.#office.reachToWrite(call.path['calendarId'] ?? '', call.principal);
    const destination = call.query.text('destination');
    if (destination === undefined) {
      throw calendarRefusal(400, {
        reason: 'required',
        message: 'Required parameter: destination',
        locationType: 'parameter',
        location: 'destination',
      });
    }
    const to = this.#office.reachToWrite(destination, call.principal);
    const event = this.#find(from, call);
    if (isCancelled(event))
      throw calendarRefusal(410, { reason: 'deleted', message: 'Resource has been deleted' });
    if (event.recurringEventId !== undefined)
      throw invalidValue('Instances of recurring events cannot be moved.');
    const arrived = moveEvent(this.#office, from, { event, to });
    this.#mail(call, guestsOf(arrived, to));
    return this.#answer(to, arrived, seeingOf(to, call));
  }

  #write(call: Call, fieldsFor: (event: StoredEvent) => JsonObject): Answer {
    const calendar = this.#office.reachToWrite(call.path['calendarId'] ?? '', call.principal);
    const event = this.#find(calendar, call);
    this.#checkMatch(call, event);
    this.#checkPrivate(calendar, event, call.principal);
    this.#checkIdentity(call.body, event);
    this.#refuseGuests(call.body, call.principal);
    if (
      event.fields['eventType'] === 'birthday' &&
      Object.keys(acceptedFields(call)).some((name) => name !== 'summary')
    )
      throw typeRestricted();
    const fields = fieldsFor(event);
    if (call.body['attendeesOmitted'] === true)
      fields['attendees'] = withAnswers(event.fields['attendees'], call.body['attendees']);
    // Only the creator may see or change `source`. Google silently drops it from other callers.
    if (event.creator['email'] !== call.principal.email) fields['source'] = event.fields['source'];
    this.#checkOrganizer(calendar, event, fields);
    if (isCancelled(event) && this.#office.switches.reviveAnswers403)
      throw calendarRefusal(403, { reason: 'forbidden', message: 'Forbidden' });
    if (fields['status'] === 'cancelled' && !isCancelled(event)) {
      // Setting the status deletes the event; the rest of the body is ignored.
      cancelEvent(this.#office, calendar, event);
    } else {
      writeEvent(this.#office, calendar, { event, fields, sequence: sequenceOf(call.body) });
    }
    this.#mail(call, guestsOf(event, calendar));
    return this.#answer(calendar, event, seeingOf(calendar, call));
  }

  /** The event or series instance that the path names. */
  #find(calendar: Calendar, call: Call): StoredEvent {
    const id = call.path['eventId'] ?? '';
    const event = calendar.get(id) ?? instanceCalled(this.#office, calendar, id);
    if (event === undefined) throw notFound();
    return event;
  }

  #checkMatch(call: Call, event: StoredEvent): void {
    const expected = call.headers['if-match'];
    if (expected === undefined || expected === '*' || expected === event.etag) return;
    if (this.#office.switches.patchIgnoresIfMatch && call.methodId === 'events.patch') return;
    throw calendarRefusal(412, {
      reason: 'conditionNotMet',
      message: 'Precondition Failed',
      locationType: 'header',
      location: 'If-Match',
    });
  }

  #checkPrivate(calendar: Calendar, event: StoredEvent, principal: Principal): void {
    const isPrivate =
      event.fields['visibility'] === 'private' || event.fields['visibility'] === 'confidential';
    if (isPrivate && rank(calendar.roleOf(principal.email)) < rank('writer')) {
      throw calendarRefusal(403, {
        domain: 'calendar',
        reason: 'requiredAccessLevel',
        message: 'You need to have writer access to this calendar.',
      });
    }
  }

  /** Ids do not change. Google does not document a different id in the body, so the sandbox refuses it. */
  #checkIdentity(body: JsonObject, event: StoredEvent): void {
    const id = stringOf(body['id']);
    if (id !== undefined && id !== event.id) throw invalidValue('Invalid resource id value.');
    const iCalUID = stringOf(body['iCalUID']);
    if (iCalUID !== undefined && iCalUID !== event.iCalUID) throw invalidValue('Invalid iCalUID value.');
  }

  #checkOrganizer(calendar: Calendar, event: StoredEvent, fields: JsonObject): void {
    if (event.organizer['email'] === calendar.id || event.fields['guestsCanModify'] === true) return;
    const isTouched = sharedFields.some((name) => !isSame(name, event.fields[name], fields[name]));
    if (!isTouched) return;
    throw calendarRefusal(403, {
      domain: 'calendar',
      reason: 'forbiddenForNonOrganizer',
      message: 'Shared properties can only be changed by the organizer of the event.',
    });
  }

  #refuseGuests(body: JsonObject, principal: Principal): void {
    if (!principal.isServiceAccount || listOf(body['attendees']).length === 0) return;
    throw calendarRefusal(403, {
      domain: 'calendar',
      reason: 'forbiddenForServiceAccounts',
      message: 'Service accounts cannot invite attendees without Domain-Wide Delegation of Authority.',
    });
  }

  #mail(call: Call, guests: number): void {
    const updates =
      call.query.text('sendUpdates') ?? (call.query.flag('sendNotifications') === true ? 'all' : 'none');
    if (updates !== 'none') this.#office.countNotifying(guests);
  }

  #answer(calendar: Calendar, event: StoredEvent, seeing: Seeing): Answer {
    return { body: this.#office.show(calendar, event, seeing), etag: event.etag };
  }
}

/** The fields of the body that take effect: writable ones, if the call's version parameters allow them. */
function acceptedFields(call: Call): JsonObject {
  const accepted: JsonObject = {};
  for (const [name, value] of Object.entries(call.body)) if (writableFields.has(name)) accepted[name] = value;
  if (call.query.number('conferenceDataVersion') !== 1) delete accepted['conferenceData'];
  if (call.query.flag('supportsAttachments') !== true) delete accepted['attachments'];
  if (call.query.number('eventLabelVersion') === 1) delete accepted['colorId'];
  else delete accepted['eventLabelId'];
  return accepted;
}

/** An imported event keeps its organizer, who may be a stranger. */
function organizerOf(call: Call): { organizer?: JsonObject } {
  const organizer = objectOf(call.body['organizer']);
  return stringOf(organizer['email']) === undefined ? {} : { organizer };
}

function zoneOf(call: Call): string | undefined {
  const zone = call.query.text('timeZone');
  if (zone !== undefined && !isZone(zone)) throw invalidValue('Invalid time zone definition.', 'timeZone');
  return zone;
}

/** Whether a field is unchanged. Times are equal when they are the same instant, however written. */
function isSame(name: string, before: unknown, after: unknown): boolean {
  if (name !== 'start' && name !== 'end')
    return JSON.stringify(before ?? null) === JSON.stringify(after ?? null);
  const [a, b] = [objectOf(before), objectOf(after)];
  return (
    a['date'] === b['date'] &&
    Date.parse(String(a['dateTime'] ?? 0)) === Date.parse(String(b['dateTime'] ?? 0))
  );
}
