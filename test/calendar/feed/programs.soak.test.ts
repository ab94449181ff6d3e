// P1, P2, P9: calendar programs that people use read the feed as the platform has it.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { icalendar } from '../../../src/calendar/feed-handler.ts';
import { openSession } from '../../../src/worker/operator-session.ts';
import { PATIENCE_MS } from '../../stand/patience.ts';
import { MIRRORS, startWorld, type World } from '../../stand/world.ts';
import { PROGRAMS, READER_ZONE, shownTime } from './programs.ts';

const PLACE = 'Room 1, "left"; house 2: Straße 😀';
const FEEDS = `
feeds:
  anna:
    resource: Anna Petrova
    where: { status: [pending, confirmed], since: 7d }
    event:
      title: "{{ service_name }}, {{ customer_name }}"
      description: "{{ comment }}"
      location: '${PLACE}'
`;
const HOUR_MS = 3_600_000;
const PEOPLE = [
  { name: 'Nina; Weber \\ Co', comment: 'first, second; \\ third' },
  { name: 'a\u2028b', comment: 'one\u2028two\u0085three\u000bfour' },
  { name: 'Überlänge 😀 '.repeat(10).trim(), comment: 'BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT' },
  { name: '"Quoted": =1+1', comment: '  * list\n  * of words' },
];

let world: World;
let address: string;
let folder: string;
/** What the platform has. */
let ids: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-feed-'));
  world = await startWorld({ mirrors: `${MIRRORS}${FEEDS}` });
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  const session = await openSession(world.config(port), { now: Date.now });
  address = `${worker.url}${new URL((await session.feedLinks.make('anna')) ?? '').pathname}`;
  await session.close();
  const changeMs = nextChangeMs(Date.now() + 24 * HOUR_MS);
  // Before, at and after the change, and at the same hour by the clock on the day before and after.
  ids = [-24, -1, 0, 24].map((hours, at) =>
    world.platform.dashboard.bookAs('lk', {
      ...{ serviceId: world.company.haircut, resourceId: world.company.anna },
      startsAt: new Date(changeMs + hours * HOUR_MS).toISOString(),
      ...{ customerName: PEOPLE[at]?.name ?? '', customerPhone: '+74950001101' },
      comment: PEOPLE[at]?.comment ?? '',
    }),
  );
  await world.untilIdle(worker.url);
  await vi.waitFor(
    async () => expect((await (await fetch(address)).text()).match(/BEGIN:VEVENT\r/g)).toHaveLength(4),
    { timeout: PATIENCE_MS, interval: 500 },
  );
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The next change of the readers' clocks. */
function nextChangeMs(fromMs: number): number {
  let atMs = Math.ceil(fromMs / HOUR_MS) * HOUR_MS;
  const offsetAt = (ms: number) => DateTime.fromMillis(ms, { zone: READER_ZONE }).offset;
  while (offsetAt(atMs) === offsetAt(atMs - HOUR_MS)) atMs += HOUR_MS;
  return atMs;
}

function ofPlatform() {
  const all = ids.map((id) => world.platform.truth.appointment(id) as Record<string, unknown>);
  return all
    .filter(({ status }) => status !== 'cancelled')
    .map((each) => ({
      start: shownTime(String(each['starts_at'])),
      end: shownTime(String(each['ends_at'])),
      title: `${each['service_name']}, ${each['customer_name']}`.replaceAll(/\s+/gu, ' '),
      place: PLACE,
      text: String(each['comment'])
        .replaceAll(/[\u2028\u0085\v]/g, '\n')
        .trim(),
    }));
}

describe.each(PROGRAMS)('$name', ({ isInstalled, read }) => {
  test.skipIf(!isInstalled)('shows titles, places, texts and times as the platform has them', async () => {
    expect(await read(address, folder)).toEqual(ofPlatform());
  });
});

describe('two appointments that look the same', () => {
  let server: Server;
  beforeAll(async () => {
    const shown = {
      ...{ startsAt: '2026-11-03T09:00:00Z', endsAt: '2026-11-03T10:00:00Z', isTentative: false },
      ...{ title: 'Haircut', description: 'none', location: PLACE, sequence: 7, stampMs: 0 },
    };
    const text = icalendar(
      'anna',
      ['a', 'b'].map((id) => ({ id, ...shown })),
    );
    server = createServer((_, response) => response.end(text)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  test.each(PROGRAMS.filter(({ isInstalled }) => isInstalled))('are two in $name', async ({ name, read }) => {
    const { port } = server.address() as AddressInfo;
    const own = join(folder, `twins ${name}`);
    await mkdir(own);
    expect(await read(`http://127.0.0.1:${port}/`, own)).toHaveLength(2);
  });
});

describe('after the last appointment was cancelled', () => {
  beforeAll(async () => {
    for (const id of ids) world.platform.dashboard.cancel(id, { notify: false });
    await vi.waitFor(async () => expect(await (await fetch(address)).text()).toContain('DTSTART:20000101'), {
      timeout: PATIENCE_MS,
      interval: 500,
    });
  });

  for (const { name, isInstalled, read } of PROGRAMS)
    test.skipIf(!isInstalled)(`${name} shows none`, async () => {
      expect(await read(address, folder)).toEqual([]);
    });
});
