// What people do in Google Calendar, by name of whose booking it is. Each hand writes into the ledger what may follow from it.
import { APPOINTMENT_MARK } from '../../../src/engine/event-texts.ts';
import { type Deed, PEOPLE } from './act.ts';
import { type EventAt, newSubject, pictureOf, Skipped, type Subject, type Wire } from './ledger.ts';
import { CALENDARS } from './names.ts';
import type { Stage } from './stage.ts';
import { appointmentOf, newPhone, spoken } from './subjects.ts';

type DeedOf<Name extends Deed['do']> = Extract<Deed, { do: Name }>;
type Hands<Names extends Deed['do']> = {
  readonly [Name in Names]: (stage: Stage, deed: DeedOf<Name>) => void;
};

const EVENT_MS = 45 * 60_000;
const STRANGER = 'stranger@elsewhere.example';

export const calendarHands: Hands<
  | 'drag'
  | 'hand-over'
  | 'copy-event'
  | 'delete-event'
  | 'restore-event'
  | 'retitle'
  | 'all-day'
  | 'recolour'
  | 'remind'
  | 'own-event'
  | 'drop'
  | 'invite'
  | 'unshare-calendar'
  | 'share-calendar'
> = {
  drag(stage, { who, slot, inRoom, inTeam }) {
    const subject = stage.ledger.subject(who);
    const { at } = find(stage, subject, { inRoom, inTeam });
    const start = stage.hour(slot);
    stage.google.staff.calendar.move({ ...at, start });
    const side = inTeam ? 'team' : 'people';
    if (subject.draggedIn !== undefined && subject.draggedIn !== side) subject.isDragLost = true;
    subject.draggedIn = side;
    // By the rules of whose event it is, wherever somebody has taken it to.
    if (movedIn(stage, isOfTeam(stage, subject, at.eventId)) === 'reschedule' || !isBooked(stage, subject))
      subject.wishes.push({ by: 'calendar', start });
  },

  'hand-over'(stage, { who, to, inRoom, inTeam }) {
    const subject = stage.ledger.subject(who);
    const { at } = find(stage, subject, { inRoom, inTeam });
    const calendarId = CALENDARS[to];
    if (calendarId === at.calendarId) throw new Skipped('it stands there already');
    const isPlain = !isBooked(stage, subject);
    stage.google.staff.calendar.moveToCalendar({ ...at, to: calendarId });
    subject.own = {};
    // It goes back as the appointment is.
    if (to === 'team' || inTeam === true) subject.isDragLost = true;
    if (to === 'team') return;
    if (to === 'home') {
      // To whoever does not see that calendar it is a deletion (docs/staff-edits.md).
      if (inRoom !== true && !isOfTeam(stage, subject, at.eventId)) deleted(stage, subject);
      keep(stage, { calendarId, eventId: at.eventId }, { name: subject.name, kind: 'taken home' });
      return;
    }
    // The room is nobody's to hand a booking to: what was dragged and not carried yet goes back with it.
    if (to === 'room') {
      subject.isInRoom = true;
      const start = subject.wishes.findLast(
        ({ by, start }) => by === 'calendar' && start !== undefined,
      )?.start;
      const standing = String(appointmentOf(stage, subject)?.['starts_at']);
      if (start !== undefined && Date.parse(start) !== Date.parse(standing)) subject.isDragLost = true;
    }
    if (to === 'room' || (inRoom === true && subject.isInRoom !== true)) return;
    if (movedIn(stage, isOfTeam(stage, subject, at.eventId)) === 'reschedule' || isPlain)
      subject.wishes.push({ by: 'calendar', resource: stage.ids.people[to] });
  },

  'copy-event'(stage, { who }) {
    const subject = stage.ledger.subject(who);
    const { at, event } = find(stage, subject);
    // Before it is booked, a copy is a booking of its own.
    if (!isMarked(event)) throw new Skipped('it is not booked yet');
    const copy = stage.google.staff.calendar.duplicate(at);
    keep(stage, { calendarId: at.calendarId, eventId: String(copy['id']) }, { name: who, kind: 'copy' });
  },

  'delete-event'(stage, { who, inRoom, inTeam }) {
    const subject = stage.ledger.subject(who);
    const { at } = find(stage, subject, { inRoom, inTeam });
    stage.google.staff.calendar.remove(at);
    subject.own = {};
    // It only shows the appointment there: its absence asks for nothing.
    if (inTeam === true && isOfTeam(stage, subject, at.eventId)) subject.isDragLost = true;
    // The room's own only shows the appointment; a person's that was taken there is deleted.
    else if (inRoom !== true || (subject.isInRoom === true && !stands(stage, subject)))
      deleted(stage, subject);
  },

  'restore-event'(stage, { who }) {
    const subject = stage.ledger.subject(who);
    const gone = Object.values(CALENDARS).flatMap((calendarId) =>
      idsOf(stage, subject)
        .map((eventId) => ({ calendarId, eventId }))
        .filter((at) => stage.google.truth.event(at.calendarId, at.eventId)?.['status'] === 'cancelled'),
    )[0];
    if (gone === undefined || stands(stage, subject)) throw new Skipped('it is in no bin');
    stage.google.staff.calendar.restore(gone);
    subject.isRestored = true;
    // Brought back where a colleague's calendar had it, it may count as handed over.
    const resource = [...stage.company.calendars].find(
      ([, calendarId]) => calendarId === gone.calendarId,
    )?.[0];
    if (resource !== undefined) subject.wishes.push({ by: 'calendar', resource });
    const event = stage.google.truth.event(gone.calendarId, gone.eventId) as Wire | undefined;
    const start = (event?.['start'] as Wire | undefined)?.['dateTime'];
    if (start !== undefined) subject.wishes.push({ by: 'calendar', start: String(start) });
  },

  retitle(stage, { who, inTeam }) {
    const { at, event } = find(stage, stage.ledger.subject(who), { inTeam });
    if (!isMarked(event)) throw new Skipped('it is not booked yet');
    stage.google.staff.calendar.retitle({ ...at, summary: 'Lunch?' });
  },

  'all-day'(stage, { who, inTeam }) {
    const subject = stage.ledger.subject(who);
    const { at, event } = find(stage, subject, { inTeam });
    const start = (event['start'] as Wire)['dateTime'];
    if (!isMarked(event) || start === undefined) throw new Skipped('it is not booked yet');
    stage.google.staff.calendar.makeAllDay({ ...at, date: String(start).slice(0, 10) });
    subject.isDragLost = true;
  },

  recolour(stage, { who, color, inTeam }) {
    const subject = stage.ledger.subject(who);
    const { at, event } = find(stage, subject, { inTeam });
    if (!isMarked(event)) throw new Skipped('it is not booked yet');
    stage.google.staff.calendar.recolour({ ...at, colorId: color });
    subject.own = { ...ownAt(subject, at), at, color };
  },

  remind(stage, { who, minutes, inTeam }) {
    const subject = stage.ledger.subject(who);
    const { at, event } = find(stage, subject, { inTeam });
    const overrides = (event['reminders'] as Wire | undefined)?.['overrides'];
    if (Array.isArray(overrides) && overrides.length >= REMINDERS_MAX)
      throw new Skipped('it has five reminders');
    stage.google.staff.calendar.addReminder({ ...at, minutes });
    const own = ownAt(subject, at);
    subject.own = { ...own, at, minutes: [...(own.minutes ?? []), minutes] };
  },

  'own-event'(stage, { as, in: place, slot }) {
    const event = stage.google.staff.calendar.add({
      calendarId: CALENDARS[place],
      event: { summary: 'Dentist', ...times(stage.hour(slot)) },
    });
    keep(stage, { calendarId: CALENDARS[place], eventId: String(event['id']) }, { name: as, kind: 'own' });
  },

  drop(stage, { as, in: place, slot, onto }) {
    const phone = newPhone(as);
    const start = startOf(stage, slot, onto);
    const event = stage.google.staff.calendar.add({
      calendarId: CALENDARS[place],
      event: { summary: '#book Haircut', description: spoken(phone), ...times(start) },
    });
    stage.ledger.add(
      newSubject(
        { name: as, origin: 'calendar', phone, eventId: String(event['id']), isClash: onto !== undefined },
        { by: 'calendar', start, resource: stage.ids.people[place] },
      ),
    );
  },

  invite(stage, { as, in: place, slot, asBooking, editable, phoneOf }) {
    const known = phoneOf === undefined ? undefined : stage.ledger.subjects.get(phoneOf)?.phone;
    const phone = known ?? newPhone(as);
    const calendarId = CALENDARS[place];
    const event = stage.google.staff.calendar.add({
      ...{ calendarId, by: STRANGER, organizer: { email: STRANGER } },
      event: {
        summary: asBooking ? '#book Haircut' : 'A word with you',
        description: spoken(phone),
        ...times(stage.hour(slot)),
        attendees: [{ email: STRANGER, responseStatus: 'accepted' }, { email: calendarId }],
        ...(editable && { guestsCanModify: true }),
      },
    });
    stage.ledger.strangers.set(as, stage.hour(slot));
    keep(stage, { calendarId, eventId: String(event['id']) }, { name: as, kind: 'invitation' });
  },

  'unshare-calendar'(stage, { in: place }) {
    stage.google.revokeAccess(CALENDARS[place]);
  },

  'share-calendar'(stage, { in: place }) {
    stage.google.grantAccess(CALENDARS[place]);
  },
};

