import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test, vi } from 'vitest';
import { openRedis } from '../../src/engine/redis-client.ts';
import { checkLive } from '../../src/operate/live-check/live-check.ts';
import { createLog } from '../../src/operate/log.ts';
import {
  openConsentRemoval,
  openConsentSession,
  openStoredConsents,
} from '../../src/worker/google-consent.ts';
import { KeptLines } from '../doubles/kept-lines.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength } from '../stand/runs.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, BORIS, MIRRORS, startWorld, type WorldOptions } from '../stand/world.ts';

const soon = { timeout: PATIENCE_MS, interval: 50 };
const NEW_KEY = randomBytes(32).toString('base64');

/**
 * Boris's calendar is reached as Boris; the worker's own key has no access to it. People's deletions cancel at once. Worlds of their own, which
 * mostly wait: three stand beside each other.
 */
async function begin({ onTestFinished }: TestContext) {
  const secrets = { keys: [randomBytes(32).toString('base64')] };
  const lines = new KeptLines();
  const options: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {
    log: createLog({ level: 'debug', format: 'json', stream: lines }),
    mirrors: MIRRORS.replace(
      `Boris Ivanov: ${BORIS}`,
      `Boris Ivanov: { id: ${BORIS}, account: colleague-1 }`,
    ).replace('    event:\n', '    staff_edits: { deleted: cancel, grace: 0s }\n    event:\n'),
    watch: '{ every: 5s, settle: 100ms }',
  };
  options.rewrite = (yaml) =>
    yaml.replace(
      /^google:\n/m,
      `google:\n  accounts: { colleague-1: { consent: ${BORIS} } }\n  consent: { client: "${join(world.dir, 'web.json')}", keys: ${JSON.stringify(secrets.keys)} }\n`,
    );
  const world = await startWorld(options);
  onTestFinished(() => world.close());
  const port = await world.door();
  const client = world.google.consent.registerClient([`http://127.0.0.1:${port}/google/consent`]);
  const web = { ...client, auth_uri: world.google.authUrl, token_uri: world.google.tokenUrl };
  writeFileSync(join(world.dir, 'web.json'), JSON.stringify({ web }));
  world.google.revokeAccess(BORIS);
  world.google.grantAccess(BORIS, BORIS, 'owner');
  await world.subscribe(port);

  const invite = async (): Promise<string> => {
    const session = await openConsentSession(world.config(port), { now: Date.now });
    try {
      return (await session.invite(BORIS.toUpperCase())).link;
    } finally {
      await session.close();
    }
  };
  /** Opens the link in a browser as this person; the address that Google sends the browser to, and what the worker shows there. */
  const agree = async (link: string, person: string | undefined) => {
    world.google.consent.answerAs(person);
    const sent = await fetch(link, { redirect: 'manual' });
    const back = sent.headers.get('location') ?? '';
    const page = await fetch(back);
    return { back, status: page.status, text: await page.text(), headers: page.headers };
  };
  /** Everything that stands in Redis. */
  const dump = async (): Promise<string> => {
    const redis = openRedis(world.redis.url, 'commands');
    const found: string[] = [];
    for (const key of await redis.keys('*')) {
      const type = await redis.type(key);
      const value =
        type === 'string' ? await redis.get(key) : type === 'hash' ? await redis.hgetall(key) : undefined;
      found.push(`${key} ${JSON.stringify(value)}`);
    }
    redis.disconnect();
    return found.join('\n');
  };
  /** As `slotbridge google forget` does. */
  const forget = async () => {
    const session = await openConsentRemoval(world.config(port), { now: Date.now });
    try {
      return await session.forget(BORIS.toUpperCase());
    } finally {
      await session.close();
    }
  };
  return { world, options, secrets, lines, port, invite, agree, dump, forget };
}

