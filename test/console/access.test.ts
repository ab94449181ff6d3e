import { expect, test, vi } from 'vitest';
import { Comparison } from '../../src/console/comparison.ts';
import { routesOf } from '../../src/console/plugin.ts';
import { ROLES } from '../../src/engine/role.ts';
import { noteAct } from '../../src/operate/acts.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { giveUp, observe, VERA } from './objects.ts';
import { useConsole } from './stand.ts';

const openConsole = useConsole();

/** Route by route who may have it, written down apart from the rights of the routes. */
const mayHave: Record<string, readonly string[]> = {
  'GET /': ['viewer', 'desk', 'ops'],
  'GET /row/*': ['desk', 'ops'],
  'GET /places': ['viewer', 'desk', 'ops'],
  'GET /place/*': ['viewer', 'desk', 'ops'],
  'GET /webhooks': ['viewer', 'desk', 'ops'],
  'GET /changes': ['viewer', 'desk', 'ops'],
  'GET /charts': ['viewer', 'desk', 'ops'],
  'GET /letters': ['viewer', 'desk', 'ops'],
  'GET /letters/retry': ['ops'],
  'POST /letters/retry': ['ops'],
  'GET /letters/discard': ['ops'],
  'POST /letters/discard': ['ops'],
  'GET /approvals': ['viewer', 'desk', 'ops'],
  'GET /approvals/allow': ['ops'],
  'POST /approvals/allow': ['ops'],
  'GET /again': ['viewer', 'desk', 'ops'],
  'POST /again/resync': ['ops'],
  'GET /again/replay': ['ops'],
  'POST /again/replay': ['ops'],
  'POST /again/stop': ['ops'],
  'GET /compare': ['viewer', 'desk', 'ops'],
  'POST /compare': ['ops'],
  'POST /compare/heal': ['ops'],
  'GET /compare.csv': ['viewer', 'desk', 'ops'],
  'GET /acts': ['ops'],
  'GET /acts.csv': ['ops'],
  'GET /search': ['viewer', 'desk', 'ops'],
  'POST /search': ['viewer', 'desk', 'ops'],
  'POST /search/typed': ['viewer', 'desk', 'ops'],
  'GET /object/*': ['viewer', 'desk', 'ops'],
};

test('the table has every route that there is', async () => {
  const { parts } = await openConsole();
  const routes = routesOf(parts, new Comparison(parts)).map(({ method, path }) => `${method} ${path}`);
  expect(routes.sort()).toEqual(Object.keys(mayHave).sort());
});

test.each(Object.entries(mayHave))('%s is for %s', async (route, roles) => {
  const stand = await openConsole();
  const [method = '', path = ''] = route.split(' ');
  const url = `/console${path.replace(/\/\*$/, '/appointment/none').replace(/\/$/, '')}`;
  const ask = (browser: ReturnType<typeof stand.browser>) =>
    method === 'GET' ? browser.get(url) : browser.post(url);
  expect((await ask(stand.browser())).status).toBe(401);
  const allowed: string[] = [];
  for (const role of ROLES) {
    const answer = await ask(await stand.signIn(role));
    const isRefused = answer.status === 403 && answer.text.includes('Not for your role');
    if (!isRefused) allowed.push(role);
  }
  expect(allowed).toEqual(roles);
});

test('a session that was made up is none', async () => {
  const stand = await openConsole();
  for (const made of ['x'.repeat(43), '', '*', 'x'.repeat(4_000)]) {
    const answer = await stand.browser().get('/console', { cookie: `slotbridge_console=${made}` });
    expect(answer.status).toBe(401);
  }
});

