// The expected and the actual look of an event. The expectation is plain TypeScript on the platform's data, without a template
// engine: it repeats what the demo's mapping means.
import { type CompanyNames, isBlock, texts, type Wire, wireText } from './company.ts';
import { judgedTime } from './local-time.ts';

export interface EventPicture {
  readonly title: string;
  readonly description: string;
  readonly place: string;
  /** Epoch milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly zone: string;
  /** `confirmed` or `tentative`. */
  readonly state: string;
  /** Google's colorId. Empty: the mapping sets no colour, so people may have set one. */
  readonly colour: string;
  /** Number of guests. The worker invites no guests, so Google mails no one. */
  readonly guests: number;
}

/** The statuses that the mapping takes into calendars, with Google's colorId (banana, sage, graphite, tomato). */
const COLOURS: Readonly<Record<string, string>> = {
  pending: '5',
  confirmed: '',
  arrived: '2',
  completed: '8',
  no_show: '11',
};

/** The calendars that must show an appointment, and the expected event. Empty for a cancelled appointment and for a block. */
export function expectedEvents(appointment: Wire, names: CompanyNames): ReadonlyMap<string, EventPicture> {
  const status = wireText(appointment['status']);
  const colour = COLOURS[status];
  if (colour === undefined || isBlock(appointment)) return new Map();
  const zone = wireText(appointment['timezone']);
  const picture: EventPicture = {
    title: titleOf(appointment),
    description: descriptionOf(appointment),
    place: names.branches.get(wireText(appointment['branch_id'])) ?? '',
    start: Date.parse(wireText(appointment['starts_at'])),
    end: Date.parse(wireText(appointment['ends_at'])),
    zone,
    state: status === 'pending' ? 'tentative' : 'confirmed',
    colour,
    guests: 0,
  };
  const calendars = [
    ...texts(appointment['resource_ids']).map((id) => names.calendars.get(id)),
    names.teams.get(wireText(appointment['service_id'])),
  ];
  return new Map(calendars.flatMap((id) => (id === undefined ? [] : [[id, picture] as const])));
}

/** Whether the mapping leaves the event's colour to people. */
export function isColourPeoples(appointment: Wire): boolean {
  return COLOURS[wireText(appointment['status'])] === '';
}

const MAPPED_COLOURS = new Set(Object.values(COLOURS).filter((colour) => colour !== ''));
/** The worker's message to people follows this line, until the appointment changes. */
const NOTE = /\n\n──────────\n[\s\S]+$/;

/** Google's event without the worker's messages and people's own colours. */
export function pictureOf(event: Wire): EventPicture {
  const start = part(event['start']);
  const end = part(event['end']);
  return {
    title: wireText(event['summary']),
    description: wireText(event['description']).replace(NOTE, ''),
    place: wireText(event['location']),
    start: Date.parse(wireText(start['dateTime'])),
    end: Date.parse(wireText(end['dateTime'])),
    zone: wireText(start['timeZone']),
    state: wireText(event['status']),
    colour: MAPPED_COLOURS.has(wireText(event['colorId'])) ? wireText(event['colorId']) : '',
    guests: Array.isArray(event['attendees']) ? event['attendees'].length : 0,
  };
}

/** The appointment id in the visible text of an event, if any. */
export function appointmentShown(event: Wire): string | undefined {
  return /^Booking ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/m.exec(wireText(event['description']))?.[1];
}

/** Names of the fields in which two pictures differ. */
export function differingParts(expected: EventPicture, found: EventPicture): string[] {
  const parts = Object.keys(expected) as (keyof EventPicture)[];
  return parts.filter((name) => !Object.is(expected[name], found[name]));
}

function titleOf(appointment: Wire): string {
  const customer = wireText(appointment['customer_name']) || 'guest';
  const mark = appointment['status'] === 'pending' ? ' (waiting list)' : '';
  return `${wireText(appointment['service_name'])}, ${customer}${mark}`;
}

function descriptionOf(appointment: Wire): string {
  const zone = wireText(appointment['timezone']);
  const from = judgedTime(appointment['starts_at'], zone);
  const to = judgedTime(appointment['ends_at'], zone);
  const price = appointment['price_amount'];
  const comment = asHtml(wireText(appointment['comment']));
  return [
    `${from.dottedDate} ${from.time}-${to.time}`,
    `Phone: ${wireText(appointment['customer_phone']) || 'none'}`,
    ...(comment === '' ? [] : [`Note: ${comment}`]),
    `Price: ${typeof price === 'number' ? price / 100 : ''} ${wireText(appointment['price_currency'])}`,
    `Booking ${wireText(appointment['id'])}`,
  ].join('\n');
}

/** Google shows descriptions as HTML, so text typed by customers must be escaped to read the same. */
export function asHtml(typed: string): string {
  return typed.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function part(value: unknown): Wire {
  return typeof value === 'object' && value !== null ? (value as Wire) : {};
}
