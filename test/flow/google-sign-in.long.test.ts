import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { differences } from '../stand/judge.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { ANNA, BOOK, BORIS, ROOM, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

const OWNER = 'owner@clinic.example';
const SCOPES = [
  'https://www.googleapis.com/auth/calendar.events',
  'https://www.googleapis.com/auth/spreadsheets',
];
const soon = { timeout: PATIENCE_MS, interval: 50 };

/** Attempts that ended because another caller had the turn. */
async function putOff(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counted = [...text.matchAll(/^slotbridge_failures_total\{.*code="google-paused".*\} (\d+)/gm)];
  return counted.reduce((sum, [, count]) => sum + Number(count), 0);
}

test('a dead sign-in stops Google with one problem and no attempt spent; a new one in its file is enough to catch up (case 75)', async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  await world.untilIdle(url);

  world.google.revokeGrants();
  world.book();
  await vi.waitFor(async () => {
    const { problems } = await world.status(url);
    expect(problems).toMatchObject([
      { target: 'google', code: 'google-token-dead', advice: expect.stringContaining('google login') },
    ]);
  }, soon);
  world.google.resetCounts();
  for (let hours = 30; hours < 40; hours += 1) world.book({ hours });
  await vi.waitFor(async () => expect((await world.status(url)).pending.objects).toBe(11), soon);
  // Asked again by one caller every 15 s, at most three while this waits, and not by everybody.
  await vi.waitFor(async () => expect(await putOff(url)).toBeGreaterThanOrEqual(10), soon);
  expect(world.google.stats().tokenRequests).toBeLessThan(10);
  expect((await world.status(url)).dead_letters.count).toBe(0);

  for (const id of [ANNA, BORIS, ROOM, BOOK]) world.google.grantAccess(id, OWNER);
  const signIn = { type: 'authorized_user', ...world.google.oauthGrant(OWNER, SCOPES) };
  const file = join(world.dir, 'google-key.json');
  writeFileSync(`${file}.new`, JSON.stringify(signIn));
  renameSync(`${file}.new`, file);
  const status = await world.untilIdle(url);
  expect(status.problems).toEqual([]);
  expect(world.events(ANNA).length).toBe(11);
  expect(differences(world)).toEqual([]);
});
