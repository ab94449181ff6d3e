// What the small company of a chaos run is called, and where its things stand.

export const CALENDARS = {
  anna: 'anna@clinic.example',
  boris: 'boris@clinic.example',
  vera: 'vera@clinic.example',
  room: 'room1@group.calendar.google.com',
  /** The calendar of everybody; only where the plan has one. */
  team: 'team@group.calendar.google.com',
  home: 'anna@home.example',
  /** Where no CalDAV server can be run. */
  galina: 'galina@clinic.example',
} as const;

export const BOOK = 'office-book';

export const BOOK_COLUMN = 'Booked for';

/** In their order in the tab. */
export const INTAKE_HEADERS = [
  ...(['Service', 'Start', 'With', 'Name', 'Phone', 'Ready', 'Cancel', 'Note'] as const),
  ...(['Booking', 'Status', 'Appointment', BOOK_COLUMN] as const),
] as const;
export type IntakeHeader = (typeof INTAKE_HEADERS)[number];

/** Those which the worker has only to read. */
export const PEOPLES_COLUMNS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

export interface CompanyIds {
  /** Resource and its calendar. */
  readonly calendars: ReadonlyMap<string, string>;
  /** Resource and what people call it. */
  readonly names: ReadonlyMap<string, string>;
}
