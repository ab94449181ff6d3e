import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test } from 'vitest';
import { checkLive } from '../../src/operate/live-check/live-check.ts';
import { noConsents } from '../stand/consents.ts';
import { ANNA, BORIS, MIRRORS, startWorld, type World } from '../stand/world.ts';

const PORT = 8080;
const BRANCH = 'branch@two.iam.gserviceaccount.com';
let world: World;
afterEach(() => world.close());

test('check --live asks each calendar by its own account, and names that account in what is to be done', async () => {
  world = await startWorld({
    mirrors: MIRRORS.replace(`Boris Ivanov: ${BORIS}`, `Boris Ivanov: { id: ${BORIS}, account: branch }`),
    rewrite: (yaml) =>
      yaml.replace(
        /^google:\n/m,
        `google:\n  accounts: { branch: { credentials: "${join(world.dir, 'branch.json')}" } }\n`,
      ),
  });
  writeFileSync(join(world.dir, 'branch.json'), JSON.stringify(world.google.serviceAccountKey(BRANCH)));
  await world.subscribe(PORT);
  const look = () => checkLive(world.config(PORT), { clock: { now: Date.now }, openConsents: noConsents });

  const { account, findings } = await look();
  expect(account).toContain(defaultAccount);
  expect(account).toContain(BRANCH);
  const boris = findings.find(({ subject }) => subject === `calendar ${BORIS}`);
  expect(boris).toMatchObject({ verdict: 'broken', advice: expect.stringContaining(`with ${BRANCH}`) });

  world.google.grantAccess(BORIS, BRANCH);
  expect((await look()).ok).toBe(true);

  world.google.revokeGrants(BRANCH);
  const dead = (await look()).findings.filter(({ verdict }) => verdict !== 'ok');
  expect(dead).toMatchObject([
    { subject: 'account branch', detail: expect.stringContaining('google-token-dead') },
  ]);
  expect((await look()).findings.map(({ subject }) => subject)).toContain(`calendar ${ANNA}`);
});
