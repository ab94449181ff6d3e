import * as z from 'zod';
import type { AppointmentFilter, CalendarMirror, Mirror } from '../../engine/mirror.ts';
import { isRecord, type PlatformKind } from '../../engine/object.ts';
import { explained } from '../kinds/reading.ts';
import { strict, withoutEmpty } from '../kinds/section.ts';
import { AS_WRITTEN, complaint, didYouMean } from '../problem.ts';
import {
  calendarsSection,
  eventSection,
  staffEditsSection,
  toCalendars,
  toEvent,
  toStaffEdits,
} from './calendar.ts';
import { classesSection, toClasses } from './classes.ts';
import { columnsSection, sheetSection } from './sheet.ts';
import { appointmentFilter, contactFilter, conversationFilter, leadFilter, messageFilter } from './where.ts';

/** The sources of mirrors, as the file names them. */
export const SOURCES = ['appointments', 'contacts', 'leads', 'conversations', 'messages'] as const;

export const KIND_OF: Readonly<Record<(typeof SOURCES)[number], PlatformKind>> = {
  appointments: 'appointment',
  contacts: 'contact',
  leads: 'lead',
  conversations: 'conversation',
  messages: 'message',
};

/** A target of mirrors: the part that selects it, what that part requires, and what no other mirror may have. */
interface TargetParts {
  readonly part: string;
  readonly called: string;
  /** Absent: all kinds. */
  readonly from?: PlatformKind;
  readonly needs?: { readonly part: string; readonly fix: string };
  readonly own: readonly string[];
  /** Settings that contain templates, by the part of the mirror. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** The mirror of an entry that has the part. Absent: a sheet. */
  build?(written: WrittenAppointments, about: BuildAbout): Mirror | undefined;
}

type WrittenAppointments = Extract<WrittenMirror, { from: 'appointments' }>;

interface BuildAbout {
  readonly name: string;
  readonly where: AppointmentFilter;
  /** Keys of the map of a rule in the order of the file, by the rule's index. */
  readonly keysOf: (at: number) => readonly string[];
}

export const TARGETS: readonly TargetParts[] = [
  {
    ...{ part: 'calendars', called: 'calendars', from: 'appointment' },
    needs: {
      part: 'event',
      fix: 'say what the events look like: event: { title: "{{ service_name }}, {{ customer_name }}" }',
    },
    own: ['event', 'classes', 'staff_edits'],
    texts: { event: ['title', 'description', 'location', 'link'] },
    build: toCalendarMirror,
  },
  {
    ...{ part: 'sheet', called: 'a sheet' },
    needs: { part: 'columns', fix: 'say what the rows show: columns: { ID: "{{ id }}" }' },
    own: ['columns'],
    texts: {},
  },
];

function toCalendarMirror(
  { calendars, event, classes, staff_edits: edits }: WrittenAppointments,
  { name, where, keysOf }: BuildAbout,
): CalendarMirror | undefined {
  if (calendars === undefined || event === undefined) return undefined;
  return {
    ...{ kind: 'calendar', name, from: 'appointment', where },
    calendars: calendars.flatMap((rule, at) => toCalendars(rule, keysOf(at))),
    event: toEvent(event),
    ...(classes && { classes: toClasses(classes) }),
    staffEdits: toStaffEdits(edits ?? staffEditsSection.parse({})),
  };
}

const OF_APPOINTMENTS_ONLY =
  'only appointments can be shown in calendars: write from: appointments, or give this mirror a sheet';

const SHEETS_ONLY = {
  calendars: OF_APPOINTMENTS_ONLY,
  event: OF_APPOINTMENTS_ONLY,
  classes: OF_APPOINTMENTS_ONLY,
  staff_edits: OF_APPOINTMENTS_ONLY,
};

const sheetParts = {
  sheet: sheetSection.optional().describe('The tab that shows the objects, one row each. Needs columns.'),
  columns: columnsSection.optional(),
};

/** The same text for all kinds: each line describes what it takes. */
const WHERE =
  'Which objects the mirror takes. An object must match every line. A line has one value, or a list of which one must match. A missing line takes all.';

const appointmentMirror = strict({
  from: explained(z.literal('appointments'), 'Kind of object: appointments.', { example: 'appointments' }),
  where: appointmentFilter.prefault({}).describe(WHERE),
  calendars: calendarsSection
    .optional()
    .describe(
      'The calendars that show the appointments, one event in each: one rule, or a list of rules. Needs event. Excludes sheet.',
    ),
  event: eventSection
    .optional()
    .describe(
      "Content of the events: Liquid templates over the appointment's fields. Everything not named here belongs to people: reminders, guests, their own colours.",
    ),
  classes: explained(
    classesSection.optional(),
    'Group classes: one event for all appointments with the same service, resource and start. The worker undoes all edits of that event, except its time with moved: all.',
    { since: '0.3.0' },
  ),
  staff_edits: explained(
    staffEditsSection.optional(),
    'What happens when people move or delete an event. Edits of fields that the mirror does not write are ignored. Default: the worker undoes moves and deletions.',
    { since: '0.2.0' },
  ),
  ...sheetParts,
});

const contactMirror = strict(
  {
    from: explained(z.literal('contacts'), 'Kind of object: contacts.', { example: 'contacts' }),
    where: contactFilter.prefault({}).describe(WHERE),
    ...sheetParts,
  },
  SHEETS_ONLY,
);

const leadMirror = strict(
  {
    from: explained(
      z.literal('leads'),
      'Kind of object: leads, which are callback requests. The platform reports them only by events and has no list, so leads from before the first start are missing. After a gap that the feed does not cover, `status` names the time to check in the dashboard.',
      { example: 'leads' },
    ),
    where: leadFilter.prefault({}).describe(WHERE),
    ...sheetParts,
  },
  SHEETS_ONLY,
);

const conversationMirror = strict(
  {
    from: explained(
      z.literal('conversations'),
      'Kind of object: conversations. The worker reads a conversation again at each new message. The platform sends no event when one is snoozed or marked as spam, so the row shows that only after the next message.',
      { example: 'conversations' },
    ),
    where: conversationFilter.prefault({}).describe(WHERE),
    ...sheetParts,
  },
  SHEETS_ONLY,
);

const messageMirror = strict(
  {
    from: explained(
      z.literal('messages'),
      'Kind of object: messages of conversations. Attachments appear only as a number, because their links expire after ten minutes.',
      { example: 'messages' },
    ),
    where: messageFilter.prefault({}).describe(WHERE),
    ...sheetParts,
  },
  SHEETS_ONLY,
);

const KNOWN = Object.keys(appointmentMirror.shape);

export const mirrorSchema = z.preprocess(
  (value) => withoutEmpty(value, KNOWN),
  z.discriminatedUnion(
    'from',
    [appointmentMirror, contactMirror, leadMirror, conversationMirror, messageMirror],
    { error: (issue) => (isRecord(issue.input) ? noSource(issue.input['from']) : NOT_MIRROR) },
  ),
);

export type WrittenMirror = z.output<typeof mirrorSchema>;

const NOT_MIRROR = complaint(
  'must be a group of settings',
  'write from:, and calendars: or sheet:, below it',
);

function noSource(seen: unknown): string {
  const fix = `write from: with one of ${SOURCES.join(', ')}`;
  if (typeof seen !== 'string') return complaint('is missing or empty', fix);
  return complaint(`${AS_WRITTEN} cannot be mirrored`, `${didYouMean(seen, SOURCES)}${fix}`);
}
