import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading, writing } from '../stage/fact.ts';

const LIMIT_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const LISTS = [
  '/contacts',
  '/conversations',
  '/appointments',
  '/services',
  '/resources',
  '/branches',
  '/webhook_endpoints',
  '/events',
];
const TIGHT = { rateLimitPerMinute: 5 };

reading('[requests.1] a success has a request id', async ({ api }) => {
  for (const path of LISTS) expect((await api.get(path)).headers.get('request-id')).toMatch(/^req_.+/);
});

reading('[requests.2] a refusal has a request id, whatever refused it', async ({ api }) => {
  for (const answer of [
    await api.withKey(null).get('/contacts'),
    await api.get(`/contacts/${UNKNOWN_ID}`),
    await api.get('/contacts?limit=0'),
    await api.get('/no-such-thing'),
  ])
    expect(answer.headers.get('request-id')).toMatch(/^req_.+/);
});

reading('[requests.3] the id that a request brings comes back behind req_', async ({ api }) => {
  const headers = { 'X-Request-ID': 'conformance-42' };
  expect((await api.get('/contacts', { headers })).headers.get('request-id')).toBe('req_conformance-42');
  const refused = await api.get(`/contacts/${UNKNOWN_ID}`, { headers });
  expect(refused.headers.get('request-id')).toBe('req_conformance-42');
});

reading('[requests.4] ids of ten requests are ten', async ({ api }) => {
  const ids = new Set<string | null>();
  for (let count = 0; count < 10; count += 1) ids.add((await api.get('/branches')).headers.get('request-id'));
  expect(ids.size).toBe(10);
});

reading('[requests.5] every list carries the three rate-limit headers as whole numbers', async ({ api }) => {
  for (const path of LISTS) {
    const { headers } = await api.get(path);
    for (const name of LIMIT_HEADERS)
      expect([path, name, headers.get(name)]).toEqual([path, name, expect.stringMatching(/^\d+$/)]);
  }
});

reading('[requests.6] what remains falls from call to call within a minute', async ({ api }) => {
  const remaining: number[] = [];
  const resets: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { headers } = await api.get('/branches');
    remaining.push(Number(headers.get('ratelimit-remaining')));
    resets.push(Number(headers.get('ratelimit-reset')));
  }
  const [first = 0, , last = 0] = remaining;
  const isSameWindow = (resets[2] ?? 0) <= (resets[0] ?? 0);
  // A new minute may have begun in between, which raises the counter.
  if (isSameWindow) expect(last).toBeLessThan(first);
  else expect(last).toBeGreaterThan(0);
});

reading('[requests.7] the counter resets within a minute, and remains within the limit', async ({ api }) => {
  const { headers } = await api.get('/branches');
  const [limit = 0, remaining = 0, reset = 0] = LIMIT_HEADERS.map((name) => Number(headers.get(name)));
  expect(reset).toBeLessThanOrEqual(60);
  expect(remaining).toBeLessThanOrEqual(limit);
});

needing(
  'clock',
  '[requests.8][requests.9] the call above the limit is told how long to wait, and answered after that',
  {
    options: TIGHT,
    run: async (stage) => {
      for (let count = 0; count < 5; count += 1) expect((await stage.api.get('/branches')).status).toBe(200);
      const refused = await stage.api.get('/branches');
      expect(verdict(refused)).toBe('429 rate-limited');
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      await stage.control.advance(1000 * seconds);
      expect((await stage.api.get('/branches')).status).toBe(200);
    },
  },
);

needing('clock', '[requests.10] each page of a walk takes one call of the budget', {
  options: TIGHT,
  run: async (stage) => {
    await stage.staff('importContacts', {
      contacts: ['A', 'B', 'C'].map((name) => ({ projectId: stage.ownProjectId, name })),
    });
    const remaining: string[] = [];
    for (let cursor = '', pages = 0; pages < 3; pages += 1) {
      const { body, headers } = await stage.api.get(`/contacts?limit=1${cursor}`);
      remaining.push(headers.get('ratelimit-remaining') ?? '');
      cursor = `&starting_after=${body.data[0].id}`;
    }
    expect(remaining).toEqual(['4', '3', '2']);
  },
});

needing(
  'clock',
  '[requests.11] a creation that the limit refused has made nothing, and is made under the same key later',
  {
    options: TIGHT,
    run: async (stage) => {
      for (let count = 0; count < 5; count += 1) await stage.api.get('/branches');
      const idempotencyKey = 'refused-once';
      expect(verdict(await stage.contact({}, { idempotencyKey }))).toBe('429 rate-limited');
      await stage.control.advance(61_000);
      expect((await stage.api.get('/contacts')).body.data).toEqual([]);
      expect(verdict(await stage.contact({}, { idempotencyKey }))).toBe('201');
    },
  },
);

writing('[requests.13] a created contact is answered with id and rate-limit headers', async (company) => {
  const { status, headers } = await company.contact();
  expect(status).toBe(201);
  for (const name of ['request-id', ...LIMIT_HEADERS]) expect(headers.get(name), name).not.toBeNull();
});
