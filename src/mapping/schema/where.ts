import * as z from 'zod';
import type { AppointmentFilter, ContactFilter } from '../../engine/domain/mirror.ts';
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
  `${AS_WRITTEN} is not the id of a project`,
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
        "Projects by id: the platform's API lists no projects, so names cannot be looked up. Default: all projects of the key.",
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
        explained('Statuses that are mirrored. Default: all.', {
          example: ['pending', 'confirmed', 'arrived', 'completed', 'no_show'],
        }),
      ),
    branch: names()
      .optional()
      .meta(explained('Branches, by name or id. Default: all.', { example: ['Central', 'North'] })),
    service: names()
      .optional()
      .meta(
        explained('Services, by name or id. Default: all.', {
          example: ['Haircut'],
          since: '0.3.0',
        }),
      ),
    resource: names()
      .optional()
      .meta(
        explained("Resources, by name or id. One of the appointment's resources must match. Default: all.", {
          example: ['Anna Ivanova'],
          since: '0.3.0',
        }),
      ),
    source: source(),
    price: range()
      .optional()
      .meta(
        explained(
          'Price in major units. An appointment without a price does not match. Default: any price, or none.',
          {
            example: { min: 100 },
            since: '0.3.0',
          },
        ),
      ),
    guests: range()
      .optional()
      .meta(explained('Number of guests. Default: any.', { example: { min: 2 }, since: '0.3.0' })),
    metadata: metadata(),
    customer_lifecycle: names()
      .optional()
      .meta(
        explained(
          'Lifecycles of the customer. An appointment without a contact does not match. Needs the right contacts:read. Default: all.',
          { example: ['Regular'], since: '0.3.0' },
        ),
      ),
    if: condition(),
    since: duration({ min: '0s', max: '3650d' })
      .prefault('1d')
      .meta(
        explained(
          'Appointments that started longer ago are not taken, so that a first start does not copy years. Appointments that are already mirrored stay and are kept up to date.',
          { example: '7d' },
        ),
      ),
    until: duration({ min: '1m', max: '3650d' })
      .optional()
      .meta(
        explained(
          'Appointments that start further ahead are not taken yet; they are added automatically when their time comes. Appointments that are already mirrored stay, even if they are moved later. Default: no limit.',
          { example: '180d', since: '0.2.0' },
        ),
      ),
  },
  { lifecycle: 'only contacts have a lifecycle: write customer_lifecycle for the lifecycle of the customer' },
);

export const contactFilter = section(
  {
    project: project(),
    lifecycle: names()
      .optional()
      .meta(
        explained(
          'Lifecycles: lead, mql, sql, customer, churned, or a word that your company uses. Default: all.',
          { example: ['lead', 'customer'] },
        ),
      ),
    status: oneOf(CONTACT_STATUSES, 'status of a contact')
      .optional()
      .meta(
        explained('Statuses that are mirrored. Default: all.', {
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