test('a form without the token of the session does nothing on any route', async () => {
  const stand = await openConsole();
  const browser = await stand.signIn('ops');
  const claim = await observe(stand, 'appointment', VERA);
  await giveUp(stand, claim, { mirror: 'staff', code: 'template-failed', message: 'm' });
  const before = await stand.store.acts.newest(10);
  const posts = Object.keys(mayHave).filter((route) => route.startsWith('POST'));
  expect(posts.length).toBeGreaterThan(5);
  for (const route of posts) {
    const path = `/console${route.replace('POST ', '')}`;
    for (const form of ['', 'x'.repeat(43)]) {
      const answer = await browser.post(path, { form, why: 'forged', count: '1', until: '9999999999999' });
      expect([path, answer.status, answer.text.includes('out of date')]).toEqual([path, 403, true]);
    }
    const elsewhere = await browser.post(path, { why: 'forged' }, { origin: 'https://evil.example' });
    expect([path, elsewhere.status]).toEqual([path, 403]);
  }
  expect(await stand.store.acts.newest(10)).toEqual(before);
  expect([stand.queued, await stand.store.deadLetters.all()]).toEqual([[], [expect.anything()]]);
});

test('a viewer reads of no customer and of no colleague on any page, in any title, address or file', async () => {
  const PERSONAL = /Vera|Orlova|495000|home\.example|anna\.petrova|boris/i;
  const target = 'calendar:anna.petrova@clinic.example';
  const place = {
    what: 'missing',
    why: 'failed-write',
    key: `appointment/${VERA.id}`,
    mirror: 'staff',
  } as const;
  const summary = { objects: 1, standing: 1, standingIn: new Map(), unjudged: new Map() };
  const stand = await openConsole({
    parts: () => ({
      openAudit: async () => ({
        async audit({ tell }) {
          tell({ ...place, place: target });
          return { ...summary, unread: new Map([[target, 'calendar-not-shared']]) };
        },
        close: async () => {},
      }),
    }),
  });
  const told = { message: 'vera@home.example, +7 495 000-11-01, refused', code: 'mass-deletion' };
  const advice = 'Ask anna.petrova@clinic.example.';
  const problem = { target, ...told, advice, sinceMs: stand.clock.now(), lastAtMs: stand.clock.now() };
  stand.stores.calendarIds.push('anna.petrova@clinic.example');
  stand.stores.problems = [problem];
  const claim = await observe(stand, 'appointment', VERA);
  await giveUp(stand, claim, { mirror: 'staff', target, ...told });
  stand.stores.letters = [...(await stand.store.deadLetters.all())];
  stand.store.history.note(`appointment/${VERA.id}`, {
    ...{ what: 'acted', atMs: stand.clock.now(), by: 'operator', code: 'discarded' },
    ids: { calendar: 'anna.petrova@clinic.example', why: 'Vera Orlova called' },
  });
  const boris = await stand.signIn('ops', 'boris');
  await boris.post('/console/compare', { why: 'Vera Orlova called' });
  await stand.replays.start([claim.key], () =>
    noteAct(stand.parts, { role: 'ops', who: 'boris' }, { what: 'replayed', why: 'Vera Orlova called' }),
  );
  const desk = await stand.signIn('desk', 'boris');
  await vi.waitFor(
    async () => expect((await desk.get('/console/compare')).text).toContain('could not be read'),
    {
      timeout: PATIENCE_MS,
    },
  );
  const viewer = await stand.signIn('viewer', 'victor');
  const paths = Object.entries(mayHave)
    .filter(([route, roles]) => route.startsWith('GET') && roles.includes('viewer'))
    .map(([route]) => `/console${route.slice(4).replace('/*', `/appointment/${VERA.id}`)}`);
  let shownToDesk = 0;
  for (const path of paths) {
    const { text, headers } = await viewer.get(path);
    expect([path, PERSONAL.exec(`${text}${JSON.stringify(headers)}`)?.[0]]).toEqual([path, undefined]);
    const behind = (await desk.get(path)).text.split('Sign out')[1] ?? (await desk.get(path)).text;
    if (PERSONAL.test(behind)) shownToDesk += 1;
  }
  expect(shownToDesk).toBeGreaterThanOrEqual(5);
});

test('P9: over https browsers are told to ask by https only, and over http nothing', async () => {
  const settings = { exposure: 'network', address: 'https://ops.clinic.example' } as const;
  const told = async (stand: Awaited<ReturnType<typeof openConsole>>) =>
    (await stand.browser().get('/console/sign-in')).headers['strict-transport-security'];
  expect(await told(await openConsole({ settings }))).toBe('max-age=31536000');
  expect(await told(await openConsole())).toBeUndefined();
});