const REMINDERS_MAX = 5;

/** What becomes of moves in the calendar of the team, or in the others. */
export function movedIn({ settings: { edits, team } }: Stage, isOfTeam: boolean): 'reschedule' | 'revert' {
  return isOfTeam && team?.isOwn === true ? team.moved : edits.moved;
}

/** The hour of an act, or the one that another booking has. */
export function startOf(stage: Stage, slot: number, onto: string | undefined): string {
  const taken = onto === undefined ? undefined : stage.ledger.subjects.get(onto);
  const appointment = taken && appointmentOf(stage, taken);
  return appointment === undefined ? stage.hour(slot) : String(appointment['starts_at']);
}

function times(start: string) {
  return {
    start: { dateTime: start },
    end: { dateTime: new Date(Date.parse(start) + EVENT_MS).toISOString() },
  };
}

export function deleted(stage: Stage, subject: Subject): void {
  subject.isDragLost = true;
  if (stage.settings.edits.deleted === 'cancel') subject.cancels.push('calendar');
  if (subject.origin === 'calendar' && !isBooked(stage, subject)) subject.isTakenBack = true;
}

export function isBooked(stage: Stage, subject: Subject): boolean {
  return appointmentOf(stage, subject) !== undefined;
}

function isMarked(event: Wire): boolean {
  const { private: marks } = (event['extendedProperties'] ?? {}) as { readonly private?: Wire };
  return marks?.[APPOINTMENT_MARK] !== undefined;
}

