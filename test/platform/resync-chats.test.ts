import { SandboxClock } from '@slotbridge/sandbox/clock';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { HoleCause } from '../../src/engine/coverage.ts';
import { Intake } from '../../src/engine/intake.ts';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import { ENTITY_KINDS } from '../../src/engine/object.ts';
import type { PlatformReader } from '../../src/engine/platform.ts';
import { type ResyncParts, resyncHoles } from '../../src/platform/resync.ts';
import { startTestPlatform, type TestPlatform } from '../stand/platform.ts';
import { startTestRedis, type TestRedis } from '../stand/redis.ts';
import { NO_METER, openTestStore, SILENT_LOG, type TestStore } from '../stand/store.ts';

const DAY = 24 * 3_600_000;
const BASE = {
  kind: 'sheet',
  spreadsheetId: 'book',
  timezone: undefined,
  columns: [{ header: 'ID', template: '{{ id }}' }],
  keyHeader: 'ID',
  unmatched: 'clear',
  deleted: 'keep',
  where: { sinceMs: 30 * DAY },
} as const;
const CHATS: SheetMirror = { ...BASE, name: 'chats', tab: 'Chats', from: 'conversation' };
const MESSAGES: SheetMirror = { ...BASE, name: 'messages', tab: 'Messages', from: 'message' };
const LEADS: SheetMirror = { ...BASE, name: 'leads', tab: 'Leads', from: 'lead' };

let redis: TestRedis;
let platform: TestPlatform;
let store: TestStore;
let clock: SandboxClock;
let parts: ResyncParts;
let asked: string[];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());
beforeEach(async () => {
  clock = new SandboxClock();
  // What is told names moments to the millisecond.
  clock.freeze();
  platform = await startTestPlatform({ clock });
  store = openTestStore(redis.url, { now: () => clock.now() });
  await store.ready();
  asked = [];
  const shared = { clock, log: SILENT_LOG };
  parts = {
    ...shared,
    reader: counting(platform.client().reader),
    intake: new Intake({
      ...shared,
      store: store.intake,
      queue: { add() {} },
      kinds: ENTITY_KINDS,
      meter: NO_METER,
    }),
    coverage: store.coverage,
    memory: store.memory,
    problems: store.problems,
    known: store.known,
    dirtyMarks: store.dirtyMarks,
    queue: { add() {} },
    mirrors: [CHATS, MESSAGES, LEADS],
  };
});
afterEach(async () => {
  store.close();
  await platform.close();
});

function counting(reader: PlatformReader): PlatformReader {
  return {
    get: (key) => reader.get(key),
    isProjectVisible: (id) => reader.isProjectVisible(id),
    directory: () => reader.directory(),
    eventPage: (request) => reader.eventPage(request),
    page: (kind, request) => reader.page(kind, request),
    messages(id, request) {
      asked.push(id);
      return reader.messages(id, request);
    },
  };
}

const resync = (over: Partial<ResyncParts> = {}) =>
  store.under('resync', (lease) => resyncHoles({ ...parts, ...over }, lease));
const taken = async () => new Set(await store.work.due(clock.now() + 1e12, 10_000));
const say = (text: string, conversationId?: string) =>
  platform.dashboard.chats.customerWrites(conversationId === undefined ? { text } : { text, conversationId });

async function hole(cause: HoleCause, fromMs: number | undefined): Promise<void> {
  const now = clock.now();
  await store.coverage.putHole({ id: cause, source: 'feed', fromMs, toMs: now, cause, foundAtMs: now });
}

test('a hole brings every conversation of its time, and their messages, over all pages', async () => {
  const first = say('hello');
  const ids = Array.from({ length: 130 }, (_, at) => say(`${at}`, first.conversationId).messageId);
  const others = Array.from({ length: 120 }, () => say('hi'));
  await hole('feed-expired', clock.now() - DAY);
  expect(await resync()).toBe(true);
  expect(await taken()).toEqual(
    new Set([
      ...[first, ...others].map((each) => `conversation/${each.conversationId}`),
      ...[first, ...others].map((each) => `message/${each.messageId}`),
      ...ids.map((id) => `message/${id}`),
    ]),
  );
  expect(await store.coverage.holes()).toEqual([]);
});

