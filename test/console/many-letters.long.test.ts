import { expect, test } from 'vitest';
import { rowsOf } from '../stand/runs.ts';
import { giveUp, observe, VERA } from './objects.ts';
import { type ConsoleStand, useConsole } from './stand.ts';

const openConsole = useConsole();
const FEW = 200;
const MANY = 20_000;
/** As many as one approval covers, in each of five places. */
const PAGE_FULL = 2_500;

/** As an earlier version stored them: the hash alone. */
async function store(stand: ConsoleStand, count: number, code = 'template-failed'): Promise<void> {
  for (let at = 0; at < count; at += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, count - at) }, (_, nth) => {
      const key = `contact/many-${String(at + nth).padStart(6, '0')}`;
      const message = 'the template of Name failed: no such filter';
      const reasons = [{ mirror: 'staff', code, message, target: `calendar:${nth % 5}` }];
      return [
        key,
        JSON.stringify({ key, atMs: stand.clock.now() - at - nth, attempts: 1, reasons }),
      ] as const;
    });
    await stand.store.redis.hset(stand.store.keys.dead, Object.fromEntries(rows));
  }
}

/** What Redis sends, and how often it is asked, while `read` runs once its first reading is done, and nothing of that is kept any more. */
async function cost(stand: ConsoleStand, read: () => Promise<unknown>) {
  await read();
  stand.clock.advance(3_000);
  const before = await figures(stand);
  await read();
  const after = await figures(stand);
  return { bytes: after.bytes - before.bytes, commands: after.commands - before.commands };
}

async function figures({ store: { redis } }: ConsoleStand) {
  const info = await redis.info('stats');
  const figure = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
  return { bytes: figure('total_net_output_bytes'), commands: figure('total_commands_processed') };
}

const allowed = (name: string, kind: string) =>
  `/console/approvals/allow?${new URLSearchParams({ name, kind }).toString()}`;

const PAGES: readonly [string, string, string?, number?][] = [
  ['the page', '/console/letters'],
  ['a filter', '/console/letters?code=template-failed&place=calendar%3A3'],
  ['an age', '/console/letters?age=1h'],
  ['a confirmation', '/console/letters/retry?code=template-failed'],
  ['the page of one object', `/console/object/appointment/${VERA.id}`],
  ['the approvals', '/console/approvals'],
  ['home', '/console'],
  ['the approvals of deletions', '/console/approvals', 'mass-deletion'],
  ['an approval of deletions', allowed('approved-deletions:3', 'deletions'), 'mass-deletion', PAGE_FULL],
  ['the approvals of mails', '/console/approvals', 'mail-storm'],
  ['an approval of mails', allowed('approved-mails', 'mails'), 'mail-storm', PAGE_FULL],
  ['the frame for mails that wait', '/console/again', 'mail-storm'],
  ['the frame for deletions that wait', '/console/again', 'mass-deletion'],
];

test.each(rowsOf(PAGES, 5))(
  '%s reads as much of Redis with many letters as with few',
  async (_, path, ...[code = 'template-failed', fewest = FEW]) => {
    const costs = [];
    for (const count of [fewest, MANY]) {
      const stand = await openConsole();
      await store(stand, count, code);
      const claim = await observe(stand, 'appointment', VERA);
      await giveUp(stand, claim, { mirror: 'staff', code: 'template-failed', message: 'm' });
      const browser = await stand.signIn('ops');
      costs.push(await cost(stand, async () => expect((await browser.get(path)).status).toBe(200)));
    }
    const [few = { bytes: 0, commands: 0 }, many = few] = costs;
    expect(many.bytes).toBeLessThan(few.bytes * 3);
    expect(many.commands).toBeLessThan(few.commands * 3);
  },
);

test('the reading of status, metrics and alerts costs the same with many letters as with few', async () => {
  const bytes = [];
  for (const count of [FEW, MANY]) {
    const stand = await openConsole();
    await store(stand, count);
    const read = () => stand.store.ledger.deadLetters(20);
    bytes.push((await cost(stand, read)).bytes);
    expect(await read()).toMatchObject({ count, codes: { 'template-failed': count } });
    expect((await read()).letters.map(({ key }) => key).slice(0, 2)).toEqual([
      'contact/many-000000',
      'contact/many-000001',
    ]);
  }
  expect(bytes[1]).toBeLessThan((bytes[0] ?? 0) * 3);
});