test.concurrent('a colleague agrees by a link: until then their calendar waits, afterwards it is mirrored, the link is worth nothing, and forgetting ends it at Google too', async (context) => {
  const { world, lines, port, invite, agree, dump, forget } = await begin(context);
  const { url } = await world.startWorker(port);
  world.book();
  world.book({ resourceId: world.company.boris, hours: 30 });
  await vi.waitFor(async () => {
    expect(world.events(ANNA).length).toBe(1);
    const { problems } = await world.status(url);
    expect(problems).toMatchObject([
      {
        target: 'google:colleague-1',
        code: 'google-consent-missing',
        advice: expect.stringContaining('google invite'),
      },
    ]);
  }, soon);

  const link = await invite();
  const asked = new URL(link).searchParams;
  expect(asked.get('login_hint')).toBe(BORIS);
  expect(asked.get('scope')).toBe('openid email https://www.googleapis.com/auth/calendar.events');
  const state = asked.get('state') ?? '';
  expect(await dump()).not.toContain(state);

  const done = await agree(link, BORIS);
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('Thank you')]);
  expect(done.headers.get('cache-control')).toBe('no-store');
  expect(done.headers.get('referrer-policy')).toBe('no-referrer');
  const status = await world.untilIdle(url);
  expect(status.problems).toEqual([]);
  expect(world.events(BORIS).length).toBe(1);

  const kept = await dump();
  expect(kept).toContain('google-consents');
  expect(kept).not.toContain('1//');
  const tokens = world.google.stats().tokenRequests;
  const again = await fetch(done.back);
  expect([again.status, await again.text()]).toEqual([410, expect.stringContaining('used already')]);
  expect((await agree(link, BORIS)).status).toBe(410);
  expect(world.google.stats().tokenRequests).toBe(tokens);

  const log = lines.lines.join('\n');
  expect(log).toContain('consent of a person');
  for (const secret of [
    BORIS,
    state,
    asked.get('code_challenge') ?? '',
    new URL(done.back).searchParams.get('code') ?? '',
  ])
    expect(log).not.toContain(secret);

  await invite();
  expect(world.google.grantsOf(BORIS)).toBe(1);
  expect(await forget()).toMatchObject({
    ...{ address: BORIS, links: 1, named: ['colleague-1'], unreadable: [] },
    removed: [{ account: 'colleague-1', revoked: true }],
  });
  expect(world.google.grantsOf(BORIS)).toBe(0);
  expect(await dump()).not.toMatch(/google-consents|google-consent-link/);
  expect(await forget()).toMatchObject({ removed: [], links: 0 });
  world.book({ resourceId: world.company.boris, hours: 50 });
  await vi.waitFor(async () => {
    const { problems } = await world.status(url);
    expect(problems).toMatchObject([{ target: 'google:colleague-1', code: 'google-consent-missing' }]);
  }, soon);
  expect(world.events(BORIS).length).toBe(1);
});

atLength.test.concurrent(
  'nothing is written for the wrong person, for less than was asked, for a refusal, or for a state that nobody sent',
  async (context) => {
    const { world, port, invite, agree, dump } = await begin(context);
    await world.startWorker(port);
    // The worker has fetched the token of its own key, so that the rest of the token requests are those of people.
    world.book();
    await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
    const wrong = await agree(await invite(), ANNA);
    expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining('another Google account')]);

    world.google.consent.untick('https://www.googleapis.com/auth/calendar.events');
    const less = await agree(await invite(), BORIS);
    expect([less.status, less.text]).toEqual([403, expect.stringContaining('every box')]);
    world.google.consent.untick(undefined);

    const refused = await agree(await invite(), undefined);
    expect([refused.status, refused.text]).toEqual([200, expect.stringContaining('did not agree')]);

    const before = world.google.stats().tokenRequests;
    const at = `http://127.0.0.1:${port}/google/consent`;
    const foreign = randomBytes(32).toString('base64url');
    for (const [query, status] of [
      ['', 400],
      ['?state=x&code=4/x', 400],
      [`?state=${foreign}`, 400],
      [`?state=${foreign}&code=${'x'.repeat(3_000)}`, 400],
      [`?state=${foreign}&code=4/x`, 410],
      [`?state=${foreign}&code=4/x&pad=${'x'.repeat(9_000)}`, 400],
    ] as const)
      expect([query.slice(0, 80), (await fetch(`${at}${query}`)).status]).toEqual([
        query.slice(0, 80),
        status,
      ]);
    expect((await fetch(`${at}?state=${foreign}&code=4/x`, { method: 'HEAD' })).status).toBe(405);
    expect(world.google.stats().tokenRequests).toBe(before);
    expect(await dump()).not.toContain('google-consents');
  },
);

