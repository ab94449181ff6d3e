// What a scenario file may contain. docs/scenarios.md has a table of it, which a test compares with this file.
import * as z from 'zod';
import { entries, section } from '../../../src/mapping/kinds/section.ts';
import { choice, duration, text, timeZone, wholeNumber } from '../../../src/mapping/kinds/text.ts';
import { AS_WRITTEN, complain, complaint } from '../../../src/mapping/problem.ts';
import { badPlaceholder, isMoment, MOMENT_FORMS } from './moments.ts';

const LIST_MAX = 200;
const TEXT_MAX = 10_000;

const moment = text({ missing: complaint('is missing', `write a time, such as ${MOMENT_FORMS}`) }).refine(
  isMoment,
  {
    error: complaint(`${AS_WRITTEN} is no time of a scenario`, `write ${MOMENT_FORMS}`),
  },
);

/** Texts of people may contain times in braces. The check is on the whole value: a union would hide the complaint of one member. */
function legible<Schema extends z.ZodType>(schema: Schema) {
  return schema.refine((value) => textsIn(value).every((text) => badPlaceholder(text) === undefined), {
    error: complaint(
      'holds a time in braces that cannot be read',
      `write it as {tomorrow 10:00 | dd.MM.yyyy}; before the bar stands ${MOMENT_FORMS}`,
    ),
  });
}

function textsIn(value: unknown): readonly string[] {
  const { contains } = (typeof value === 'object' && value !== null ? value : {}) as { contains?: unknown };
  return [value, contains].filter((each) => typeof each === 'string');
}

const anyText = z.string(complain(complaint('must be a text', 'put quotes around it'))).max(TEXT_MAX);
const words = legible(anyText);
const cell = legible(
  z.union(
    [anyText, z.number(), z.boolean()],
    complain(complaint('is no value of a cell', 'write a text, a number, true or false')),
  ),
);
const cells = entries(cell, { noun: 'cell', example: 'Phone: "+7 495 000-11-01"', max: LIST_MAX });
const list = <Value extends z.ZodType>(value: Value) =>
  z.array(value, complain(complaint('must be a list', 'begin each entry with "- "'))).max(LIST_MAX);
const yes = z.literal(true, complain(complaint(`${AS_WRITTEN} is not true`, 'write true behind it')));
const times = wholeNumber({ min: 1, max: 50 });
const minutes = wholeNumber({ min: 1, max: 1_440 });

const NAME = text({
  missing: complaint('is missing', 'give it a name of your choice, by which later steps call it'),
});

const booking = {
  as: NAME,
  service: text(),
  with: text().optional(),
  branch: text().optional(),
  at: moment,
  minutes: minutes.optional(),
  guests: wholeNumber({ min: 1, max: 1_000 }).optional(),
  customer: text().optional(),
  phone: text().optional(),
  email: text().optional(),
  comment: words.optional(),
};
const ownEvent = {
  as: NAME,
  in: text(),
  title: words,
  description: words.optional(),
  start: moment,
  minutes: minutes.optional(),
};
const typedRow = { as: NAME, tab: text(), cells };

export const CALLS = ['calendar-write', 'sheet-write', 'platform-write'] as const;

/** Each step is one of these. */
export const STEPS = {
  book: section(booking),
  move: section({ appointment: text(), to: moment.optional(), with: text().optional() }),
  cancel: section({ appointment: text() }),
  mark: section({
    appointment: text(),
    status: choice(['arrived', 'completed', 'no_show'], 'status to mark'),
  }),
  'add-contact': section({
    name: NAME,
    phone: text().optional(),
    email: text().optional(),
    lifecycle: text().optional(),
  }),
  'change-contact': section({
    contact: text(),
    name: text().optional(),
    phone: text().optional(),
    email: text().optional(),
    lifecycle: text().optional(),
  }),
  'delete-contact': section({ contact: text() }),
  'create-event': section(ownEvent),
  'drag-event': section({ event: text(), in: text().optional(), to: moment }),
  'hand-over-event': section({ event: text(), in: text().optional(), to: text() }),
  'rename-event': section({ event: text(), in: text().optional(), title: words }),
  'delete-event': section({ event: text(), in: text().optional() }),
  'type-row': section(typedRow),
  'change-row': section({ row: text(), tab: text().optional(), cells }),
  'delete-row': section({ row: text(), tab: text().optional() }),
  'lose-webhooks': section({ times }),
  'lose-answers': section({ of: choice(CALLS, 'kind of call'), times }),
  'refuse-calls': section({
    of: choice(CALLS, 'kind of call'),
    status: wholeNumber({ min: 400, max: 599 }),
    times,
  }),
  'unshare-calendar': section({ calendar: text() }),
  'share-calendar': section({ calendar: text() }),
  'stop-worker': yes,
  'start-worker': yes,
  'restart-worker': yes,
  wait: duration({ min: '100ms', max: '30s' }),
} as const;
export type StepName = keyof typeof STEPS;
export type StepOf<Name extends StepName> = z.output<(typeof STEPS)[Name]>;
export type Step = { readonly [Name in StepName]?: StepOf<Name> | undefined };

const step = section(
  Object.fromEntries(Object.entries(STEPS).map(([name, schema]) => [name, schema.optional()])) as {
    [Name in StepName]: z.ZodOptional<(typeof STEPS)[Name]>;
  },
).refine((found) => Object.keys(found as object).length === 1, {
  error: complaint(
    'is not one step',
    'write one step behind each "- ", for example - cancel: { appointment: first }',
  ),
});