test('conversations that were silent since are not asked for their messages, and old messages are left', async () => {
  const silent = say('long ago');
  const speaking = say('long ago, too');
  clock.advance(6 * DAY);
  const now = say('again', speaking.conversationId);
  await hole('feed-expired', clock.now() - DAY);
  await resync();
  expect(asked).toEqual([now.conversationId]);
  const found = await taken();
  expect(found.has(`message/${now.messageId}`)).toBe(true);
  for (const each of [silent, speaking]) expect(found.has(`message/${each.messageId}`)).toBe(false);
});

test('a message is looked at again when it was written shortly before the hole: it may have been read in it', async () => {
  const { conversationId, messageId } = say('hello');
  clock.advance(DAY);
  await hole('feed-expired', clock.now());
  await resync();
  expect(asked).toEqual([conversationId]);
  expect((await taken()).has(`message/${messageId}`)).toBe(true);
});

test('a walk through messages that was interrupted goes on at its page', async () => {
  const first = say('hello');
  const ids = Array.from({ length: 250 }, (_, at) => say(`${at}`, first.conversationId).messageId);
  await hole('feed-expired', clock.now() - DAY);
  const { reader } = parts;
  let left = 2;
  const dying: PlatformReader = {
    ...reader,
    messages(id, request) {
      left -= 1;
      if (left < 0) throw new Error('the process dies here');
      return reader.messages(id, request);
    },
  };
  await expect(resync({ reader: dying })).rejects.toThrow('dies');
  expect((await store.coverage.holes()).length).toBe(1);
  asked = [];
  await resync();
  expect(asked.length).toBe(1);
  const found = await taken();
  for (const id of [first.messageId, ...ids]) expect(found.has(`message/${id}`)).toBe(true);
});

test('a conversation that the platform no longer shows does not stop the walk', async () => {
  say('hello');
  const { messageId } = say('hello');
  await hole('feed-expired', clock.now() - DAY);
  const { reader } = parts;
  let isFirst = true;
  const losing: PlatformReader = {
    ...reader,
    messages(id, request) {
      const shown = isFirst ? '00000000-0000-4000-8000-000000000000' : id;
      isFirst = false;
      return reader.messages(shown, request);
    },
  };
  await resync({ reader: losing });
  expect(await store.coverage.holes()).toEqual([]);
  expect([...(await taken())].filter((key) => key.startsWith('message/')).length).toBe(1);
  expect(messageId).toBeDefined();
});

test('without a mirror of messages no message is asked for', async () => {
  say('hello');
  await hole('feed-expired', clock.now() - DAY);
  await resync({ mirrors: [CHATS] });
  expect(asked).toEqual([]);
});

test('a hole that may have swallowed leads is a problem with its window, for three days', async () => {
  const fromMs = clock.now() - DAY;
  const window = [fromMs, clock.now()].map((ms) => new Date(ms).toISOString());
  await hole('endpoint-disabled', fromMs);
  await resync();
  const [problem, ...others] = await store.problems.list();
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ target: 'leads', code: 'leads-cannot-be-read-again' });
  for (const moment of window) expect(problem?.message).toContain(moment);
  expect(problem?.advice).toContain('dashboard');
  clock.advance(2 * DAY);
  await resync();
  expect((await store.problems.list()).length).toBe(1);
  clock.advance(2 * DAY);
  await resync();
  expect(await store.problems.list()).toEqual([]);
});

test('such a problem outlives a restart, which clears the board, for what is left of the three days', async () => {
  await hole('endpoint-disabled', clock.now() - DAY);
  await resync();
  const [told] = await store.problems.list();
  clock.advance(DAY);
  await store.problems.clearAll();
  await resync();
  const [again] = await store.problems.list();
  expect(again).toMatchObject({ code: 'leads-cannot-be-read-again', message: told?.message });
  clock.advance(2 * DAY);
  await resync();
  expect(await store.problems.list()).toEqual([]);
});

