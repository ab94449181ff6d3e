// A calendar program with one calendar on a CalDAV server: it reads an object, changes it and stores it, if it has not changed meanwhile.
import ICAL from 'ical.js';
import { type Wire, wireText } from '../judge/company.ts';
import type { CaldavColleague } from './calendar.ts';
import { componentsIn, eventOf } from './read-event.ts';

/** An event, and the object that holds it. */
export interface Shown {
  readonly address: string;
  readonly etag: string;
  readonly root: ICAL.Component;
  readonly component: ICAL.Component;
  /** In Google's form. */
  readonly event: Wire;
}

export class PhoneCalendar {
  readonly #colleague: CaldavColleague;

  constructor(colleague: CaldavColleague) {
    this.#colleague = colleague;
  }

  /** Names of all objects. */
  names(): readonly string[] {
    return this.#colleague.names();
  }

  /** Undefined once it is gone. */
  async open(name: string): Promise<Shown | undefined> {
    const address = `${this.#colleague.phoneCalendar}${encodeURIComponent(name)}`;
    const { status, headers, text } = await this.#colleague.phone.get(address);
    if (status !== 200) return undefined;
    const root = ICAL.Component.fromString(text);
    const [component] = componentsIn(root);
    if (component === undefined) return undefined;
    return { address, etag: headers.get('etag') ?? '', root, component, event: eventOf(component) };
  }

  /** False if the event has changed meanwhile or is gone: then nothing is stored. */
  async store({ address, etag, root, component }: Shown): Promise<boolean> {
    component.updatePropertyWithValue('last-modified', ICAL.Time.fromJSDate(new Date(), true));
    const { status } = await this.#colleague.phone.put(address, root.toString(), { 'if-match': etag });
    return this.#told(address, status);
  }

  /** False if the event has changed meanwhile or is gone. */
  async remove({ address, etag }: Shown): Promise<boolean> {
    const { status } = await this.#colleague.phone.remove(address, { 'if-match': etag });
    return this.#told(address, status);
  }

  /** Stores a new object under the UID of its event. */
  async add(root: ICAL.Component): Promise<void> {
    const [event = {}] = componentsIn(root).map(eventOf);
    const address = `${this.#colleague.phoneCalendar}${encodeURIComponent(wireText(event['id']))}.ics`;
    const { status } = await this.#colleague.phone.put(address, root.toString(), { 'if-none-match': '*' });
    if (!this.#told(address, status)) throw new Error(`a new event of a phone was answered ${status}`);
  }

  #told(address: string, status: number): boolean {
    if (status === 412 || status === 404) return false;
    if (status < 200 || status > 299) throw new Error(`a change of a phone was answered ${status}`);
    this.#colleague.written(address);
    return true;
  }
}

/** Moves the named sides, `dtstart` and `dtend`, on the clock of the event. */
export function shift({ component }: Shown, names: readonly string[], seconds: number): void {
  for (const name of names) {
    const property = component.getFirstProperty(name);
    const value = property?.getFirstValue();
    if (property === null || !(value instanceof ICAL.Time)) continue;
    value.addDuration(ICAL.Duration.fromSeconds(seconds));
    property.setValue(value);
  }
}

/** Moves the event to a moment; its length stays. `start`: RFC 3339 in UTC. */
export function setStart(shown: Shown, start: string): void {
  const { startDate } = new ICAL.Event(shown.component);
  shift(shown, ['dtstart', 'dtend'], (Date.parse(start) - startDate.toJSDate().getTime()) / 1_000);
}

export function addAlarm({ component }: Shown, minutes: number): void {
  const lines = [
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:Soon',
    `TRIGGER:-PT${minutes}M`,
    'END:VALARM',
  ];
  component.addSubcomponent(ICAL.Component.fromString(lines.join('\r\n')));
}

/** An event that has nothing to do with the worker. `start`: RFC 3339 in UTC. */
export function ownObject(
  uid: string,
  { start, summary }: { readonly start: string; readonly summary: string },
) {
  const root = new ICAL.Component('vcalendar');
  root.addPropertyWithValue('version', '2.0');
  root.addPropertyWithValue('prodid', '-//phone//of a colleague//EN');
  const event = new ICAL.Component('vevent');
  root.addSubcomponent(event);
  const from = ICAL.Time.fromJSDate(new Date(start), true);
  const to = from.clone();
  to.adjust(0, 1, 0, 0);
  for (const [name, value] of Object.entries({ dtstamp: from, dtstart: from, dtend: to, uid, summary }))
    event.addPropertyWithValue(name, value);
  return root;
}
