import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Act } from '../../src/engine/role.ts';
import { Browser } from '../console/stand.ts';
import { KeptLog } from '../doubles/listener.ts';
import { runHere } from '../stand/command.ts';
import { startWorld, type World } from '../stand/world.ts';

const log = new KeptLog();
let world: World;
let consoleYaml = 'console: { enabled: true }\n';

beforeAll(async () => {
  world = await startWorld({ log, rewrite: (yaml) => consoleYaml + yaml });
});
afterAll(() => world.close());

test('a link of the command opens the console of the worker; revoking ends it, and all of it stands in the log', async () => {
  const port = await world.door();
  await world.startWorker(port);
  const config = world.writeConfig(port);
  const login = await runHere(['console', 'login', '--as', 'desk', '--who', 'vera', '--config', config]);
  expect(login.code).toBe(0);
  const [link = ''] = login.stdout.split('\n');
  const { origin, pathname, hash } = new URL(link);
  expect([origin, pathname]).toEqual([`http://127.0.0.1:${port}`, '/console/sign-in']);
  const browser = new Browser(origin);
  expect((await browser.post(pathname, { code: hash.slice(1) })).status).toBe(303);
  const home = await browser.get('/console');
  expect([home.status, home.text.includes('vera, front desk')]).toEqual([200, true]);

  const lines = log.lines.filter(({ message }) => message === 'act in the console');
  expect(lines.map(({ fields }) => fields)).toMatchObject([{ what: 'signed-in', role: 'desk' }]);

  const revoked = await runHere(['console', 'revoke', '--who', 'vera', '--json', '--config', config]);
  expect(JSON.parse(revoked.stdout)).toEqual({ ended: 1 });
  expect((await browser.get('/console')).status).toBe(401);

  const { stdout } = await runHere(['acts', '--json', '--config', config]);
  const { acts } = JSON.parse(stdout) as { acts: readonly Act[] };
  const [last, ...before] = acts;
  expect(last).toMatchObject({ role: 'ops', what: 'access-revoked', about: { person: 'vera' }, done: 1 });
  expect(last?.who).not.toBe('vera');
  expect(before.map(({ who, role, what }) => [who, role, what])).toEqual([
    ['vera', 'desk', 'signed-in'],
    ['vera', 'desk', 'link-made'],
  ]);
  expect((await runHere(['acts', '--limit', '2', '--config', config])).stdout).toMatch(
    /^\S+Z {2}\S+ \(ops\) {2}access-revoked, 1 of 1, person vera\n\S+Z {2}vera \(desk\) {2}signed-in\n$/,
  );

  await runHere(['console', 'revoke', '--config', config]);
  const again = await runHere(['acts', '--json', '--config', config]);
  expect(JSON.parse(again.stdout)).toEqual({ acts });
});

test('while the console is off there is no such page, and no link is made', async () => {
  consoleYaml = '';
  const port = await world.door();
  const worker = await world.startWorker(port);
  expect((await fetch(`${worker.url}/console`)).status).toBe(404);
  const config = world.writeConfig(port);
  const refused = await runHere(['console', 'login', '--as', 'ops', '--config', config]);
  expect([refused.code, refused.stdout]).toEqual([78, '']);
  expect(refused.stderr).toContain('console-off');
});

test.each([
  [['--as', 'root'], 'role-unknown'],
  [['--as', 'ops', '--who', ' '], 'who-unclear'],
  [['--as', 'ops', '--who', 'x'.repeat(61)], 'who-unclear'],
])('%j is refused before anything is opened', async (args, code) => {
  const refused = await runHere(['console', 'login', ...args, '--config', 'nowhere.yaml']);
  expect([refused.code, refused.stderr.includes(code)]).toEqual([2, true]);
});
