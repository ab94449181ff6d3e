import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES } from '../../src/platform/problem.ts';
import { problemFault } from '../../src/platform/problem-fault.ts';
import { codeOf, openStage, UNKNOWN_ID } from './stage.ts';

describe('Request-Id', () => {
  it('stands on answers, refusals and unknown paths', async () => {
    const stage = await openStage();
    for (const [path, key] of [
      ['/contacts', stage.key],
      ['/contacts', 'wrong'],
      ['/nope', stage.key],
    ] as const) {
      expect((await stage.get(path, { key })).headers.get('request-id')).toMatch(/^req_.+/);
    }
  });

  it('takes over X-Request-ID behind req_', async () => {
    const stage = await openStage();
    const answer = await stage.get(`/contacts/${UNKNOWN_ID}`, { headers: { 'X-Request-ID': 'mine-1' } });
    expect(answer.headers.get('request-id')).toBe('req_mine-1');
    expect(answer.body.request_id).toBe('req_mine-1');
  });
});

describe('problems', () => {
  it('carry type, title, status, detail and request_id', async () => {
    const stage = await openStage();
    const answer = await stage.get(`/contacts/${UNKNOWN_ID}`);
    expect(answer.headers.get('content-type')).toContain('json');
    expect(answer.body).toEqual({
      type: expect.stringMatching(/\/not-found$/),
      title: 'Not Found',
      status: 404,
      detail: expect.any(String),
      request_id: answer.headers.get('request-id'),
    });
  });

  it('of validation name the fields', async () => {
    const stage = await openStage();
    const answer = await stage.contact({ name: undefined, email: 'nobody', type: 'robot' });
    expect([answer.status, codeOf(answer)]).toEqual([422, 'validation']);
    expect(Object.keys(answer.body.errors).sort()).toEqual(['email', 'name', 'type']);
    expect(answer.body.errors.name).toEqual([expect.any(String)]);
  });

  it('of appointments carry the code with underscores, others no code', async () => {
    const stage = await openStage();
    expect((await stage.book({ service_id: UNKNOWN_ID })).body.code).toBe('service_not_found');
    expect((await stage.contact({ name: '' })).body).not.toHaveProperty('code');
  });

  it('a body that is not JSON, not an object, or not sent as JSON gives 400', async () => {
    const stage = await openStage();
    const bodies = [
      { rawBody: '{"name":' },
      { rawBody: '[]' },
      { rawBody: 'x=1', headers: { 'Content-Type': 'text/plain' } },
    ];
    for (const given of bodies) {
      const answer = await stage.call('POST', '/contacts', given);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'bad-request']);
    }
  });

  it('a body beyond the size the server takes gives 413 with the code http', async () => {
    const stage = await openStage();
    const answer = await stage.contact({ name: 'x'.repeat(3_000_000) });
    expect([answer.status, codeOf(answer)]).toEqual([413, 'http']);
  });
});

describe('faults in the form of problems', () => {
  it.each(PROBLEM_CODES)('%s can be shown to a client', async (code) => {
    const stage = await openStage();
    stage.sandbox.faults.add({ times: 1, fault: problemFault(code, { retryAfterSec: 3 }) });
    const answer = await stage.contact();
    expect([codeOf(answer), answer.status]).toEqual([code, answer.body.status]);
    expect(answer.headers.get('retry-after')).toBe('3');
    expect(stage.sandbox.truth.contacts()).toEqual([]);
  });

  it('there are 35 codes in the document beside http', () => {
    expect(PROBLEM_CODES).toHaveLength(35);
  });
});

describe('rate limit', () => {
  it('every answer to a valid key shows the limit, what remains and the seconds to the reset', async () => {
    const stage = await openStage({ rateLimitPerMinute: 5 });
    const first = await stage.get('/contacts');
    const second = await stage.get('/services');
    const shown = (answer: typeof first) =>
      ['limit', 'remaining'].map((name) => answer.headers.get(`ratelimit-${name}`));
    expect(shown(first)).toEqual(['5', '4']);
    expect(shown(second)).toEqual(['5', '3']);
    expect(Number(second.headers.get('ratelimit-reset'))).toBeGreaterThan(50);
    expect(Number(second.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60);
  });

  it('one call too many gives 429 with Retry-After and performs nothing', async () => {
    const stage = await openStage({ rateLimitPerMinute: 2 });
    await stage.get('/contacts');
    await stage.get('/contacts');
    const answer = await stage.contact();
    expect([answer.status, codeOf(answer)]).toEqual([429, 'rate-limited']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(stage.sandbox.truth.contacts()).toEqual([]);
    expect(stage.sandbox.stats().rateLimited).toBe(1);
  });

  it('the counter resets after its minute, and each key has its own', async () => {
    const stage = await openStage({ rateLimitPerMinute: 1 });
    await stage.get('/contacts');
    expect((await stage.get('/contacts')).status).toBe(429);
    expect((await stage.get('/contacts', { key: stage.keyWith({}) })).status).toBe(200);
    stage.clock.advance(60_000);
    expect((await stage.get('/contacts')).status).toBe(200);
  });
});