atLength.test.concurrent(
  'what ends between taking a link and storing its token, as a lost answer or a death, costs a new link and nothing else',
  async (context) => {
    const { world, port, invite, agree, dump } = await begin(context);
    const { url } = await world.startWorker(port);
    // The worker has fetched the token of its own key, so that the next token request is that of the person.
    world.book();
    await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
    world.book({ resourceId: world.company.boris, hours: 30 });
    const link = await invite();
    // Google has used the code up, and nobody has the token: what a death leaves behind.
    world.google.faults.add({
      method: 'POST',
      path: /\/token/,
      times: 1,
      fault: { kind: 'commit-then-reset' },
    });
    const died = await agree(link, BORIS);
    expect([died.status, died.text]).toEqual([502, expect.stringContaining('Ask for a new link')]);
    expect(await dump()).not.toContain('google-consents');
    const replayed = await fetch(died.back);
    expect([replayed.status, await replayed.text()]).toEqual([
      410,
      expect.stringContaining('Ask the person'),
    ]);

    expect((await agree(await invite(), BORIS)).status).toBe(200);
    expect((await world.untilIdle(url)).problems).toEqual([]);
    expect(world.events(BORIS).length).toBe(1);
  },
);

atLength.test.concurrent(
  'a worker that is killed between taking a link and storing its token has stored nothing: the link is used up, and a new one works',
  async (context) => {
    const { world, port, invite, agree, dump } = await begin(context);
    const worker = await startWorkerProcess(world, port);
    context.onTestFinished(async () => {
      await worker.kill();
    });
    worker.start();
    await worker.untilReady();
    // The worker has fetched the token of its own key, so that the next token request is that of the person.
    world.book();
    await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
    const link = await invite();
    let killed: Promise<unknown> | undefined;
    world.google.faults.add({
      ...{ method: 'POST', path: /\/token/, times: 1, fault: { kind: 'hang', ms: 600_000 } },
      onStrike: () => {
        killed = worker.kill();
      },
    });
    const page = await agree(link, BORIS).catch(() => undefined);
    // `kill` resolves when the process has ended.
    if (killed === undefined) throw new Error('nobody asked for a token');
    await killed;
    expect(page?.status).not.toBe(200);
    expect(await dump()).not.toContain('google-consents');

    worker.start();
    await worker.untilReady();
    expect((await agree(link, BORIS)).status).toBe(410);
    expect((await agree(await invite(), BORIS)).status).toBe(200);
    world.book({ resourceId: world.company.boris, hours: 30 });
    await vi.waitFor(() => expect(world.events(BORIS).length).toBe(1), soon);
  },
);

