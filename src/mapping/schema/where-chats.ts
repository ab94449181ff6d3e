import type { z } from 'zod';
import type { ConversationFilter, LeadFilter, MessageFilter } from '../../engine/domain/mirror.ts';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { section } from '../kinds/section.ts';
import { CONVERSATION_STATUSES, LEAD_STATUSES, MESSAGE_DIRECTIONS } from './statuses.ts';
import { NOT_AHEAD, oneOf, project } from './where.ts';
import {
  type CompileCondition,
  condition,
  NO_METADATA,
  NOT_BOOKED,
  names,
  source,
  toContentFilter,
} from './where-content.ts';

const OF_CONVERSATIONS =
  'only conversations have a channel: remove it, or write it in a mirror with from: conversations';
const OF_CONTACTS = 'only contacts have a lifecycle: remove it, or write it in a mirror with from: contacts';
const OF_APPOINTMENTS =
  'only appointments belong to a branch: remove it, or write it in a mirror with from: appointments';
const OF_MESSAGES = 'only messages have one: remove it, or write it in a mirror with from: messages';

const since = (what: string) =>
  duration({ min: '0s', max: '3650d' })
    .prefault('30d')
    .meta(
      explained(
        `${what} longer ago are not taken. Those that are already mirrored stay and are kept up to date.`,
        { example: '90d' },
      ),
    );

export const leadFilter = section(
  {
    project: project(),
    status: oneOf(LEAD_STATUSES, 'status of a lead')
      .optional()
      .meta(
        explained('Statuses that are mirrored. Default: all.', {
          example: ['in_progress', 'completed', 'missed', 'scheduled'],
        }),
      ),
    source: source(),
    if: condition(),
    since: since('Leads that came in'),
  },
  {
    ...NOT_BOOKED,
    ...NO_METADATA,
    branch: OF_APPOINTMENTS,
    lifecycle: OF_CONTACTS,
    channel: OF_CONVERSATIONS,
    direction: OF_MESSAGES,
    author_type: OF_MESSAGES,
    until: NOT_AHEAD,
  },
);

export const conversationFilter = section(
  {
    project: project(),
    status: oneOf(CONVERSATION_STATUSES, 'status of a conversation')
      .optional()
      .meta(
        explained('Statuses that are mirrored. Default: all.', {
          example: ['open', 'closed', 'snoozed'],
        }),
      ),
    channel: names()
      .optional()
      .meta(
        explained('Channels: web, telegram, vk, max, email, image, or a newer one. Default: all.', {
          example: ['web', 'telegram'],
        }),
      ),
    if: condition(),
    since: since('Conversations that began'),
  },
  {
    ...NOT_BOOKED,
    ...NO_METADATA,
    source: 'a conversation has a channel instead: write channel',
    branch: OF_APPOINTMENTS,
    lifecycle: OF_CONTACTS,
    direction: OF_MESSAGES,
    author_type: OF_MESSAGES,
    until: NOT_AHEAD,
  },
);

export const messageFilter = section(
  {
    direction: oneOf(MESSAGE_DIRECTIONS, 'direction of a message')
      .optional()
      .meta(
        explained('inbound (from the customer), outbound, or both. Default: both.', {
          example: ['inbound', 'outbound'],
        }),
      ),
    author_type: names()
      .optional()
      .meta(
        explained('Authors: customer, operator, ai, or a newer word. Default: all.', {
          example: ['customer', 'operator'],
        }),
      ),
    if: condition(),
    since: since('Messages that were written'),
  },
  {
    ...NOT_BOOKED,
    ...NO_METADATA,
    source: 'write it as a condition: if: source == "api"',
    project: 'a message does not say to which project it belongs: remove it',
    channel: 'a message does not say through which channel it came: remove it',
    status: 'messages are taken whatever became of them: remove it',
    branch: OF_APPOINTMENTS,
    lifecycle: OF_CONTACTS,
    until: NOT_AHEAD,
  },
);

export function toLeadFilter(written: z.output<typeof leadFilter>, compile: CompileCondition): LeadFilter {
  return {
    ...(written.project === undefined ? {} : { projects: written.project }),
    ...(written.status === undefined ? {} : { statuses: written.status }),
    ...toContentFilter(written, compile),
    sinceMs: written.since,
  };
}

export function toConversationFilter(
  written: z.output<typeof conversationFilter>,
  compile: CompileCondition,
): ConversationFilter {
  return {
    ...(written.project === undefined ? {} : { projects: written.project }),
    ...(written.status === undefined ? {} : { statuses: written.status }),
    ...(written.channel === undefined ? {} : { channels: written.channel }),
    ...toContentFilter(written, compile),
    sinceMs: written.since,
  };
}

export function toMessageFilter(
  written: z.output<typeof messageFilter>,
  compile: CompileCondition,
): MessageFilter {
  return {
    ...(written.direction === undefined ? {} : { directions: written.direction }),
    ...(written.author_type === undefined ? {} : { authorTypes: written.author_type }),
    ...toContentFilter(written, compile),
    sinceMs: written.since,
  };
}
