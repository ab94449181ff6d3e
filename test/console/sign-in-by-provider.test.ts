import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { knownPerson } from '../../src/console/person.ts';
import type { OidcConfig } from '../../src/mapping/config.ts';
import { CLIENT, startProvider } from './provider.ts';
import { type Browser, type Reply, useConsole } from './stand.ts';

const openConsole = useConsole();
let provider: Awaited<ReturnType<typeof startProvider>>;

beforeEach(async () => {
  provider = await startProvider();
});
afterEach(() => provider.close());

const open = () => openConsole({ settings: { oidc: settings() } });
const settings = (): OidcConfig => ({
  ...{ ...CLIENT, issuer: provider.issuer, scope: 'openid email', claim: 'groups' },
  roles: { viewer: ['@clinic.example'], desk: ['front-desk'], ops: ['anna@clinic.example'] },
});

/** From the link on the page to the address at which the browser comes back. */
async function leave(browser: Browser): Promise<URL> {
  const { status, headers } = await browser.get('/console/sign-in/provider');
  expect(status).toBe(303);
  return provider.agree(String(headers.location));
}

const arrive = (browser: Browser, { pathname, search }: URL): Promise<Reply> =>
  browser.get(`${pathname}${search}`);

async function signIn(browser: Browser): Promise<Reply> {
  return arrive(browser, await leave(browser));
}

