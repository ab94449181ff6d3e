/** The YAML's entry of a booking sheet is edited: rows that nobody has touched book, move and cancel nothing (P7, P4). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { inheritLinks } from '../../src/operate/mapping-change/inherit-links.ts';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { rowsOf } from '../stand/runs.ts';
import { SILENT_LOG } from '../stand/store.ts';

const stands = new IntakeStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

type Rules = IntakeWorld['mapping'];

const EDITS: readonly (readonly [string, (rules: Rules, world: IntakeWorld) => Partial<Rules>])[] = [
  ['another time zone', () => ({ timezone: 'Europe/Berlin' })],
  ['the month before the day', () => ({ dateFormats: ['M/d/yyyy H:mm'] })],
  [
    'another title of the tab',
    (_, world) => {
      world.staff.renameTab({ ...world.at, to: 'Desk' });
      world.at.tab = 'Desk';
      return { tab: 'Desk' };
    },
  ],
  [
    'no column for the resource',
    ({ columns: { resource: _, ...columns } }) => ({ columns, resource: 'Anna' }),
  ],
  ['another column for the start', ({ columns }) => ({ columns: { ...columns, starts_at: 'Notes' } })],
  ['another column for the resource', ({ columns }) => ({ columns: { ...columns, resource: 'Notes' } })],
  ['another column for a comment', ({ columns }) => ({ columns: { ...columns, comment: 'Notes' } })],
  ['one resource for everybody', () => ({ resource: 'Boris' })],
  ['one service for everybody', () => ({ service: 'Massage' })],
  ['another name, and another time zone', () => ({ name: 'desk', timezone: 'Europe/Berlin' })],
  ['one name for everybody', ({ customer }) => ({ customer: { ...customer, name: 'Client' } })],
  ['another language', () => ({ language: 'ru' })],
];

/** Three polls, and everything that follows from them. */
async function pass(world: IntakeWorld): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await world.settle();
    world.clock.advance(60_000);
  }
}

async function takeOver({ store, mapping }: IntakeWorld): Promise<void> {
  const entry = { kind: 'booking', name: mapping.name, from: 'booking', sources: ['the tab'] } as const;
  await inheritLinks({ mirrors: [entry], moves: store.linkMoves, memory: store.memory, log: SILENT_LOG });
}

/** The worker starts again with another YAML. */
async function edit(world: IntakeWorld, rules: Partial<Rules>): Promise<void> {
  await world.settle();
  await takeOver(world);
  Object.assign(world.mapping, rules);
  await takeOver(world);
  await world.restart();
  await pass(world);
}

const APRIL_7 = '2026-04-07T09:00:00.000Z';
const isOpen = (booked: string) => !/Igor|Zoya/.test(booked);

test.each(rowsOf(EDITS, 4))('with %s', async (name, rulesOf) => {
  const world = await stands.start({ dateFormats: ['d/M/yyyy H:mm'], timezone: 'Europe/Moscow' });
  const { dashboard, platform } = world;
  const resourceIds = [platform.annaId, platform.borisId];
  dashboard.createService({ projectId: platform.projectId, name: 'Massage', resourceIds });
  const type = (at: number, who: string, cells: Record<string, string | boolean> = {}) =>
    world.type({
      ...{ Name: who, Phone: `8 495 000-11-0${at}` },
      ...{
        Start: `'3/4/2026 ${10 + at}:00`,
        Notes: name.endsWith('resource') ? 'Boris' : `'5/4/2026 ${10 + at}:00`,
      },
      ...cells,
    });
  const taken = dashboard.bookAs('lk', {
    ...{ serviceId: platform.serviceId, resourceId: platform.annaId, customerName: 'Somebody' },
    ...{ startsAt: '2026-04-03T09:00:00Z', customerPhone: '+74950001199' },
  });
  const [booked, refused, ticked, gone, moved, ...others] = [
    ...[type(1, 'Vera Orlova'), type(2, 'Igor Petrov'), type(3, 'Olga Smirnova')],
    ...[type(4, 'Nina Belova'), type(5, 'Lev Somov'), type(6, 'Ilya Frolov', { Ready: false })],
    type(7, 'Zoya Krylova', { Service: 'Unheard-of' }),
  ] as const;
  await world.settle();
  world.put(ticked, 'Cancel', true);
  await world.settle();
  dashboard.cancel(String(world.row(gone)['Appointment']), { notify: false });
  dashboard.reschedule(String(world.row(moved)['Appointment']), { startsAt: APRIL_7, notify: false });
  await world.hear();
  await world.settle();
  dashboard.cancel(taken, { notify: false });
  const before = world.booked();
  expect(before).toEqual(['2026-04-03T08:00:00.000Z Anna Vera Orlova', `${APRIL_7} Anna Lev Somov`]);
  const rules: Rules = { ...world.mapping };

  await edit(world, rulesOf(world.mapping, world));
  expect(world.booked()).toEqual(before);
  expect(world.appointments()).toHaveLength(5);
  // What people type now is a new try for who was refused. For the others it says nothing about hour and resource.
  for (const [at, row] of [booked, refused, ticked, gone, moved, ...others].entries())
    world.put(row, 'Phone', `+7 495 000-11-0${at + 1}`);
  await pass(world);
  expect(world.booked().filter(isOpen)).toEqual(before);

  if (world.at.tab !== rules.tab) world.staff.renameTab({ ...world.at, to: rules.tab });
  world.at.tab = rules.tab;
  await edit(world, rules);
  expect(world.booked().filter(isOpen)).toEqual(before);
  world.put(booked, 'Start', `'3/4/2026 18:00`);
  await pass(world);
  expect(world.booked()).toContain('2026-04-03T15:00:00.000Z Anna Vera Orlova');
});

test('P4: a row that says another hour by the new rules asks, and moves once its hour is typed', async () => {
  const world = await stands.start({ timezone: 'Europe/Moscow' });
  const row = world.type();
  await world.settle();
  await edit(world, { timezone: 'Europe/Berlin' });
  expect(world.row(row)['Status']).toContain('Not moved: this row differs from its appointment');
  await world.restart();
  await pass(world);
  expect(world.booked()).toEqual(['2026-03-03T07:00:00.000Z Anna Vera Orlova']);
  world.put(row, 'Start', '03.03.2026 14:00');
  await pass(world);
  expect(world.booked()).toEqual(['2026-03-03T13:00:00.000Z Anna Vera Orlova']);
  expect(world.row(row)['Status']).toBe('Booked.');
});
