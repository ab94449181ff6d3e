import { validate } from 'node-cron';
import type { z } from 'zod';
import type { PlatformKind } from '../../domain/entity.ts';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { AS_WRITTEN, complaint } from '../complaint.ts';
import { choiceAsWritten, readChoice } from '../kinds/choice.ts';
import { explained, ofType } from '../kinds/explained.ts';
import { oneOrMany } from '../kinds/list.ts';
import { readWith } from '../kinds/reading.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';

/** Named as in `from` of a mirror. No list of the platform contains leads (platform API, Leads). */
const LISTS = ['appointments', 'contacts', 'conversations', 'messages'] as const;
type List = (typeof LISTS)[number];

export const resyncSection = section({
  schedule: readWith(text().meta(ofType('cron expression, off')), readSchedule)
    .prefault('0 4 * * *')
    .meta(
      explained(
        "When the worker reads the lists: a cron expression (minute hour day month weekday) in the worker's time zone, or off. Default: every night at 4:00.",
        { example: '30 3 * * 1-5' },
      ),
    ),
  what: oneOrMany(choiceAsWritten(LISTS, 'list'), (seen) => readChoice(seen, LISTS, 'list'))
    .prefault(['appointments', 'contacts', 'conversations'])
    .meta(
      explained(
        'Lists to read: appointments, contacts, conversations, messages. Lists that no mirror needs are skipped.',
        { example: ['appointments', 'messages'] },
      ),
    ),
});

export function toResync(written: z.output<typeof resyncSection>) {
  const kinds = [...new Set(written.what)].map((list) => KIND_OF[list]);
  return {
    ...withoutUndefined({ schedule: written.schedule === 'off' ? undefined : written.schedule }),
    kinds,
  };
}

const KIND_OF: Readonly<Record<List, Exclude<PlatformKind, 'lead'>>> = {
  appointments: 'appointment',
  contacts: 'contact',
  conversations: 'conversation',
  messages: 'message',
};

function readSchedule(seen: string) {
  const value = seen.trim();
  if (value === 'off' || (value.split(/\s+/).length === 5 && validate(value))) return { value };
  return {
    complaint: complaint(
      `${AS_WRITTEN} is not a cron expression`,
      'write minute, hour, day, month and weekday, such as "0 4 * * *", or off',
    ),
  };
}