describe('sign-in by a provider', () => {
  it('signs in whom the provider knows, with their role, and stands in the audit log by address', async () => {
    const stand = await open();
    const browser = stand.browser();
    expect((await browser.get('/console')).text).toContain('href="/console/sign-in/provider"');
    const answer = await signIn(browser);
    expect([answer.status, answer.headers['refresh']]).toEqual([200, '0; url=/console']);
    expect(answer.headers['set-cookie']).toHaveLength(2);
    const home = await browser.get('/console');
    expect([home.status, home.text.includes('anna@clinic.example, operations')]).toEqual([200, true]);
    const { host } = new URL(provider.issuer);
    expect(await stand.store.acts.newest(1)).toMatchObject([
      { who: 'anna@clinic.example', role: 'ops', what: 'signed-in', about: { by: host } },
    ]);
    await browser.post('/console/sign-out');
    expect((await browser.get('/console')).status).toBe(401);
    expect(JSON.stringify(stand.log.lines)).not.toMatch(/anna|very-secret/i);
  });

  it('asks with PKCE, state and nonce, each of them new, and keeps them from scripts', async () => {
    const stand = await open();
    const asked: URLSearchParams[] = [];
    for (let times = 0; times < 2; times += 1) {
      const { headers } = await stand.browser().get('/console/sign-in/provider');
      asked.push(new URL(String(headers.location)).searchParams);
      expect(String(headers['set-cookie'])).toMatch(
        /^slotbridge_sign_in=[\w-]{43}\.[\w-]{43}\.[\w-]{43}; Max-Age=600; Path=\/console\/sign-in; HttpOnly; SameSite=Lax$/,
      );
    }
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new Set(asked.map((each) => each.get(name))).size).toBe(2);
    expect(asked[0]?.get('code_challenge_method')).toBe('S256');
    expect(asked[0]?.get('redirect_uri')).toBe(`${stand.url}/console/sign-in/return`);
  });

  it.each<[string, () => void]>([
    ['a token for another browser (nonce)', () => (provider.twist.claims = { nonce: 'x'.repeat(43) })],
    ['a token without a nonce', () => (provider.twist.claims = { nonce: undefined })],
    ['a token for another application (aud)', () => (provider.twist.claims = { aud: 'another' })],
    ['a token of another issuer', () => (provider.twist.claims = { iss: 'https://evil.example' })],
    ['a token that has expired', () => (provider.twist.claims = { exp: 1_700_000_000 })],
    ['a token that is signed by somebody else', () => (provider.twist.isForged = true)],
    ['a provider that names itself otherwise', () => (provider.twist.issuer = 'https://evil.example')],
  ])('refuses %s', async (_, twist) => {
    const stand = await open();
    const browser = stand.browser();
    twist();
    const start = await browser.get('/console/sign-in/provider');
    const answer =
      start.status === 303
        ? await arrive(browser, await provider.agree(String(start.headers.location)))
        : start;
    expect([answer.status, browser.token]).toEqual([403, '']);
    expect(answer.text).toContain('did not succeed');
    expect(await stand.store.acts.newest(1)).toEqual([]);
  });

  it('refuses another state, a browser that did not leave from here, and an answer that comes twice', async () => {
    const stand = await open();
    const browser = stand.browser();
    const address = await leave(browser);
    expect((await arrive(stand.browser(), address)).status).toBe(403);
    const other = new URL(address);
    other.searchParams.set('state', 'x'.repeat(43));
    expect((await arrive(browser, other)).status).toBe(403);
    const again = await leave(browser);
    expect((await arrive(browser, again)).status).toBe(200);
    const token = browser.token;
    expect([(await arrive(browser, again)).status, browser.token]).toEqual([403, token]);
    expect(provider.calls.filter((path) => path === '/token')).toHaveLength(1);
  });

  it('tells people whom nobody has given a role, and those who did not agree, without repeating anything', async () => {
    const stand = await open();
    provider.twist.claims = { email: 'mallory@elsewhere.example' };
    const stranger = stand.browser();
    const refused = await signIn(stranger);
    expect([refused.status, stranger.token]).toEqual([403, '']);
    expect(refused.text).toContain('have no role in this console');
    expect(refused.text).not.toContain('mallory');
    const browser = stand.browser();
    const address = await leave(browser);
    address.search = `error=access_denied&error_description=%3Cb%3Ehello%3C%2Fb%3E&state=${address.searchParams.get('state')}`;
    const denied = await arrive(browser, address);
    expect([denied.status, denied.text.includes('hello')]).toEqual([403, false]);
    expect(JSON.stringify(stand.log.lines)).not.toMatch(/mallory|hello/);
  });

  it('says so when the provider is away, and works again when it is back', async () => {
    const stand = await open();
    provider.twist.isAway = true;
    const answer = await stand.browser().get('/console/sign-in/provider');
    expect([answer.status, answer.text.includes('does not answer')]).toEqual([503, true]);
    provider.twist.isAway = false;
    expect((await signIn(stand.browser())).status).toBe(200);
  });

  it('is tried ten times a minute at most', async () => {
    const stand = await open();
    const answers: number[] = [];
    const cookie = `slotbridge_sign_in=${Array(3).fill('x'.repeat(43)).join('.')}`;
    for (let times = 0; times < 12; times += 1)
      answers.push((await stand.browser().get('/console/sign-in/return?code=x&state=y', { cookie })).status);
    expect(answers).toEqual([...Array(10).fill(403), 429, 429]);
    expect(provider.calls).not.toContain('/token');
  });

  it('leads away ten times a minute at most, so that nobody makes the worker ask the provider again and again', async () => {
    const stand = await open();
    provider.twist.isAway = true;
    const answers: number[] = [];
    for (let times = 0; times < 12; times += 1)
      answers.push((await stand.browser().get('/console/sign-in/provider')).status);
    expect(answers).toEqual([...Array(10).fill(503), 429, 429]);
    expect(provider.calls).toHaveLength(10);
    // Whoever is back from there is counted apart: ten clicks must not end a sign-in that is under way.
    expect((await stand.browser().get('/console/sign-in/return?code=x&state=y')).status).toBe(403);
  });

  it('is not there unless the settings name a provider', async () => {
    const stand = await openConsole();
    expect((await stand.browser().get('/console/sign-in')).text).not.toContain('provider');
    for (const path of ['provider', 'return'])
      expect((await stand.browser().get(`/console/sign-in/${path}`)).status).toBe(404);
  });
});

