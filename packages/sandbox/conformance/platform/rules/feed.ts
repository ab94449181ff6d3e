import type { Section } from '../../report/section.ts';
import { SILENT } from './reasons.ts';

export const feed: Section = {
  title: 'Event feed',
  prefix: 'feed',
  rules: [
    ['1', 'the feed lists events that were sent, newest first'],
    ['2', 'an event that no endpoint subscribes to is not in it'],
    ['3', 'an event in it has the same body as was sent'],
    ['4', 'events older than 30 days are not in it'],
    ['5', '`project_id` filters'],
    ['6', '`type` filters by exact match'],
    ['7', 'an event is got by its id'],
    ['8', 'an event older than 30 days gives 404'],
    ['9', 'a test event is not in the feed, and gives 404'],
    ['10', 'an event that the key may not read gives 404'],
    ['11', 'an event of a project that is not in the key is not in the feed, and gives 404'],
    ['12', 'an event sent to no endpoint gives 404'],
    ['13', 'an unknown id gives 404'],
    ['14', 'groups that the key may not read, in the list', SILENT],
    ['15', 'an explicit `type` that the key may not read gives 403'],
    ['16', 'the feed is paged like every list'],
    ['17', 'events recorded while the endpoint is disabled', SILENT],
    ['18', 'the order of ties, and of late events', SILENT],
    ['19', 'every event of the feed has every field of the table; `test` is false'],
    ['20', 'an event stays in the feed though its delivery failed'],
    ['21', 'an event sent to several endpoints stands once in the feed'],
  ],
};
