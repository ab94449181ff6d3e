import type { z } from 'zod';
import type { Feed } from '../../engine/feed.ts';
import { explained } from '../kinds/reading.ts';
import { section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { text } from '../kinds/text.ts';
import { complaint } from '../problem.ts';
import { appointmentFilter, type CompileCondition, toFilter } from './where.ts';

const feedEvent = section({
  title: explained(
    template(complaint('is missing or empty', 'write title: "{{ service_name }}" below event:')),
    'Title of the event, a Liquid template.',
    { example: '{{ service_name }}', since: '0.3.0' },
  ),
  description: explained(template().optional(), 'Description of the event, a Liquid template. Plain text.', {
    example: '{{ comment }}',
    since: '0.3.0',
  }),
  location: explained(template().optional(), 'Location of the event, a Liquid template.', {
    example: '{{ branch_name }}',
    since: '0.3.0',
  }),
});

export const feedSchema = section({
  resource: explained(
    text({
      missing: complaint('is missing or empty', 'name the resource whose appointments the feed shows'),
    }),
    'Resource whose appointments the feed shows, by name or id.',
    { example: 'Anna Ivanova', since: '0.3.0' },
  ),
  where: appointmentFilter
    .prefault({})
    .describe(
      'Which of its appointments are shown, as in a mirror. Appointments that started longer ago than `since` leave the feed.',
    ),
  event: feedEvent.describe('Content of the events. Everybody who has the address can read it.'),
});

export function toFeed(name: string, written: z.output<typeof feedSchema>, compile: CompileCondition): Feed {
  const { resource, where, event } = written;
  return {
    ...{ name, from: 'appointment', resource, where: toFilter(where, compile) },
    event: { title: event.title, description: event.description, location: event.location },
  };
}
