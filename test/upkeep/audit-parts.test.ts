import { afterEach, expect, test } from 'vitest';
import { openSession } from '../../src/compose/operator-session.ts';
import type { Difference } from '../../src/domain/difference.ts';
import { defaultAccount } from '../../src/sandbox/google/sandbox.ts';
import { ANNA, BOOK, MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

let world: World;
let options: { mirrors: string };
afterEach(() => world.close());

async function startWith(mirrors: string): Promise<void> {
  options = { mirrors };
  world = await startWorld(options);
}

/** A worker mirrors what there is, and ends. */
async function mirrorAll(): Promise<void> {
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
}

/** A minute later, so that nothing is under way any more. */
async function audit() {
  const desk = await openSession(world.config(), { now: () => Date.now() + 60_000 });
  try {
    const told: string[] = [];
    const tell = ({ what, why, mirror }: Difference) => told.push(`${mirror}: ${what}, ${why}`);
    const { unread, unjudged, standing, standingIn } = await desk.audit({ tell, progress() {} });
    return { told, unread: [...unread.keys()], unjudged: [...unjudged.values()], standing, standingIn };
  } finally {
    await desk.close();
  }
}

test('a row of a mirror with an archive is read once: it is not called doubled, and counts once for the guard (P7)', async () => {
  await startWith(`
mirrors:
  rows:
    from: appointments
    where: { since: 30d }
    sheet: { spreadsheet: ${BOOK}, tab: Contacts, archive: { after: 2d, tab: Old, spreadsheet: cellar } }
    columns: { ID: "{{ id }}", Status: "{{ status }}" }
`);
  world.google.addSpreadsheet('cellar', { shareWith: [defaultAccount], tabs: [{ title: 'Old' }] });
  world.book();
  await mirrorAll();
  expect(await audit()).toMatchObject({ told: [], standing: 1 });
});
