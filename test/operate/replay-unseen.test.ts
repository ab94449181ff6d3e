import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { replayObjects } from '../../src/operate/replay-plan.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { BOOK, startWorld, type World } from '../stand/world.ts';

const LEADS = `
mirrors:
  leads:
    from: leads
    sheet: { spreadsheet: ${BOOK}, tab: Contacts }
    columns: { ID: "{{ id }}", Phone: "{{ phone }}", Status: "{{ status }}" }
`;

let world: World;
let session: Awaited<ReturnType<typeof openSession>>;

beforeEach(async () => {
  world = await startWorld({ mirrors: LEADS });
  await world.subscribe(8080);
  session = await openSession(world.config(), { now: Date.now });
});
afterEach(async () => {
  await session.close();
  await world.close();
});

/** When it stands in the feed. */
const newestEvent = (type: string) =>
  vi.waitFor(
    async () => {
      const { data } = await session.remotes.platform.reader.eventPage({ limit: 1 });
      if (data[0]?.type !== type) throw new Error('not in the feed yet');
      return data[0].id;
    },
    { timeout: PATIENCE_MS, interval: 50 },
  );

test('a lead that was never seen here is replayed from its event: the platform shows it nowhere else', async () => {
  const { leads } = world.platform.dashboard;
  const lead = leads.order({ projectId: world.company.projectId, phone: '+74950001101' });
  const eventId = await newestEvent('lead.created');
  const key = { kind: 'lead', id: lead } as const;
  expect(await session.eventOnPlatform(eventId)).toEqual(key);
  expect(await session.preview(key)).toBe('created');
  expect(await session.dirtyMarks.markDirty([key], { read: true })).toEqual([key]);
  expect(await session.introduce(key)).toBe(true);
  expect((await session.view.peek(key))?.snapshot).toMatchObject({ id: lead, phone: '+74950001101' });
});

test('a lead that is known keeps its newer state when an older event of it is replayed (P3)', async () => {
  const { leads } = world.platform.dashboard;
  const lead = leads.order({ projectId: world.company.projectId, phone: '+74950001101' });
  const older = await newestEvent('lead.created');
  await new Promise((done) => setTimeout(done, 20));
  leads.endCall(lead, 'completed', { durationSec: 40 });
  const newer = await newestEvent('lead.updated');
  const key = { kind: 'lead', id: lead } as const;
  for (const id of [newer, older]) {
    await session.eventOnPlatform(id);
    await session.introduce(key);
  }
  expect((await session.view.peek(key))?.snapshot).toMatchObject({ status: 'completed' });
});

test('with an end and no beginning, everything in the journal up to then is meant', async () => {
  const id = world.platform.dashboard.createContact({ projectId: world.company.projectId, name: 'Emma' });
  const snapshot = await session.remotes.platform.reader.get({ kind: 'contact', id });
  if (snapshot === undefined) throw new Error('the contact is not there');
  const key = { kind: 'contact', id } as const;
  const seen = { as: 'snapshot', snapshot } as const;
  const about = { source: 'webhook', occurredAtMs: 0, eventId: 'e1', eventType: 'contact.created' } as const;
  await session.intake.observe({ key, ...about, seen });
  const nowMs = Date.now() + 1_000;
  const parts = { journal: session.journal, eventOnPlatform: session.eventOnPlatform, nowMs };
  const nothing = { events: [], objects: [], types: [] };
  expect(await replayObjects({ ...nothing, toMs: nowMs }, parts)).toEqual([key]);
  expect(await replayObjects({ ...nothing, toMs: nowMs - 3_600_000 }, parts)).toEqual([]);
});
