import * as z from 'zod';
import type { AppointmentFilter, ContactFilter } from '../../domain/mirror.ts';
import { AS_WRITTEN, complain, complaint } from '../complaint.ts';
import { choiceAsWritten, readChoice } from '../kinds/choice.ts';
import { duration } from '../kinds/duration.ts';
import { explained, ofType } from '../kinds/explained.ts';
import { oneOrMany } from '../kinds/list.ts';
import { type Reading, WITH_VARIABLE } from '../kinds/reading.ts';
import { section } from '../kinds/section.ts';
import { APPOINTMENT_STATUSES, CONTACT_STATUSES } from './statuses.ts';
import {
  type CompileCondition,
  condition,
  metadata,
  NOT_BOOKED,
  names,
  range,
  source,
  toContentFilter,
} from './where-content.ts';

const UUID = '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

const NOT_UUID = complaint(
  `${AS_WRITTEN} is no id of a project`,
  "write the project's id (a UUID): the platform's API lists no projects, so a name cannot be looked up",
);

export const project = () =>
  oneOrMany(
    z
      .string(complain(NOT_UUID))
      .meta({ ...ofType('id (UUID)'), pattern: `^\\s*${UUID}\\s*$|${WITH_VARIABLE}` }),
    readProject,
  )
    .optional()
    .meta(
      explained(
        "Project or list of projects, by id: the platform's API lists no projects, so their names cannot be looked up. None: all projects of the key.",
        { example: '00000000-0000-4000-8000-000000000000' },
      ),
    );

/** One of a closed list of words, or a list of them. */
export const oneOf = <Status extends string>(statuses: readonly [Status, ...Status[]], what: string) =>
  oneOrMany(choiceAsWritten(statuses, what), (seen) => readChoice(seen, statuses, what));

/** For all other kinds: their objects are in the past. */
export const NOT_AHEAD =
  'only appointments lie ahead: remove it, or write it in a mirror with from: appointments';

export const appointmentFilter = section(
  {
    project: project(),
    status: oneOf(APPOINTMENT_STATUSES, 'status of an appointment')
      .optional()
      .meta(
        explained('Status or list of statuses that are mirrored. None: all.', {
          example: ['pending', 'confirmed', 'arrived', 'completed', 'no_show'],
        }),
      ),
    branch: names()
      .optional()
      .meta(
        explained('Branch or list of branches, by name or id. None: all.', { example: ['Central', 'North'] }),
      ),
    service: names()
      .optional()
      .meta(
        explained('Service or list of services, by name or id. None: all.', {
          example: ['Haircut'],
          since: 'Unreleased',
        }),
      ),
    resource: names()
      .optional()
      .meta(
        explained(
          'Resource or list of resources, by name or id, of which the appointment has one. None: all.',
          {
            example: ['Anna Ivanova'],
            since: 'Unreleased',
          },
        ),
      ),
    source: source(),
    price: range()
      .optional()
      .meta(
        explained('Price in major units. None: any, or no price.', {
          example: { min: 100 },
          since: 'Unreleased',
        }),
      ),
    guests: range()
      .optional()
      .meta(explained('Number of guests. None: any.', { example: { min: 2 }, since: 'Unreleased' })),
    metadata: metadata(),
    customer_lifecycle: names()
      .optional()
      .meta(
        explained(
          'Lifecycle or list of them, of the contact who comes. Needs the right contacts:read. None: all, also those without a contact.',
          { example: ['Regular'], since: 'Unreleased' },
        ),
      ),
    if: condition(),
    since: duration({ min: '0s', max: '3650d' })
      .prefault('1d')
      .meta(
        explained(
          'Appointments that started longer ago than this are not taken up, so that a first start does not copy years. What is mirrored already stays and is kept up to date.',
          { example: '7d' },
        ),
      ),
    until: duration({ min: '1m', max: '3650d' })
      .optional()
      .meta(
        explained(
          'Appointments that start further ahead than this are not taken up yet; each enters by itself when its time comes. What is mirrored already stays, also when it is moved further away. None: however far ahead.',
          { example: '180d', since: '0.2.0' },
        ),
      ),
  },
  { lifecycle: 'only contacts have a lifecycle: write customer_lifecycle for that of the contact who comes' },
);

export const contactFilter = section(
  {
    project: project(),
    lifecycle: names()
      .optional()
      .meta(
        explained(
          'Lifecycle or list of them: lead, mql, sql, customer, churned, or another word that your company uses. None: all.',
          { example: ['lead', 'customer'] },
        ),
      ),
    status: oneOf(CONTACT_STATUSES, 'status of a contact')
      .optional()
      .meta(
        explained('Status or list of statuses that are mirrored. None: all.', {
          example: ['active', 'blocked'],
        }),
      ),
    source: source(),
    metadata: metadata(),
    if: condition(),
  },
  {
    ...NOT_BOOKED,
    branch: 'contacts belong to no branch: remove it, or write it in a mirror with from: appointments',
    since: 'contacts have no time: remove it, or write it in a mirror with from: appointments',
    until: NOT_AHEAD,
  },
);

export function toAppointmentFilter(
  written: z.output<typeof appointmentFilter>,
  compile: CompileCondition,
): AppointmentFilter {
  return {
    ...(written.project === undefined ? {} : { projects: written.project }),
    ...(written.status === undefined ? {} : { statuses: written.status }),
    ...(written.branch === undefined ? {} : { branches: written.branch }),
    ...toContentFilter(written, compile),
    sinceMs: written.since,
    ...(written.until === undefined ? {} : { untilMs: written.until }),
  };
}

export function toContactFilter(
  written: z.output<typeof contactFilter>,
  compile: CompileCondition,
): ContactFilter {
  return {
    ...(written.project === undefined ? {} : { projects: written.project }),
    ...(written.lifecycle === undefined ? {} : { lifecycles: written.lifecycle }),
    ...(written.status === undefined ? {} : { statuses: written.status }),
    ...toContentFilter(written, compile),
  };
}

function readProject(seen: string): Reading<string> {
  const value = seen.trim().toLowerCase();
  return new RegExp(`^${UUID}$`).test(value) ? { value } : { complaint: NOT_UUID };
}