atLength.test.concurrent(
  'check --live asks for the calendars of people with what they agreed to, and says what is missing',
  async (context) => {
    const { world, options, port, invite, agree } = await begin(context);
    await world.startWorker(port);
    const look = async (rewrite = (text: string) => text) => {
      options.rewrite = (
        (before) => (yaml: string) =>
          rewrite(before?.(yaml) ?? yaml)
      )(consented);
      const config = world.config(port);
      const { ok, findings } = await checkLive(config, {
        clock: { now: Date.now },
        openConsents: () => openStoredConsents(config, { now: Date.now }),
      });
      return { ok, findings: findings.filter(({ side }) => side === 'google') };
    };
    const consented = options.rewrite;
    const missing = await look();
    expect(missing.ok).toBe(false);
    expect(missing.findings).toContainEqual({
      ...{ side: 'google', subject: 'account colleague-1', verdict: 'broken' },
      detail: expect.stringContaining('google-consent-missing'),
      advice: expect.stringContaining('google invite'),
    });

    await agree(await invite(), BORIS);
    const boris = { side: 'google', subject: `calendar ${BORIS}` };
    expect((await look()).findings).toContainEqual({
      ...{ ...boris, verdict: 'ok' },
      detail: 'can be written (owner)',
    });

    // A port on which nobody listens.
    const away = await look((yaml) => yaml.replace(world.redis.url, 'redis://127.0.0.1:1'));
    expect(away.ok).toBe(false);
    expect(away.findings).toContainEqual({
      ...{ side: 'google', subject: 'consents of people', verdict: 'unknown' },
      detail: expect.stringMatching(/\(redis-[a-z-]+\); accounts with consent were not checked/),
      advice: expect.stringContaining('Start the worker'),
    });
    expect(away.findings.map(({ subject }) => subject)).toContain(`calendar ${ANNA}`);
    expect(away.findings.map(({ subject }) => subject)).not.toContain(boris.subject);

    world.google.revokeGrants(BORIS);
    expect((await look()).findings).toContainEqual(
      expect.objectContaining({ detail: expect.stringContaining('google-consent-ended') }),
    );
  },
);

test.concurrent('a consent that was withdrawn is a problem with advice: nothing counts as deleted, and a new consent catches up', async (context) => {
  const { world, port, invite, agree } = await begin(context);
  const { url } = await world.startWorker(port);
  await agree(await invite(), BORIS);
  const appointments = [30, 32, 34].map((hours) => world.book({ resourceId: world.company.boris, hours }));
  await world.untilIdle(url);
  expect(world.events(BORIS).length).toBe(3);

  world.google.revokeGrants(BORIS);
  world.book({ resourceId: world.company.boris, hours: 36 });
  await vi.waitFor(async () => {
    const { problems } = await world.status(url);
    expect(problems).toMatchObject([
      {
        target: 'google:colleague-1',
        code: 'google-consent-ended',
        advice: expect.stringContaining('--consent'),
      },
    ]);
  }, soon);
  // Anna's calendar goes on; a whole look at everything finds nothing to cancel.
  world.book({ hours: 50 });
  await vi.waitFor(() => expect(world.events(ANNA).length).toBe(1), soon);
  expect((await world.status(url)).dead_letters.count).toBe(0);

  await agree(await invite(), BORIS);
  const { problems } = await world.untilIdle(url);
  expect(problems).toEqual([]);
  expect(world.events(BORIS).length).toBe(4);
  const cancelled = appointments.filter(
    (id) => world.platform.truth.appointment(id)?.['status'] === 'cancelled',
  );
  expect(cancelled).toEqual([]);
});

atLength.test.concurrent(
  'a new key takes over: the old one reads once more, what it read is encrypted anew, and then it can go',
  async (context) => {
    const { world, secrets, port, invite, agree } = await begin(context);
    const first = await world.startWorker(port);
    await agree(await invite(), BORIS);
    world.book({ resourceId: world.company.boris, hours: 30 });
    await world.untilIdle(first.url);
    await world.stopWorker(first);

    const [oldKey = ''] = secrets.keys;
    secrets.keys = [NEW_KEY, oldKey];
    const second = await world.startWorker(port);
    world.book({ resourceId: world.company.boris, hours: 32 });
    await world.untilIdle(second.url);
    await world.stopWorker(second);

    secrets.keys = [NEW_KEY];
    const third = await world.startWorker(port);
    world.book({ resourceId: world.company.boris, hours: 34 });
    await world.untilIdle(third.url);
    expect(world.events(BORIS).length).toBe(3);
    await world.stopWorker(third);

    secrets.keys = [oldKey];
    const fourth = await world.startWorker(port);
    await vi.waitFor(async () => {
      const { problems } = await world.status(fourth.url);
      expect(problems).toMatchObject([{ code: 'google-consent-unreadable' }]);
    }, soon);
  },
);
