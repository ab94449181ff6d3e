import type { Section } from '../../report/section.ts';
import { ADVICE, NOT_SHOWN } from './reasons.ts';

const PATHS = 'the paths of the lead operations are not shown';

export const leads: Section = {
  title: 'Leads',
  prefix: 'leads',
  rules: [
    ['1', 'a lead has every field of the table (seen in its events)'],
    ['2', '`phone` is E.164'],
    ['3', '`status` is one of seven values'],
    ['4', 'a new request has the source it came from, `widget` for the widget'],
    ['5', 'the call is null before there was one'],
    ['6', 'the call tells when it started, was answered, ended, how long it took and who handled it'],
    ['7', '`ai_outcome` is null until the outcome of the AI conversation is known'],
    ['8', '`rating` is null until the customer rated'],
    ['9', '`handled_at` is null until staff marked the lead as handled'],
    ['10', 'a repeated request from the same number is merged into the first'],
    ['11', 'an order repeated with the same `Idempotency-Key` makes no second lead', PATHS],
    ['12', 'ordering without the callback service gives 409 `callback-not-configured`', PATHS],
    ['13', 'reading needs `leads:read`', PATHS],
    ['14', 'the complete field list and the values of several fields', NOT_SHOWN],
    ['15', 'a filled `ai_outcome` is not to be overwritten by an older null', ADVICE],
  ],
};
