import { expect, test } from 'vitest';
import { Comparison } from '../../src/console/comparison.ts';
import { routesOf } from '../../src/console/routes.ts';
import { ROLES } from '../../src/domain/role.ts';
import { useConsole } from './stand.ts';

const openConsole = useConsole();

/** Route by route who may have it, written down apart from the rights of the routes. */
const mayHave: Record<string, readonly string[]> = {
  'GET /': ['viewer', 'desk', 'ops'],
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
  'GET /compare.csv': ['viewer', 'desk', 'ops'],
  'GET /acts': ['ops'],
  'GET /acts.csv': ['ops'],
  'GET /search': ['viewer', 'desk', 'ops'],
  'POST /search': ['viewer', 'desk', 'ops'],
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