/** What people set in another event than this one is gone with that. */
function ownAt({ own }: Subject, at: EventAt): Subject['own'] {
  return own.at?.calendarId === at.calendarId && own.at.eventId === at.eventId ? own : {};
}

function keep(
  stage: Stage,
  at: EventAt,
  { name, kind }: { readonly name: string; readonly kind: 'own' | 'copy' | 'invitation' | 'taken home' },
): void {
  const event = stage.google.truth.event(at.calendarId, at.eventId);
  if (event !== undefined) stage.ledger.peoples.push({ ...at, name, kind, picture: pictureOf(event) });
}

function idsOf(stage: Stage, subject: Subject): readonly string[] {
  const appointment = appointmentOf(stage, subject);
  const derived = appointment === undefined ? [] : [`sb${String(appointment['id']).replaceAll('-', '')}`];
  return [...(subject.eventId === undefined ? [] : [subject.eventId]), ...derived];
}

/** Id of its event in the calendar on a CalDAV server; undefined if none stands there. */
export function galinasEvent(stage: Stage, subject: Subject): string | undefined {
  const copies = new Set(stage.ledger.peoples.map(({ eventId }) => eventId));
  const stems = idsOf(stage, subject);
  const ids = (stage.galina?.events() ?? []).map(({ id }) => String(id));
  return ids.find((id) => !copies.has(id) && stems.some((stem) => id.startsWith(stem)));
}

function stands(stage: Stage, subject: Subject): boolean {
  if (galinasEvent(stage, subject) !== undefined) return true;
  try {
    find(stage, subject);
    return true;
  } catch {
    return false;
  }
}

/** Made for the calendar of the team: wherever it stands, it is not the event of a person. */
function isOfTeam(stage: Stage, subject: Subject, eventId: string): boolean {
  return idsOf(stage, subject).some((stem) => rest(eventId, stem).startsWith('t'));
}

/** What an id says behind its beginning: of a team's event its calendar, and the generation. */
function rest(eventId: string, stem: string): string {
  return eventId.startsWith(stem) ? eventId.slice(stem.length) : '';
}

/** Where its event stands now: with a person, in the room, or with the team. */
function find(
  stage: Stage,
  subject: Subject,
  { inRoom = false, inTeam = false }: { inRoom?: boolean | undefined; inTeam?: boolean | undefined } = {},
): { readonly at: EventAt; readonly event: Wire } {
  const stems = idsOf(stage, subject);
  const copies = new Set(stage.ledger.peoples.map(({ calendarId, eventId }) => `${calendarId} ${eventId}`));
  const places: readonly (keyof typeof CALENDARS)[] = inTeam ? ['team'] : inRoom ? ['room'] : PEOPLE;
  for (const place of places) {
    const calendarId = CALENDARS[place];
    for (const event of stage.google.truth.events(calendarId) as readonly Wire[]) {
      const eventId = String(event['id']);
      if (copies.has(`${calendarId} ${eventId}`)) continue;
      if (stems.some((stem) => eventId === stem || /^[gt]/.test(rest(eventId, stem))))
        return { at: { calendarId, eventId }, event };
    }
  }
  throw new Skipped('its event stands nowhere');
}
