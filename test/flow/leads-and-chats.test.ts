import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../stand/patience.ts';
import { atLength, rowsOf } from '../stand/runs.ts';
import { openTestStore } from '../stand/store.ts';
import { BOOK, startWorld, type World, type WorldOptions } from '../stand/world.ts';

const SOURCES = `
mirrors:
  leads:
    from: leads
    sheet: { spreadsheet: ${BOOK}, tab: Leads }
    columns: { ID: "{{ id }}", Status: "{{ status }}", Outcome: "{{ call.ai_outcome }}", Rating: "{{ rating }}", Handled: "{{ handled_at | date: '%Y' }}" }
  chats:
    from: conversations
    where: { channel: [web, telegram] }
    sheet: { spreadsheet: ${BOOK}, tab: Chats }
    columns: { ID: "{{ id }}", Status: "{{ status }}", Messages: "{{ message_count }}", Why: "{{ closed_reason }}" }
  messages:
    from: messages
    sheet: { spreadsheet: ${BOOK}, tab: Messages }
    columns: { ID: "{{ id }}", Text: "{{ text }}", Status: "{{ status }}", Files: "{{ attachment_count }}", Failure: "{{ failure.code }}" }
`;
const TABS = ['Contacts', 'Visits', 'Leads', 'Chats', 'Messages'];

let world: World;
let url: string;
afterEach(() => world.close());

/** The feed is read once, at the start: what comes later comes by the webhooks, in the order of the test. */
async function begin(options: WorldOptions = {}, before: () => void = () => {}): Promise<void> {
  world = await startWorld({ mirrors: SOURCES, feedEvery: '10m', ...options });
  world.google.addSpreadsheet(BOOK, {
    shareWith: [defaultAccount],
    tabs: TABS.map((title) => ({ title })),
  });
  before();
  const port = await world.door();
  await world.subscribe(port);
  ({ url } = await world.startWorker(port));
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: PATIENCE_MS,
  });
}

const soon = { timeout: PATIENCE_MS, interval: 20 };
const rowOf = (tab: string, id: string) => world.rows(tab).find((row) => row[0] === id);
const order = () =>
  world.platform.dashboard.leads.order({ projectId: world.company.projectId, phone: '+74950001101' });
const hold = () => {
  world.platform.delivery = { ...world.platform.delivery, hold: true };
};

/** Lets what was held go, and waits until the worker has it all and is at rest. */
async function release(how: 'as-formed' | 'reversed' | 'shuffled'): Promise<void> {
  world.platform.releaseHeld(how);
  await world.platform.whenDeliveriesSettle(60_000);
  await vi.waitFor(async () => {
    const { pending } = await world.status(url);
    expect(pending).toMatchObject({ objects: 0, sheet_rows: 0, in_flight: 0 });
  }, soon);
}

test.each(
  rowsOf(
    [
      ['as-formed', 'milliseconds'],
      ['reversed', 'milliseconds'],
      ['as-formed', 'seconds'],
      ['reversed', 'seconds'],
    ] as const,
    3,
  ),
)(
  'a completed lead has its outcome, rating and mark when its events come %s, stamped in %s',
  async (how, timestamps) => {
    await begin({ platform: { switches: { timestamps } } });
    const { leads } = world.platform.dashboard;
    hold();
    const [one, other] = [
      order(),
      world.platform.dashboard.leads.order({ projectId: world.company.projectId, phone: '+74950001102' }),
    ];
    leads.endCall(one, 'completed', { durationSec: 40 });
    leads.setAiOutcome(one, 'booked');
    leads.setAiOutcome(other, 'refused');
    leads.endCall(other, 'completed', { durationSec: 40 });
    leads.rate(other, 4);
    leads.handle(other);
    await release(how);
    expect(rowOf('Leads', one)).toEqual([one, 'completed', 'booked']);
    expect(rowOf('Leads', other)).toEqual([
      other,
      'completed',
      'refused',
      4,
      String(new Date().getUTCFullYear()),
    ]);
  },
);