const ANNA = { sub: 'u-1', email: 'Anna@Clinic.example', email_verified: true };
test.each<[string, Record<string, unknown>, ReturnType<typeof knownPerson>]>([
  ['by address', ANNA, { role: 'ops', who: 'anna@clinic.example' }],
  ['by domain', { ...ANNA, email: 'boris@clinic.example' }, { role: 'viewer', who: 'boris@clinic.example' }],
  ['not by a domain that only ends like it', { ...ANNA, email: 'boris@evil-clinic.example' }, undefined],
  ['not by a domain below it', { ...ANNA, email: 'boris@sub.clinic.example' }, undefined],
  [
    'not by an address that has the domain inside',
    { ...ANNA, email: 'x@clinic.example@evil.example' },
    undefined,
  ],
  ['not by an address that nobody verified', { ...ANNA, email_verified: false }, undefined],
  ['nor where the provider does not say', { sub: 'u-1', email: ANNA.email }, undefined],
  ['nor where it says so in a text', { ...ANNA, email_verified: 'true' }, undefined],
  [
    'by group, named by what the provider calls them',
    { sub: 'u-1', preferred_username: 'vera', groups: ['x', 'front-desk'] },
    { role: 'desk', who: 'vera (u-1)' },
  ],
  [
    'by group, and not as the colleague whose name they took',
    { sub: 'u-1', preferred_username: ANNA.email.padEnd(200), groups: ['front-desk'] },
    { role: 'desk', who: `${ANNA.email.padEnd(40)} (u-1)` },
  ],
  ['by a group that is one text', { sub: 'u-1', groups: 'front-desk' }, { role: 'desk', who: 'u-1' }],
  [
    'by the highest of several roles',
    { ...ANNA, groups: ['front-desk'] },
    { role: 'ops', who: 'anna@clinic.example' },
  ],
  [
    'not by a group that looks like an address',
    { sub: 'u-1', groups: ['anna@clinic.example', '@clinic.example'] },
    undefined,
  ],
  ['not by something else', { sub: 'u-1', groups: { 'front-desk': true } }, undefined],
])('somebody is known %s', (_, claims, expected) => {
  expect(knownPerson(claims, settings())).toEqual(expected);
});

test('P9: strangers who open the return address without having started here use up no attempts', async () => {
  const reach = { exposure: 'network', trustedProxies: ['127.0.0.1'] } as const;
  const stand = await openConsole({ settings: { oidc: settings(), ...reach } });
  const come = async (from: string, cookie = 'slotbridge_sign_in=x.y.z') =>
    (
      await stand.browser().get('/console/sign-in/return?code=x&state=y', {
        ...{ cookie, 'x-forwarded-for': from },
      })
    ).status;
  const answers = new Set<number>();
  for (let nth = 0; nth < 70; nth += 1) answers.add(await come(`198.51.100.${nth % 10}`));
  expect([...answers]).toEqual([403]);
  expect((await signIn(stand.browser())).status).toBe(200);
});

test('P9: strangers of many addresses keep nobody from leaving for the provider', async () => {
  const reach = { exposure: 'network', trustedProxies: ['127.0.0.1'] } as const;
  const stand = await openConsole({ settings: { oidc: settings(), ...reach } });
  const leave = async (from: string) =>
    (await stand.browser().get('/console/sign-in/provider', { 'x-forwarded-for': from })).status;
  for (let nth = 0; nth < 70; nth += 1) await leave(`198.51.100.${nth % 7}`);
  expect(await leave('203.0.113.9')).toBe(303);
  expect(await leave('198.51.100.1')).toBe(429);
});

test.each(['by the provider', 'by a link'])(
  'P9: who signed in %s before comes back from the provider, however many strangers come',
  async (way) => {
    const reach = { exposure: 'network', trustedProxies: ['127.0.0.1'] } as const;
    const stand = await openConsole({ settings: { oidc: settings(), ...reach } });
    const flow = { cookie: `slotbridge_sign_in=${Array(3).fill('x'.repeat(43)).join('.')}` };
    const come = async (from: string) =>
      (
        await stand.browser().get('/console/sign-in/return?code=x&state=y', {
          ...{ ...flow, 'x-forwarded-for': from },
        })
      ).status;
    const office = { 'x-forwarded-for': '203.0.113.9' };
    if (way === 'by a link')
      await stand.browser().post('/console/sign-in', { code: await stand.offer('viewer') }, office);
    else {
      const browser = stand.browser();
      const { headers } = await browser.get('/console/sign-in/provider', office);
      const { pathname, search } = await provider.agree(String(headers.location));
      expect((await browser.get(`${pathname}${search}`, office)).status).toBe(200);
    }
    for (let nth = 0; nth < 70; nth += 1) await come(`198.51.100.${nth % 10}`);
    expect([await come('192.0.2.1'), await come('203.0.113.9')]).toEqual([429, 403]);
  },
);