const schedule = text({
  pattern: /^\d{2}:\d{2}-\d{2}:\d{2}$/,
  wrong: complaint(`${AS_WRITTEN} are no hours`, 'write them as "09:00-21:00"'),
});

export const GIVEN = {
  timezone: timeZone(),
  project: section({ name: text().optional(), id: text().optional() }),
  branches: z.record(
    z.string(),
    section({ id: text().optional(), open: schedule.optional(), timezone: timeZone().optional() }),
  ),
  resources: z.record(
    z.string(),
    section({
      id: text().optional(),
      kind: choice(['person', 'place', 'item'], 'kind of resource').optional(),
      branch: text().optional(),
      capacity: wholeNumber({ min: 1, max: 1_000 }).optional(),
    }),
  ),
  services: z.record(
    z.string(),
    section({
      minutes: minutes.optional(),
      by: list(text()),
      beside: list(text()).optional(),
      price: wholeNumber({ min: 0, max: 1_000_000 }).optional(),
      currency: text().optional(),
      rental: yes.optional(),
    }),
  ),
  contacts: z.record(
    z.string(),
    section({ phone: text().optional(), email: text().optional(), lifecycle: text().optional() }),
  ),
  appointments: list(section(booking)),
  events: list(section(ownEvent)),
  rows: list(section(typedRow)),
} as const;
const given = section({
  timezone: GIVEN.timezone.optional(),
  project: GIVEN.project.optional(),
  branches: GIVEN.branches.optional(),
  resources: GIVEN.resources.optional(),
  services: GIVEN.services.optional(),
  contacts: GIVEN.contacts.optional(),
  appointments: GIVEN.appointments.optional(),
  events: GIVEN.events.optional(),
  rows: GIVEN.rows.optional(),
});
export type Given = z.output<typeof given>;

const part = section({ contains: anyText });
const expectedText = legible(
  z.union([anyText, part], complain(complaint('is no text', 'write a text, or { contains: text }'))),
);

export const EXPECTED_EVENT = {
  title: expectedText,
  description: expectedText,
  location: expectedText,
  start: moment,
  end: moment,
} as const;
const expectedEvent = section({
  title: EXPECTED_EVENT.title.optional(),
  description: EXPECTED_EVENT.description.optional(),
  location: EXPECTED_EVENT.location.optional(),
  start: EXPECTED_EVENT.start.optional(),
  end: EXPECTED_EVENT.end.optional(),
});
export type ExpectedEvent = z.output<typeof expectedEvent>;

const STATUSES = ['pending', 'confirmed', 'arrived', 'completed', 'cancelled', 'no_show'] as const;
export const EXPECTED_APPOINTMENT = {
  service: text(),
  status: choice(STATUSES, 'status'),
  start: moment,
  end: moment,
  resource: text(),
  customer: text(),
  phone: text(),
} as const;
const expectedAppointment = section({
  service: EXPECTED_APPOINTMENT.service.optional(),
  status: EXPECTED_APPOINTMENT.status.optional(),
  start: EXPECTED_APPOINTMENT.start.optional(),
  end: EXPECTED_APPOINTMENT.end.optional(),
  resource: EXPECTED_APPOINTMENT.resource.optional(),
  customer: EXPECTED_APPOINTMENT.customer.optional(),
  phone: EXPECTED_APPOINTMENT.phone.optional(),
});
export type ExpectedAppointment = z.output<typeof expectedAppointment>;

const expectedCell = legible(
  z.union(
    [anyText, z.number(), z.boolean(), part],
    complain(
      complaint('is no value of a cell', 'write a text, a number, true, false, or { contains: text }'),
    ),
  ),
);
const expectedRow = entries(expectedCell, { noun: 'cell', example: 'Status: confirmed', max: LIST_MAX });
export type ExpectedRow = z.output<typeof expectedRow>;

export const EXPECT = {
  events: z.record(z.string(), list(expectedEvent)),
  rows: z.record(z.string(), list(expectedRow)),
  appointments: list(expectedAppointment),
  mails: wholeNumber({ min: 0, max: 1_000 }),
  'dead-letters': wholeNumber({ min: 0, max: 1_000 }),
} as const;
const expectation = section({
  events: EXPECT.events.optional(),
  rows: EXPECT.rows.optional(),
  appointments: EXPECT.appointments.optional(),
  mails: EXPECT.mails.optional(),
  'dead-letters': EXPECT['dead-letters'].optional(),
}).refine((found) => Object.keys(found as object).length > 0, {
  error: complaint('expects nothing', 'write what should stand where: events, rows or appointments'),
});
export type Expectation = z.output<typeof expectation>;

const scenario = section({
  name: text({ missing: complaint('has no name', 'say in one line what has to be true') }),
  given: given.optional(),
  when: list(step).optional(),
  expect: expectation,
});

export const scenarioFile = section({
  mapping: text({ missing: complaint('is missing', 'name the YAML that is tested, relative to this file') }),
  variables: z.record(z.string(), text()).optional(),
  given: given.optional(),
  scenarios: list(scenario).refine((found) => found.length > 0, {
    error: complaint('holds no scenario', 'write at least one, with name, when and expect'),
  }),
});
export type WrittenFile = z.output<typeof scenarioFile>;
export type WrittenScenario = WrittenFile['scenarios'][number];
