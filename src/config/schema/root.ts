import type { z } from 'zod';
import { entries } from '../kinds/entries.ts';
import { explained } from '../kinds/explained.ts';
import { section } from '../kinds/section.ts';
import { alertsSection } from './alerts.ts';
import { blockSchema } from './blocks.ts';
import { bookingSchema } from './booking.ts';
import { consoleSection } from './console.ts';
import { feedSchema } from './feed.ts';
import { googleSection } from './google.ts';
import { MIRROR_NAME, mirrorSchema } from './mirror.ts';
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
  platform: platformSection.describe('The platform on which bookings are made.'),
  google: googleSection.prefault({}).describe('How Google is reached.'),
  redis: redisSection.prefault({}).describe('Where the worker keeps its state. All of it can be rebuilt.'),
  http: httpSection
    .prefault({})
    .describe('The HTTP server of the worker: webhooks, /healthz, /readyz, /metrics, /status.'),
  worker: workerSection.prefault({}).describe('How the worker works.'),
  log: logSection.prefault({}).describe('Log lines on standard output.'),
  alerts: alertsSection
    .prefault({})
    .meta(
      explained(
        'When people are told that something is wrong: each once, and once when it is over, however many workers run. Alerts stand in the log (`alert raised`, `alert cleared`) and in /metrics in any case.',
        { since: '0.2.0' },
      ),
    ),
  console: consoleSection
    .prefault({})
    .meta(explained('The web console at /console, for people with a browser.', { since: 'Unreleased' })),
  privacy: privacySection
    .prefault({})
    .meta(explained('What the worker knows of people, and for how long.', { since: 'Unreleased' })),
  mirrors: entries(mirrorSchema, {
    noun: 'mirror',
    example: 'contacts: { from: contacts, sheet: …, columns: … }',
    max: MIRRORS_MAX,
    names: MIRROR_NAME,
  }).describe(
    'What is copied where: either calendars and event, or sheet and columns. Each has a name of your choice. The name is part of the stored state: a renamed mirror starts again.',
  ),
  bookings: entries(bookingSchema, {
    noun: 'booking',
    example: 'walk-ins: { from: { calendar: … }, when: { title: "#book *" }, service: … }',
    max: BOOKINGS_MAX,
    names: MIRROR_NAME,
  })
    .optional()
    .meta(
      explained(
        'What people book outside, in a calendar or a sheet, and the worker carries to the platform: each under a name of your choice. Needs the rights appointments:write, and contacts:write where customers are created.',
        { since: '0.2.0' },
      ),
    ),
  feeds: entries(feedSchema, {
    noun: 'feed',
    example: 'anna: { resource: Anna Petrova, event: { title: "{{ service_name }}" } }',
    max: FEEDS_MAX,
    names: MIRROR_NAME,
  })
    .optional()
    .describe(
      'Calendars that are served as iCalendar files under secret addresses, for people without Google Calendar: `slotbridge feeds link` makes an address.',
    ),
  blocks: entries(blockSchema, {
    noun: 'entry',
    example: 'private-time: { service: Busy, contact: …, people: …, hours: … }',
    max: BLOCKS_MAX,
    names: MIRROR_NAME,
  })
    .optional()
    .meta(
      explained(
        'Whose private events make their time unbookable on the platform, each entry under a name of your choice. Needs the right appointments:write.',
        { since: 'Unreleased' },
      ),
    ),
});

export type WrittenConfig = z.output<typeof configSchema>;
