import { SandboxClock } from '@slotbridge/sandbox/clock';
import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { openTestStore } from '../../stand/store.ts';
import { BOOK, startWorld, type World } from '../../stand/world.ts';

let world: World;
afterEach(() => world.close());

async function loseRedis(): Promise<void> {
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  await store.redis.flushall();
  store.close();
}

test('P1: after Redis was lost, the row of an appointment older than `since` follows what happens to it (case 33)', async () => {
  const clock = new SandboxClock();
  world = await startWorld({ clock, platform: { clock }, google: { clock } });
  const port = await world.door();
  await world.subscribe(port);
  let worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  const [lost, later] = [world.book({ hours: 2 }), world.book({ hours: 4 })];
  const statusOf = (id: string) => world.rows('Visits').find(([key]) => key === id)?.[1];
  await vi.waitFor(() => expect([lost, later].map(statusOf)).toEqual(['confirmed', 'confirmed']), {
    timeout: PATIENCE_MS,
  });
  await world.untilIdle(worker.url);
  await world.stopWorker(worker);
  clock.advance(9 * 86_400_000);
  await loseRedis();
  // Nobody was there to hear of this one.
  world.platform.dashboard.markAppointment(lost, 'no_show');
  worker = await world.startWorker(port);
  await vi.waitFor(() => expect(statusOf(lost)).toBe('no_show'), { timeout: PATIENCE_MS });
  world.platform.dashboard.markAppointment(later, 'no_show');
  await vi.waitFor(() => expect(statusOf(later)).toBe('no_show'), { timeout: PATIENCE_MS });
  expect(world.rows('Visits').length).toBe(3);
  await world.untilIdle(worker.url);
});

const TALKS = `
mirrors:
  leads:
    from: leads
    sheet: { spreadsheet: ${BOOK}, tab: Leads }
    columns: { ID: "{{ id }}", Rating: "{{ rating }}" }
  chats:
    from: conversations
    sheet: { spreadsheet: ${BOOK}, tab: Chats }
    columns: { ID: "{{ id }}", Status: "{{ status }}" }
  messages:
    from: messages
    sheet: { spreadsheet: ${BOOK}, tab: Messages }
    columns: { ID: "{{ id }}", Status: "{{ status }}" }
`;
const TALK_TABS = ['Leads', 'Chats', 'Messages'];

test('P1: after Redis was lost, old rows of leads, conversations and messages follow what happens to them (case 33)', async () => {
  const clock = new SandboxClock();
  world = await startWorld({ mirrors: TALKS, clock, platform: { clock }, google: { clock } });
  const tabs = [...TALK_TABS, 'Contacts', 'Visits'].map((title) => ({ title }));
  world.google.addSpreadsheet(BOOK, { shareWith: [defaultAccount], tabs });
  const port = await world.door();
  await world.subscribe(port);
  let worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  const { leads, chats } = world.platform.dashboard;
  const { projectId } = world.company;
  /** One of each: a lead that is not rated, a conversation that is open, an answer that was sent. */
  const talk = (phone: string) => {
    const { conversationId } = chats.customerWrites({ text: 'hello' });
    const lead = leads.order({ projectId, phone });
    leads.endCall(lead, 'completed', { durationSec: 40 });
    return { lead, conversationId, answerId: chats.reply(conversationId, { text: 'hello!' }) };
  };
  type Talk = ReturnType<typeof talk>;
  const goOn = ({ lead, conversationId, answerId }: Talk) => {
    leads.rate(lead, 4);
    for (const status of ['delivered', 'read'] as const) chats.setMessageStatus(answerId, status);
    chats.close(conversationId, 'duplicate');
  };
  const told = ({ lead, conversationId, answerId }: Talk) =>
    [lead, conversationId, answerId].map(
      (id, at) => world.rows(TALK_TABS[at] ?? '').find(([key]) => key === id)?.[1],
    );
  const [lost, later] = [talk('+74950001101'), talk('+74950001102')];
  const soon = { timeout: PATIENCE_MS, interval: 50 };
  const rows = () => TALK_TABS.map((tab) => world.rows(tab).length);
  await vi.waitFor(() => expect(told(later)[1]).toBe('open'), soon);
  await world.untilIdle(worker.url);
  expect(rows()).toEqual([3, 3, 5]);
  await world.stopWorker(worker);
  clock.advance(9 * 86_400_000);
  await loseRedis();
  goOn(lost);
  worker = await world.startWorker(port);
  await vi.waitFor(() => expect(told(lost)).toEqual([4, 'closed', 'read']), soon);
  goOn(later);
  await vi.waitFor(() => expect(told(later)).toEqual([4, 'closed', 'read']), soon);
  await world.untilIdle(worker.url);
  expect(rows()).toEqual([3, 3, 5]);
});
