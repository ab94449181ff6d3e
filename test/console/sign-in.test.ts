import { describe, expect, test } from 'vitest';
import { double } from '../stand/double.ts';
import { HOUR_MS, useConsole } from './stand.ts';

const openConsole = useConsole();

describe('a one-time link', () => {
  test('signs in once, and is worth nothing after that', async () => {
    const stand = await openConsole();
    const code = await stand.offer('viewer');
    const first = stand.browser();
    const answer = await first.post('/console/sign-in', { code });
    expect([answer.status, answer.headers['location']]).toEqual([303, '/console']);
    expect((await first.get('/console')).status).toBe(200);
    const second = stand.browser();
    const refused = await second.post('/console/sign-in', { code });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('was used already, or is too old');
    expect((await second.get('/console')).status).toBe(401);
  });

  test('can be pasted whole', async () => {
    const stand = await openConsole();
    const browser = stand.browser();
    const link = `${stand.url}/console/sign-in#${await stand.offer('viewer')}`;
    expect((await browser.post('/console/sign-in', { code: `  ${link}\n` })).status).toBe(303);
  });

  test('that nobody made, or that is too old, signs nobody in', async () => {
    const stand = await openConsole();
    const code = await stand.offer('ops');
    stand.clock.advance(10 * 60_000);
    for (const tried of [code, 'x'.repeat(43), '', '*', 'x'.repeat(10_000)]) {
      const browser = stand.browser();
      const answer = await browser.post('/console/sign-in', { code: tried });
      expect([answer.status, browser.token]).toEqual([403, '']);
    }
  });

  test('is not used up by opening it: only the form does that', async () => {
    const stand = await openConsole();
    const code = await stand.offer('viewer');
    const page = await stand.browser().get(`/console/sign-in?code=${code}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(code);
    expect((await stand.browser().post('/console/sign-in', { code })).status).toBe(303);
  });

  test('is tried ten times a minute at most, and then Redis is not asked any more', async () => {
    let asked = 0;
    const stand = await openConsole({
      parts: ({ access }) => ({
        access: double({
          ...{ offer: access.offer, session: access.session, leave: access.leave, revoke: access.revoke },
          enter: async () => {
            asked += 1;
            return undefined;
          },
        }),
      }),
    });
    const codes = Array.from({ length: 12 }, () => 'x'.repeat(43));
    const answers: number[] = [];
    for (const code of codes) answers.push((await stand.browser().post('/console/sign-in', { code })).status);
    expect(answers).toEqual([...Array(10).fill(403), 429, 429]);
    expect(asked).toBe(10);
  });
});

describe('a session', () => {
  test('has a cookie that no script reads and no other site sends', async () => {
    const stand = await openConsole();
    const answer = await stand.browser().post('/console/sign-in', { code: await stand.offer('viewer') });
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^slotbridge_console=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict$/);
  });

  test('has a cookie for https only where the address is https', async () => {
    const stand = await openConsole({ settings: { address: 'https://ops.clinic.example' } });
    const answer = await stand.browser().post('/console/sign-in', { code: await stand.offer('viewer') });
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^__Host-slotbridge_console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  test('P9: over https a cookie that another host of the domain could have set opens nothing, and says to sign in again', async () => {
    const stand = await openConsole({ settings: { address: 'https://ops.clinic.example' } });
    const browser = await stand.signIn('ops');
    expect((await browser.get('/console')).status).toBe(200);
    const former = await stand.browser().get('/console', { cookie: `slotbridge_console=${browser.token}` });
    expect(former.status).toBe(401);
    expect(former.text).toContain('Sign in once more');
    expect(String(former.headers['set-cookie'])).toMatch(/^slotbridge_console=; Max-Age=0; Path=\/console;/);
    const both = {
      cookie: `slotbridge_console=${'x'.repeat(43)}; __Host-slotbridge_console=${browser.token}`,
    };
    expect((await stand.browser().get('/console', both)).status).toBe(200);
    expect((await browser.post('/console/sign-out')).status).toBe(303);
    expect(browser.token).toBe('');
  });

  test('P9: somebody else’s link asks before it replaces a session, and then ends it', async () => {
    const stand = await openConsole();
    const [anna, code] = [await stand.signIn('viewer', 'anna'), await stand.offer('ops', 'boris')];
    const kept = anna.token;
    const asked = await anna.post('/console/sign-in', { code });
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('You are signed in as anna, viewer');
    expect(anna.token).toBe(kept);
    // What another page, or a form made for another session, says counts as no answer.
    await anna.post('/console/sign-in', { code, replace: 'yes', form: (await stand.signIn('ops')).token });
    expect(anna.token).toBe(kept);
    expect((await anna.get('/console')).text).toContain('anna');
    const agreed = await anna.post('/console/sign-in', { code, replace: 'yes' });
    expect([agreed.status, anna.token === kept]).toEqual([303, false]);
    expect((await anna.get('/console')).text).toContain('boris');
    expect(await stand.store.consoleAccess.session(kept)).toBeUndefined();
    // A session that has ended is nothing to ask about.
    await stand.store.consoleAccess.revoke('boris');
    const next = await stand.offer('viewer', 'carl');
    expect((await anna.post('/console/sign-in', { code: next })).status).toBe(303);
  });

  test('ends at its time by the clock of the server, and says so', async () => {
    const stand = await openConsole();
    const browser = await stand.signIn('viewer');
    stand.clock.advance(HOUR_MS - 1);
    expect((await browser.get('/console')).status).toBe(200);
    stand.clock.advance(1);
    const ended = await browser.get('/console');
    expect(ended.status).toBe(401);
    expect(ended.text).toContain('Your session has ended');
  });

  test('ends when somebody signs out, and when it is revoked', async () => {
    const stand = await openConsole();
    const [anna, boris] = [await stand.signIn('viewer', 'anna'), await stand.signIn('viewer', 'boris')];
    const kept = anna.token;
    expect((await anna.post('/console/sign-out')).headers['location']).toBe('/console/sign-in');
    expect(anna.token).toBe('');
    const replayed = await stand.browser().get('/console', { cookie: `slotbridge_console=${kept}` });
    expect(replayed.status).toBe(401);
    await stand.store.consoleAccess.revoke('boris');
    expect((await boris.get('/console')).status).toBe(401);
  });

  test('beginning and end stand in the audit log', async () => {
    const stand = await openConsole();
    const browser = await stand.signIn('desk', 'vera');
    stand.clock.advance(1);
    await browser.post('/console/sign-out');
    const acts = await stand.store.acts.newest(10);
    expect(acts.map(({ who, role, what }) => [who, role, what])).toEqual([
      ['vera', 'desk', 'signed-out'],
      ['vera', 'desk', 'signed-in'],
    ]);
  });
});

describe('a form that was not made here is refused', () => {
  test('when it comes from another page, or does not say from which', async () => {
    const stand = await openConsole();
    const browser = await stand.signIn('ops');
    const other = await browser.post('/console/sign-out', {}, { origin: 'https://evil.example' });
    const none = await browser.post('/console/sign-out', {}, { origin: 'null' });
    const silent = await browser.send('POST', '/console/sign-out', { headers: {}, body: '' });
    expect([other.status, none.status, silent.status]).toEqual([403, 403, 403]);
    expect((await browser.get('/console')).status).toBe(200);
  });

  test('when it bears no token, or that of another session', async () => {
    const stand = await openConsole();
    const browser = await stand.signIn('ops');
    const stranger = await stand.signIn('ops', 'boris');
    const kept = browser.token;
    await browser.post('/console/sign-out', { form: '' });
    const before = await stand.store.consoleAccess.session(kept);
    expect(before).toMatchObject({ role: 'ops' });
    const again = stand.browser();
    await again.post('/console/sign-out', { form: stranger.token }, { cookie: `slotbridge_console=${kept}` });
    expect(await stand.store.consoleAccess.session(kept)).toEqual(before);
  });

  test('a sign-in form from behind a proxy that writes another Host is taken by the address of the console', async () => {
    const stand = await openConsole({
      settings: { exposure: 'network', address: 'https://ops.clinic.example' },
    });
    const code = await stand.offer('viewer');
    const answer = await stand
      .browser()
      .post(
        '/console/sign-in',
        { code },
        { origin: 'https://ops.clinic.example', 'x-forwarded-for': '203.0.113.7' },
      );
    expect(answer.status).toBe(303);
  });
});

describe('the door', () => {
  test('does not open to what a proxy has passed on, and says once why', async () => {
    const stand = await openConsole();
    const browser = stand.browser();
    for (const name of ['x-forwarded-for', 'forwarded', 'via']) {
      const answer = await browser.get('/console/sign-in', { [name]: '203.0.113.7' });
      expect([answer.status, JSON.parse(answer.text)]).toEqual([404, { error: 'not-found' }]);
    }
    const told = stand.log.lines.filter(({ message }) => message === 'console asked for from elsewhere');
    expect(told).toHaveLength(1);
  });

  test('opens to them where the file says so', async () => {
    const stand = await openConsole({
      settings: { exposure: 'network', address: 'https://ops.clinic.example' },
    });
    const headers = { 'x-forwarded-for': '203.0.113.7', host: 'ops.clinic.example' };
    expect((await stand.browser().get('/console/sign-in', headers)).status).toBe(200);
  });

  test('does not open under the name of a stranger, so that no page reads it by DNS rebinding', async () => {
    const stand = await openConsole();
    const browser = await stand.signIn('ops');
    const answer = await browser.get('/console', { host: 'evil.example' });
    expect(answer.status).toBe(421);
  });

  test('every answer forbids scripts, styles, frames and requests that are not its own, and is kept nowhere', async () => {
    const stand = await openConsole();
    const browser = await stand.signIn('viewer');
    for (const path of ['/console', '/console/sign-in', '/console/nowhere']) {
      const { headers } = await browser.get(path);
      if (path === '/console/nowhere') continue;
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    }
  });

  test('a form of more than 16 kB is not read', async () => {
    const stand = await openConsole();
    const answer = await stand.browser().post('/console/sign-in', { code: 'x'.repeat(20_000) });
    expect(answer.status).toBe(413);
  });
});

test('no secret and no name of a person stands in a log line', async () => {
  const stand = await openConsole();
  const code = await stand.offer('ops', 'vera-orlova');
  const browser = stand.browser();
  await browser.post('/console/sign-in', { code });
  await browser.get('/console');
  await browser.post('/console/sign-in', { code });
  const lines = JSON.stringify(stand.log.lines);
  for (const secret of [code, browser.token, 'vera-orlova']) expect(lines).not.toContain(secret);
});
