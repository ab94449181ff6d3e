/** What the audit says of blocks: read from the calendars and from the platform, not from what is remembered. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { auditBlocks, type BlockAuditParts } from '../../src/calendar/block-desk.ts';
import type { Difference } from '../../src/engine/finding.ts';
import { BlockStands, type BlockWorld, march, PRIVATE, SECRET_TEXT, tuesday } from '../stand/blocks.ts';

const stands = new BlockStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

async function audited(world: BlockWorld, over: Partial<BlockAuditParts> = {}) {
  const differences: Difference[] = [];
  const { ledger: view, deadLetters, memory } = world.store;
  const result = await auditBlocks(
    {
      ...{ rules: [world.rule], calendars: world.calendars, bookingsIn: () => [] },
      ...{ directory: { current: () => world.directory }, writer: world.ground.writer },
      ...{ view, deadLetters, memory, clock: world.clock, log: world.log, ...over },
    },
    (difference) => differences.push(difference),
  );
  return { differences, ...result };
}
const told = ({ differences }: { differences: readonly Difference[] }) =>
  differences.map(({ what, why, name }) => `${what}, ${why}: ${name}`).sort();

/** Three blocks stand as they should. */
async function begun() {
  const world = await stands.start();
  const [moved = '', gone = ''] = [
    world.busy(tuesday('10:00'), tuesday('11:00')),
    world.busy(march(4, '10:00'), march(4, '11:30')),
    world.busy(march(5, '08:00'), march(5, '23:00')),
  ];
  // The day has begun: earlier appointments shape its blocks.
  const { serviceId, annaId: resourceId } = world.platform;
  world.dashboard.bookAs('lk', {
    ...{ serviceId, resourceId, startsAt: march(5, '09:00'), customerName: 'Vera', notify: false },
  });
  await world.settle();
  return { world, moved, gone };
}

test('nothing where blocks stand as the calendars say, whatever the hour', async () => {
  const { world } = await begun();
  const first = await audited(world);
  expect(first).toMatchObject({ differences: [], objects: 1, standing: world.blocks().length });
  world.clock.advance(76 * 3_600_000);
  expect((await audited(world)).differences).toEqual([]);
});

test('a block that is missing, one that nobody asked for, and one at another hour; why, as far as is known', async () => {
  const { world, moved, gone } = await begun();
  const [first = '', second = ''] = world.blockIds();
  world.staff.move({ calendarId: PRIVATE, eventId: moved, start: tuesday('14:00') });
  world.staff.remove({ calendarId: PRIVATE, eventId: gone });
  world.busy(march(6, '10:00'), march(6, '12:00'));
  const fresh = await audited(world);
  expect(told(fresh)).toEqual([
    'missing, pending: 2026-03-06T07:00:00.000Z',
    `orphaned, pending: ${second}`,
    `stale, pending: ${first}`,
  ]);
  // No round of the worker has read it within twice its pace.
  world.clock.advance(10 * 60_000);
  expect((await audited(world)).differences.map(({ why }) => why)).toEqual(Array(3).fill('missed-event'));
  await world.settle();
  expect((await audited(world)).differences).toEqual([]);
  // Cancelled by hand, and nobody has heard it.
  world.dashboard.cancel(first, { notify: false });
  expect(told(await audited(world))).toEqual(['missing, unknown: 2026-03-03T11:00:00.000Z']);
  expect(JSON.stringify([fresh, world.log.lines])).not.toContain(SECRET_TEXT);
});

test('what the platform refuses is no difference', async () => {
  const world = await stands.start({ hours: { 2: [[0, 1_440]] } });
  world.busy(tuesday('07:00'), tuesday('08:00'));
  await world.settle();
  expect((await world.report())?.refused).toHaveLength(1);
  expect((await audited(world)).differences).toEqual([]);
});

test('nothing is concluded from a calendar that cannot be read', async () => {
  const { world } = await begun();
  world.google.revokeAccess(PRIVATE);
  const { differences, unread } = await audited(world);
  expect([differences, [...unread]]).toEqual([[], [[`calendar:${PRIVATE}`, 'calendar-not-shared']]]);
});

test('blocks that the YAML does not name any more are unmapped: of a person, of an entry, under another service', async () => {
  const { world } = await begun();
  const all = world.blockIds().length;
  for (const rules of [
    [],
    [{ ...world.rule, people: [] }],
    [{ ...world.rule, contactId: '00000000-0000-4000-8000-00000000dead' }],
  ]) {
    const { differences } = await audited(world, { rules });
    expect(differences.filter(({ what }) => what === 'unmapped')).toHaveLength(all);
    expect(differences.filter(({ what }) => what === 'orphaned')).toEqual([]);
  }
});

test('an entry that is paused misses nothing', async () => {
  const { world, gone } = await begun();
  world.staff.remove({ calendarId: PRIVATE, eventId: gone });
  expect((await audited(world, { rules: [{ ...world.rule, paused: true }] })).differences).toEqual([]);
});
