import type { Section } from '../../report/section.ts';
import { NOT_SHOWN } from './reasons.ts';

export const requests: Section = {
  title: 'Request ids and rate limits',
  prefix: 'requests',
  rules: [
    ['1', 'every answer has `Request-Id` of the form `req_<id>`'],
    ['2', 'refusals have it too, 401 included'],
    ['3', 'with `X-Request-ID` it is `req_` and the given value'],
    ['4', 'no two requests have the same id'],
    ['5', 'every 2xx carries `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`'],
    ['6', '`RateLimit-Remaining` falls with each call'],
    ['7', '`RateLimit-Reset` is the seconds until the counter resets, at most a minute'],
    ['8', 'above the limit 429 `rate-limited` with `Retry-After` in seconds'],
    ['9', 'after that time calls are answered again'],
    ['10', 'each page of a list is one request'],
    ['11', 'a call that was refused by the limit performs nothing'],
    ['12', 'the numeric limit per minute', NOT_SHOWN],
    ['13', 'a successful write carries the rate-limit headers'],
  ],
};
