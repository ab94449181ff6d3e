/** What single requests show: limits, paths, cursors, notations. */
import { type Answer, type Api, verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import type { Finding } from './finding.ts';

export async function rateLimit(api: Api): Promise<Finding> {
  const { headers } = await api.get('/branches?limit=1');
  const shown = ['limit', 'remaining', 'reset'].map((name) => `${name} ${headers.get(`ratelimit-${name}`)}`);
  return { about: 'the rate limit per minute (RateLimit-*)', learned: shown.join(', ') };
}

export async function unknownPath(api: Api): Promise<Finding> {
  const outside = verdict(await api.get('/no-such-thing'));
  const below = verdict(await api.get(`/contacts/${UNKNOWN_ID}/no-such-thing`));
  return {
    about: 'a path outside the API',
    learned: `unknown first segment: ${outside}; below a known one: ${below}`,
  };
}

export async function unknownCursor(api: Api): Promise<Finding> {
  const answer = await api.get(`/contacts?starting_after=${UNKNOWN_ID}`);
  const page =
    answer.status === 200 ? `, ${answer.body.data.length} objects, has_more ${answer.body.has_more}` : '';
  return { about: 'starting_after with an id never seen', learned: `${verdict(answer)}${page}` };
}

export async function unencodedPlus(api: Api): Promise<Finding> {
  const answer = await api.get('/appointments?limit=1&starts_at[gte]=2020-01-01T00:00:00+03:00');
  return { about: 'an unencoded + in a query’s date-time', learned: verdict(answer) };
}

export async function emailCase(api: Api): Promise<Finding> {
  const about = 'whether the email filter minds case';
  const { body } = await api.get('/contacts?limit=100');
  const email = body.data
    ?.map((one: { email: string | null }) => one.email)
    .find((one: string | null) => /[a-z]/.test(one ?? ''));
  if (!email) return { about, learned: 'no contact with an email was seen' };
  const { body: found } = await api.get(`/contacts?email=${encodeURIComponent(email.toUpperCase())}`);
  return { about, learned: found.data?.length > 0 ? 'it does not' : 'it does' };
}

export async function leadPaths(api: Api): Promise<Finding> {
  return { about: 'GET /leads, a path that is not shown', learned: verdict(await api.get('/leads')) };
}

export async function messageListErrors(api: Api): Promise<Finding> {
  const about = 'error statuses of message listing';
  const { body } = await api.get('/conversations?limit=1');
  const id = body.data?.[0]?.id;
  if (!id) return { about, learned: 'no conversation was seen' };
  const of = async (query: string): Promise<string> => {
    const answer: Answer = await api.get(`/conversations/${id}/messages?${query}`);
    return `${query}: ${verdict(answer)}`;
  };
  return { about, learned: [await of('limit=0'), await of('starting_after=abc')].join('; ') };
}