test('a message that was read stays read, and one that failed says why, however their events are shuffled', async () => {
  await begin();
  const { chats } = world.platform.dashboard;
  const { conversationId, messageId } = chats.customerWrites({
    text: '=1+1',
    attachments: ['a.png', 'b.png'],
  });
  hold();
  const read = Array.from({ length: 6 }, (_, at) => chats.reply(conversationId, { text: `answer ${at}` }));
  const failed = chats.reply(conversationId, { text: 'lost' });
  for (const id of read) chats.setMessageStatus(id, 'delivered');
  for (const id of read) chats.setMessageStatus(id, 'read');
  chats.setMessageStatus(failed, 'failed', 'recipient_unavailable');
  chats.finishLoading(messageId);
  await release('shuffled');
  for (const [at, id] of read.entries())
    expect(rowOf('Messages', id)).toEqual([id, `answer ${at}`, 'read', 0]);
  expect(rowOf('Messages', failed)).toEqual([failed, 'lost', 'failed', 0, 'recipient_unavailable']);
  expect(rowOf('Messages', messageId)).toEqual([messageId, '=1+1', '', 2]);
  expect(rowOf('Chats', conversationId)).toEqual([conversationId, 'open', 8]);
});

atLength.test('message.updated before message.created makes one row, with the final status', async () => {
  await begin();
  const { chats } = world.platform.dashboard;
  const { conversationId } = chats.customerWrites({ text: 'hello' });
  hold();
  const id = chats.reply(conversationId, { text: 'hello!' });
  chats.setMessageStatus(id, 'delivered');
  await release('reversed');
  expect(world.rows('Messages').filter((row) => row[0] === id)).toEqual([[id, 'hello!', 'delivered', 0]]);
});

test.each(rowsOf(['as-formed', 'reversed', 'shuffled'] as const, 2))(
  'a conversation that was closed and opened again ends as the platform says, its events %s',
  async (how) => {
    await begin({ platform: { switches: { timestamps: 'seconds' } } });
    const { chats } = world.platform.dashboard;
    hold();
    const [open = '', closed = ''] = ['web', 'telegram'].map(
      (channel) => chats.customerWrites({ text: 'hello', channel }).conversationId,
    );
    for (const id of [open, closed]) {
      chats.close(id, 'duplicate');
      chats.reopen(id);
      chats.escalate(id);
    }
    chats.close(closed, 'abandoned');
    await release(how);
    expect(rowOf('Chats', open)).toEqual([open, 'open', 1]);
    expect(rowOf('Chats', closed)).toEqual([closed, 'closed', 1, 'abandoned']);
  },
);

atLength.test(
  'a conversation in a channel that the mapping does not name has no row, its messages have',
  async () => {
    await begin();
    const { conversationId, messageId } = world.platform.dashboard.chats.customerWrites({
      text: 'hi',
      channel: 'vk',
    });
    await vi.waitFor(() => expect(rowOf('Messages', messageId)).toBeDefined(), soon);
    await release('as-formed');
    expect(rowOf('Chats', conversationId)).toBeUndefined();
  },
);

test('what was said before the worker ever ran is read from the lists; leads are on none', async () => {
  const said: { conversationId: string; messageId: string }[] = [];
  let lead = '';
  await begin({}, () => {
    const { dashboard } = world.platform;
    for (const text of ['one', 'two', 'three']) said.push(dashboard.chats.customerWrites({ text }));
    lead = order();
  });
  await vi.waitFor(() => {
    for (const { conversationId, messageId } of said) {
      expect(rowOf('Chats', conversationId)?.[2]).toBe(1);
      expect(rowOf('Messages', messageId)).toBeDefined();
    }
  }, soon);
  expect(rowOf('Leads', lead)).toBeUndefined();
  expect((await world.status(url)).problems).toEqual([]);
});

atLength.test('of kinds that no mirror takes nothing is stored', async () => {
  const contacts = `
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: Contacts }
    columns: { ID: "{{ id }}" }
`;
  await begin({ mirrors: contacts });
  order();
  world.platform.dashboard.chats.customerWrites({ text: 'hello' });
  world.book();
  const contact = world.platform.dashboard.createContact({
    projectId: world.company.projectId,
    name: 'Vera',
  });
  await vi.waitFor(() => expect(rowOf('Contacts', contact)).toBeDefined(), soon);
  await release('as-formed');
  const store = openTestStore(world.redis.url, { prefix: 'slotbridge' });
  await store.ready();
  const objects = await store.redis.keys(`${store.keys.object('')}*`);
  store.close();
  expect(objects).toEqual([store.keys.object(`contact/${contact}`)]);
  // What is not mirrored leaves nothing pending: only the count says that it was looked at.
  await vi.waitFor(
    async () =>
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
        /slotbridge_events_total\{[^}]*outcome="not-mirrored"[^}]*\} 4$/m,
      ),
    soon,
  );
});
