// What Galina does on her phone, in a calendar on a CalDAV server: each hand reads an event there, changes it and stores it over HTTP.
import { randomUUID } from 'node:crypto';
import { addAlarm, ownObject, type Shown, setStart } from '../demo/caldav/phone-calendar.ts';
import type { Deed } from './act.ts';
import { deleted, galinasEvent, isBooked, movedIn } from './calendar-hands.ts';
import { pictureOf, Skipped, type Subject } from './ledger.ts';
import type { Stage } from './stage.ts';

type DeedOf<Name extends Deed['do']> = Extract<Deed, { do: Name }>;
type Hands<Names extends Deed['do']> = {
  readonly [Name in Names]: (stage: Stage, deed: DeedOf<Name>) => Promise<void>;
};
type Phone = NonNullable<Stage['galina']>;

export const phoneHands: Hands<
  | 'phone-drag'
  | 'phone-delete'
  | 'phone-retitle'
  | 'phone-recolour'
  | 'phone-remind'
  | 'phone-copy'
  | 'phone-own'
> = {
  'phone-drag': (stage, { who, slot }) =>
    change(stage, who, (shown, subject) => {
      const start = stage.hour(slot);
      setStart(shown, start);
      return () => {
        if (movedIn(stage, false) === 'reschedule' || !isBooked(stage, subject))
          subject.wishes.push({ by: 'calendar', start });
      };
    }),

  'phone-delete': (stage, { who }) =>
    onPhone(stage, async ({ calendar }) => {
      const subject = stage.ledger.subject(who);
      if (!(await calendar.remove(await open(stage, subject)))) throw new Skipped('it has changed meanwhile');
      subject.own = {};
      deleted(stage, subject);
    }),

  'phone-retitle': (stage, { who }) =>
    change(stage, who, ({ component }) => {
      component.updatePropertyWithValue('summary', 'Lunch?');
      return () => undefined;
    }),

  'phone-recolour': (stage, { who }) =>
    change(stage, who, ({ component, event }, subject, { calendarId }) => {
      component.updatePropertyWithValue('color', 'darkorchid');
      const at = { calendarId, eventId: String(event['id']) };
      return () => {
        subject.own = { ...ownAt(subject, at), at, color: '3' };
      };
    }),

  'phone-remind': (stage, { who, minutes }) =>
    change(stage, who, (shown, subject, { calendarId }) => {
      addAlarm(shown, minutes);
      const at = { calendarId, eventId: String(shown.event['id']) };
      return () => {
        const own = ownAt(subject, at);
        subject.own = { ...own, at, minutes: [...(own.minutes ?? []), minutes] };
      };
    }),

  'phone-copy': (stage, { who }) =>
    onPhone(stage, async (phone) => {
      const { root, component } = await open(stage, stage.ledger.subject(who));
      const uid = randomUUID();
      component.updatePropertyWithValue('uid', uid);
      await phone.calendar.add(root);
      keep(stage, phone, { uid, name: who, kind: 'copy' });
    }),

  'phone-own': (stage, { as, slot }) =>
    onPhone(stage, async (phone) => {
      const uid = randomUUID();
      await phone.calendar.add(ownObject(uid, { start: stage.hour(slot), summary: 'Dentist' }));
      keep(stage, phone, { uid, name: as, kind: 'own' });
    }),
};

/** One hand after the other. */
function onPhone(stage: Stage, work: (phone: Phone) => Promise<void>): Promise<void> {
  const { galina, phone } = stage;
  if (galina === undefined) throw new Skipped('no radicale can be run here');
  const done = phone.turn.then(() => work(galina));
  phone.turn = done.catch(() => undefined);
  return done;
}

/** `edit` changes the event, and returns what follows once that is stored. */
function change(
  stage: Stage,
  who: string,
  edit: (shown: Shown, subject: Subject, phone: Phone) => () => void,
): Promise<void> {
  return onPhone(stage, async (phone) => {
    const subject = stage.ledger.subject(who);
    const shown = await open(stage, subject);
    const follow = edit(shown, subject, phone);
    if (!(await phone.calendar.store(shown))) throw new Skipped('it has changed meanwhile');
    follow();
  });
}

async function open(stage: Stage, subject: Subject): Promise<Shown> {
  const eventId = galinasEvent(stage, subject);
  for (const name of eventId === undefined ? [] : (stage.galina?.calendar.names() ?? [])) {
    const shown = await stage.galina?.calendar.open(name);
    if (shown !== undefined && shown.event['id'] === eventId) return shown;
  }
  throw new Skipped('its event does not stand with Galina');
}

function keep(
  stage: Stage,
  { calendarId, events }: Phone,
  { uid, name, kind }: { readonly uid: string; readonly name: string; readonly kind: 'own' | 'copy' },
): void {
  const event = events().find(({ id }) => id === uid);
  if (event !== undefined)
    stage.ledger.peoples.push({ calendarId, eventId: uid, name, kind, picture: pictureOf(event) });
}

function ownAt(
  { own }: Subject,
  at: { readonly calendarId: string; readonly eventId: string },
): Subject['own'] {
  return own.at?.calendarId === at.calendarId && own.at.eventId === at.eventId ? own : {};
}
