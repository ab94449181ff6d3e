import type { z } from 'zod';
import { KIND_SECTIONS } from '../calendar-kinds.ts';
import { explained } from '../kinds/reading.ts';
import { ENTRY_NAME, entries, section } from '../kinds/section.ts';
import { alertsSection } from './alerts.ts';
import { blockSchema } from './blocks.ts';
import { bookingSchema } from './booking.ts';
import { consoleSection } from './console.ts';
import { feedSchema } from './feed.ts';
import { googleSection } from './google.ts';
import { mirrorSchema } from './mirror.ts';
import { platformSection } from './platform.ts';
import { privacySection } from './privacy.ts';
import { redisSection } from './redis.ts';
import { httpSection, logSection, workerSection } from './worker.ts';

const MIRRORS_MAX = 200;
const BOOKINGS_MAX = 200;
const FEEDS_MAX = 200;
const BLOCKS_MAX = 50;

/** The file as written: snake_case, units in the values. The file of each section converts it to its part of `Config`. */
export const configSchema = section({
  platform: platformSection.describe('Access to the platform.'),
  google: googleSection.prefault({}).describe('Access to Google.'),
  ...KIND_SECTIONS,
  redis: redisSection.prefault({}).describe('Where the worker stores its state. All of it can be rebuilt.'),
  http: httpSection
    .prefault({})
    .describe("The worker's HTTP server: webhooks, /healthz, /readyz, /metrics, /status."),
  worker: workerSection.prefault({}).describe('How the worker processes objects and writes texts.'),
  log: logSection.prefault({}).describe('Log lines on standard output.'),
  alerts: explained(
    alertsSection.prefault({}),
    'When an alert is sent. Each alert is sent once when raised and once when cleared, however many workers run. Every alert is also logged (`alert raised`, `alert cleared`) and in /metrics.',
    { since: '0.2.0' },
  ),
  console: explained(consoleSection.prefault({}), 'The web console at /console.', { since: '0.3.0' }),
  privacy: explained(privacySection.prefault({}), 'What the worker stores about people, and for how long.', {
    since: '0.3.0',
  }),
  mirrors: entries(mirrorSchema, {
    noun: 'mirror',
    example: 'contacts: { from: contacts, sheet: …, columns: … }',
    max: MIRRORS_MAX,
    names: ENTRY_NAME,
  }).describe(
    'What is mirrored to where: each mirror has a name of your choice, and either calendars and event, or sheet and columns. Renaming a mirror changes no event or row.',
  ),
  bookings: explained(
    entries(bookingSchema, {
      noun: 'booking',
      example: 'walk-ins: { from: { calendar: … }, when: { title: "#book *" }, service: … }',
      max: BOOKINGS_MAX,
      names: ENTRY_NAME,
    }).optional(),
    'Bookings that people enter in a calendar or a sheet, and that the worker sends to the platform. Each entry has a name of your choice. Needs the rights appointments:write, and contacts:write where customers are created.',
    { since: '0.2.0' },
  ),
  feeds: entries(feedSchema, {
    noun: 'feed',
    example: 'anna: { resource: Anna Petrova, event: { title: "{{ service_name }}" } }',
    max: FEEDS_MAX,
    names: ENTRY_NAME,
  })
    .optional()
    .describe(
      'iCalendar files under secret addresses, for people without Google Calendar. `slotbridge feeds link` creates an address.',
    ),
  blocks: explained(
    entries(blockSchema, {
      noun: 'entry',
      example: 'private-time: { service: Busy, contact: …, people: …, hours: … }',
      max: BLOCKS_MAX,
      names: ENTRY_NAME,
    }).optional(),
    'Private events that make the time of staff unbookable on the platform. Each entry has a name of your choice. Needs the right appointments:write.',
    { since: '0.3.0' },
  ),
});

export type WrittenConfig = z.output<typeof configSchema>;