test('two such holes make one problem with the window of both', async () => {
  const [first, second] = [clock.now() - 9 * DAY, clock.now() - DAY];
  await hole('endpoint-missing', first);
  await resync();
  await hole('endpoint-disabled', second);
  await resync();
  const [problem] = await store.problems.list();
  expect(problem?.message).toContain(new Date(first).toISOString());
  expect(problem?.message).toContain(new Date(clock.now()).toISOString());
});

test.each(['first-start', 'mapping-changed'] as const)(
  '%s promised no lead, and raises no problem',
  async (cause) => {
    await hole(cause, cause === 'first-start' ? undefined : clock.now());
    await resync();
    expect(await store.problems.list()).toEqual([]);
  },
);

const order = (phone: string) => platform.dashboard.leads.order({ projectId: platform.projectId, phone });

test('a lead that a hole swallowed is read from the event feed, and no problem is told', async () => {
  await platform.subscribe('https://elsewhere.example/hook');
  const fromMs = clock.now();
  clock.advance(3_600_000);
  const [lead, ended] = [order('+74950001101'), order('+74950001102')];
  clock.advance(60_000);
  platform.dashboard.leads.endCall(ended, 'completed', { durationSec: 40 });
  clock.advance(60_000);
  await hole('redis-lost', fromMs);
  await resync();
  expect(await taken()).toEqual(new Set([`lead/${lead}`, `lead/${ended}`]));
  const known = await store.ledger.peek({ kind: 'lead', id: ended });
  expect(known?.snapshot?.['status']).toBe('completed');
  expect(await store.problems.list()).toEqual([]);
  expect(await store.coverage.holes()).toEqual([]);
});

test('after Redis was lost all leads of the feed are read, over all pages, no further than the hole otherwise', async () => {
  await platform.subscribe('https://elsewhere.example/hook');
  const leads = Array.from({ length: 130 }, (_, at) => order(`+7495000${1200 + at}`));
  clock.advance(2 * DAY);
  const late = order('+74950001999');
  clock.advance(60_000);
  let pages = 0;
  const reader: PlatformReader = {
    ...parts.reader,
    eventPage(request) {
      pages += 1;
      return parts.reader.eventPage(request);
    },
  };
  await hole('walk-failed', clock.now() - 3_600_000);
  await resync({ reader });
  expect((await taken()).has(`lead/${late}`)).toBe(true);
  // The first page of lead.created holds older ones, and goes on once; of lead.updated there is none.
  expect(pages).toBe(3);
  await hole('redis-lost', undefined);
  await resync();
  const now = await taken();
  for (const id of leads) expect(now.has(`lead/${id}`)).toBe(true);
  expect(await store.problems.list()).toEqual([]);
});

test('of a hole that is longer than the feed, only what is older is told', async () => {
  const fromMs = clock.now() - 40 * DAY;
  await hole('feed-expired', fromMs);
  await resync();
  const [problem] = await store.problems.list();
  expect(problem?.message).toContain(new Date(fromMs).toISOString());
  expect(problem?.message).toContain(new Date(clock.now() - 30 * DAY).toISOString());
});

test('a key that may not read leads keeps no hole open, and says what it could not read', async () => {
  const scopes = ['conversations:read', 'webhooks:manage'] as const;
  platform.sandbox.createKey({ key: platform.key, scopes: [...scopes] });
  await hole('walk-failed', clock.now() - DAY);
  await resync();
  expect(await store.coverage.holes()).toEqual([]);
  expect((await store.problems.list()).map(({ code }) => code)).toEqual(['leads-cannot-be-read-again']);
});

test('without a mirror of leads a hole raises no problem', async () => {
  await hole('endpoint-disabled', clock.now() - DAY);
  await resync({ mirrors: [CHATS, MESSAGES] });
  expect(await store.problems.list()).toEqual([]);
});

test('a changed mapping reads the messages of all the time that it takes', async () => {
  const { messageId } = say('hello');
  clock.advance(20 * DAY);
  await hole('mapping-changed', clock.now());
  await resync();
  expect((await taken()).has(`message/${messageId}`)).toBe(true);
});
