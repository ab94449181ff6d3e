/** What people type in bulk into tabs and booking sheets: beyond the bound it waits for a person, and nothing of it is lost or doubled. */
import { afterAll, afterEach, expect, test } from 'vitest';
import { PARKED, PARKED_ROWS } from '../../src/engine/edit-guard.ts';
import { approveParked, declineParked, digestOf, waitingApprovals } from '../../src/operate/approvals.ts';
import { type CarriedRules, CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';
import { heldRowsOf } from '../stand/held-rows.ts';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';
import { rowsOf, strideOf } from '../stand/runs.ts';

const carried = new CarriedStands();
const intake = new IntakeStands();
afterEach(() => Promise.all([carried.closeWorlds(), intake.closeWorlds()]));
afterAll(() => Promise.all([carried.close(), intake.close()]));

type World = Pick<CarriedWorld | IntakeWorld, 'store' | 'clock'>;

const MINUTE_MS = 60_000;
const WAITS = /^Not changed yet: Phone\. .*a person is asked first\. .* Somebody wrote: "(7495111\d{4})"\.$/;

const waitingIn = ({ store: { memory, deadLetters }, clock }: World) =>
  waitingApprovals({ memory, deadLetters, clock });
const problemsOf = async ({ store }: World) =>
  (await store.problems.list()).map(({ target, code }) => `${target} ${code}`);
const parkedIn = async ({ store }: World) => [...(await store.memory.all(PARKED)).keys()];

async function decide(world: World, verdict: typeof approveParked | typeof declineParked): Promise<void> {
  const [waiting] = await waitingIn(world);
  if (waiting === undefined) throw new Error('nothing waits');
  await verdict({ memory: world.store.memory, clock: world.clock }, waiting);
}

/** A tab of so many contacts. */
async function contacts(count: number, rules: CarriedRules = {}) {
  const world = await carried.start(rules);
  const ids = Array.from({ length: count }, (_, at) =>
    world.create(`Guest ${at}`, `+7495000${1100 + at}`, `guest${at}@example.com`),
  );
  await world.settle(1);
  return { world, ids };
}

const phoneOf = (at: number) => `+7495111${1100 + at}`;
const phones = (world: CarriedWorld, ids: readonly string[]) => ids.map((id) => world.contact(id)?.['phone']);

/** By default forty phones, of which thirty pass; in `npm test` fewer. */
const PHONES = rowsOf(
  [
    { typed: 7, passing: 5, rules: { editsPerHour: 5 } },
    { typed: 40, passing: 30, rules: {} },
  ],
  2,
);

test.each(PHONES)(
  'P3: $typed phones are replaced within a minute: $passing reach the platform, and the other rows wait for a person',
  async ({ typed, passing, rules }) => {
    const { world, ids } = await contacts(typed + 3, rules);
    for (let at = 0; at < typed; at += 1) {
      world.put(ids[at] ?? '', 'Phone', phoneOf(at));
      if (at % 20 === 19) await world.settle(1);
    }
    await world.settle(1);
    const isNew = ids.map((id, at) => world.contact(id)?.['phone'] === phoneOf(at));
    const held = ids.flatMap((id, at) => (at < typed && isNew[at] === false ? [{ id, at }] : []));
    expect(held).toHaveLength(typed - passing);
    for (const { id, at } of held) {
      const row = world.row(id);
      expect(row['Phone']).toBe(`+7495000${1100 + at}`);
      expect(WAITS.exec(String(row['Answer']))?.[1]).toBe(phoneOf(at).slice(1));
    }
    await world.lookAtHeld();
    expect(await problemsOf(world)).toEqual(['edits:contacts mass-edit']);
    const [waiting] = await waitingIn(world);
    expect(waiting).toMatchObject({ kind: 'edits', place: 'contacts', count: typed - passing });
    expect([...(waiting?.members ?? [])].sort()).toEqual(held.map(({ id }) => `contact/${id}`).sort());
    const [first] = held;
    const story = await world.store.history.of(`contact/${first?.id}`);
    expect(story).toContainEqual(expect.objectContaining({ what: 'acted', code: 'mass-edit' }));

    // Neither an hour nor news of the contact releases them.
    world.clock.advance(61 * MINUTE_MS);
    world.dashboard.changeContact(first?.id ?? '', { lifecycle: 'customer' });
    await world.settle(1);
    expect(world.row(first?.id ?? '')).toMatchObject({
      Stage: 'customer',
      Answer: expect.stringMatching(WAITS),
    });

    await decide(world, approveParked);
    await world.lookAtHeld();
    await world.settle(1);
    expect(phones(world, ids.slice(0, typed))).toEqual(ids.slice(0, typed).map((_, at) => phoneOf(at)));
    for (const { id, at } of held)
      expect(world.row(id)).toMatchObject({
        Phone: phoneOf(at),
        Answer: 'Changed in the booking system: Phone.',
      });
    await world.lookAtHeld();
    await world.lookAtHeld();
    expect([await problemsOf(world), await parkedIn(world)]).toEqual([[], []]);
  },
);

test('what a person declines stays as the platform has it, the row says so, and writing it again asks again', async () => {
  const { world, ids } = await contacts(3, { editsPerHour: 1 });
  const [ada = '', bea = '', cleo = ''] = ids;
  for (const [at, id] of [ada, bea].entries()) world.put(id, 'Phone', phoneOf(at));
  await world.settle();
  const [waiting] = await waitingIn(world);
  const id = waiting?.members?.[0]?.slice('contact/'.length) ?? '';
  const typed = phoneOf(id === ada ? 0 : 1);
  const before = world.contact(id)?.['phone'];
  // Another worker's life raises the problem anew.
  await world.restart();
  await world.lookAtHeld();
  expect(await problemsOf(world)).toEqual(['edits:contacts mass-edit']);
  // As after a death within a look.
  await world.store.memory.forget(PARKED_ROWS);
  await decide(world, declineParked);
  await world.lookAtHeld();
  await world.settle();
  expect(world.contact(id)?.['phone']).toBe(before);
  expect(world.row(id)).toMatchObject({
    Phone: before,
    Answer: expect.stringMatching(
      /^Not changed: Phone\. .*declined this.* Somebody wrote: "7495111\d{4}"\.$/,
    ),
  });
  await world.lookAtHeld();
  await world.lookAtHeld();
  expect(await parkedIn(world)).toEqual([]);
  world.put(id, 'Phone', typed);
  world.put(cleo, 'Phone', phoneOf(2));
  await world.settle();
  expect((await waitingIn(world))[0]).toMatchObject({ kind: 'edits', count: 2 });
});

test('an approval is about what was typed then: another value that follows waits anew', async () => {
  const { world, ids } = await contacts(2, { editsPerHour: 1 });
  world.put(ids[0] ?? '', 'Phone', phoneOf(0));
  await world.settle();
  const id = ids[1] ?? '';
  world.put(id, 'Phone', phoneOf(1));
  await world.settle();
  const [shown] = await waitingIn(world);
  world.put(id, 'Phone', phoneOf(2));
  await world.settle();
  const [now] = await waitingIn(world);
  if (shown === undefined || now === undefined) throw new Error('nothing waits');
  expect(now.members).toEqual(shown.members);
  expect(digestOf(now)).not.toBe(digestOf(shown));
  await approveParked({ memory: world.store.memory, clock: world.clock }, shown);
  await world.lookAtHeld();
  await world.settle();
  expect(world.contact(id)?.['phone']).toBe('+74950001101');
  await decide(world, approveParked);
  await world.lookAtHeld();
  await world.settle();
  expect(world.contact(id)?.['phone']).toBe(phoneOf(2));
});

test('appointments that the office moves count, too', async () => {
  const world = await carried.start({ kind: 'appointment', editsPerHour: 1 });
  const ids = [10, 12].map((hour) => world.book(`Guest ${hour}`, `2026-03-03T${hour}:00:00+03:00`));
  await world.settle(1);
  for (const [at, id] of ids.entries()) {
    world.put(id, 'Start', at === 0 ? '2026-03-04 11:00' : '2026-03-05 13:00');
    await world.settle(2);
  }
  expect(ids.map(world.startOf)).toEqual(['2026-03-04 11:00', '2026-03-03 12:00']);
  expect(world.row(ids[1] ?? '')['Answer']).toMatch(/^Not changed yet: Start\./);
  await decide(world, approveParked);
  await world.lookAtHeld();
  await world.settle(2);
  expect(ids.map(world.startOf)).toEqual(['2026-03-04 11:00', '2026-03-05 13:00']);
});

test('killed at any step of a round in which a change is held or released: nothing is lost, and nothing passes', async () => {
  const { world, ids } = await contacts(2, { editsPerHour: 1 });
  const id = ids[1] ?? '';
  let phone = world.contact(id)?.['phone'];
  let isDead = true;
  for (let step = 1; isDead; step += strideOf(11)) {
    const told = `killed at ${step}`;
    // The hour's only edit is another row's.
    world.put(ids[0] ?? '', 'Name', `Counted ${step}`);
    await world.settle(1);
    const typed = `+7495111${2000 + step}`;
    world.put(id, 'Phone', typed);
    isDead = await world.dieAt(step);
    if (isDead) await world.restart();
    await world.settle(2);
    expect(world.contact(id)?.['phone'], told).toBe(phone);
    expect(String(world.row(id)['Answer']), told).toContain(`Somebody wrote: "${typed.slice(1)}"`);
    await decide(world, approveParked);
    await world.lookAtHeld();
    isDead = (await world.dieAt(step)) || isDead;
    await world.restart();
    world.clock.advance(2 * MINUTE_MS);
    await world.lookAtHeld();
    await world.settle(2);
    expect(world.contact(id)?.['phone'], told).toBe(typed);
    expect(world.row(id), told).toMatchObject({
      Phone: typed,
      Answer: 'Changed in the booking system: Phone.',
    });
    world.clock.advance(2 * MINUTE_MS);
    await world.lookAtHeld();
    await world.lookAtHeld();
    expect(await parkedIn(world), told).toEqual([]);
    phone = typed;
  }
}, 120_000);

/** Rows that are pasted, each with a time of its own. */
function paste(world: IntakeWorld, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => {
    const [day, hour] = [3 + Math.floor(at / 8), 10 + (at % 8)];
    return world.type({
      Start: `${String(day).padStart(2, '0')}.03.2026 ${hour}:00`,
      Name: `Guest ${at}`,
      Phone: `8 495 000-${12 + Math.floor(at / 100)}-${String(at % 100).padStart(2, '0')}`,
    });
  });
}

const HELD = /^Not booked yet: .*a person is asked first/;
const statuses = (world: IntakeWorld, rows: readonly number[]) =>
  rows.map((row) => String(world.row(row)['Status']));

const PASTED = rowsOf(
  [
    { pasted: 6, passing: 4, rules: { rowsPerHour: 4 } },
    { pasted: 60, passing: 40, rules: {} },
  ],
  2,
);

test.each(PASTED)(
  'P7: $pasted rows are pasted into a booking sheet: $passing are booked, and the others wait for a person',
  async ({ pasted, passing, rules }) => {
    const world = await intake.start(rules);
    const rows = paste(world, pasted);
    await world.settle();
    const told = statuses(world, rows);
    expect(told.filter((text) => text === 'Booked.')).toHaveLength(passing);
    expect(told.filter((text) => HELD.test(text))).toHaveLength(pasted - passing);
    expect(world.appointments()).toHaveLength(passing);
    await world.lookAtHeld();
    expect(await world.problems()).toEqual(['bookings:front-submitter mass-booking']);
    const [waiting] = await waitingIn(world);
    expect(waiting).toMatchObject({ kind: 'bookings', place: 'front-submitter', count: pasted - passing });

    world.clock.advance(61 * MINUTE_MS);
    await world.hear();
    await world.settle();
    expect(world.appointments()).toHaveLength(passing);

    await decide(world, approveParked);
    await world.lookAtHeld();
    await world.settle();
    expect(new Set(statuses(world, rows))).toEqual(new Set(['Booked.']));
    expect(new Set(world.booked()).size).toBe(pasted);
    expect(world.appointments()).toHaveLength(pasted);
    await world.lookAtHeld();
    await world.lookAtHeld();
    expect([await world.problems(), await parkedIn(world)]).toEqual([[], []]);
  },
);

test('a held row that is declined says so; one that is deleted waits no more; one changed asks again', async () => {
  const world = await intake.start({ rowsPerHour: 1 });
  const rows = paste(world, 3);
  await world.settle();
  const waits = rows.filter((row) => HELD.test(String(world.row(row)['Status'])));
  expect(waits).toHaveLength(2);
  const [gone = 0, kept = 0] = waits;
  world.put(gone, 'Ready', false);
  world.put(kept, 'Resource', 'Boris');
  await world.settle();
  expect((await waitingIn(world)).map(({ count }) => count)).toEqual([1]);
  await decide(world, declineParked);
  await world.lookAtHeld();
  await world.settle();
  expect(world.row(kept)['Status']).toMatch(/^Not booked: .*declined this one/);
  await world.lookAtHeld();
  await world.lookAtHeld();
  expect([world.appointments().length, await parkedIn(world)]).toEqual([1, []]);
  world.put(kept, 'Resource', 'Anna');
  await world.settle();
  expect(world.row(kept)['Status']).toMatch(HELD);
});

test('P2: killed between the approval and the answer, and with Redis lost: each row is booked once and none is held anew', async () => {
  const world = await intake.start({ rowsPerHour: 1 });
  const rows = paste(world, 3);
  await world.settle();
  await decide(world, approveParked);
  await world.lookAtHeld();
  for (const place of ['submit', 'answer'] as const) {
    world.deaths[place] = true;
    await world.work();
    world.clock.advance(2 * MINUTE_MS);
    await world.restart();
    await world.lookAtHeld();
    await world.settle();
  }
  expect(new Set(statuses(world, rows))).toEqual(new Set(['Booked.']));
  expect(world.appointments()).toHaveLength(3);
  await world.lookAtHeld();
  await world.lookAtHeld();
  expect(await parkedIn(world)).toEqual([]);
  await world.loseRedis();
  world.forget();
  await world.settle();
  await world.settle();
  expect(new Set(statuses(world, rows))).toEqual(new Set(['Booked.']));
  expect([world.appointments().length, await waitingIn(world)]).toEqual([3, []]);
});

test('a front desk with a busy day is never held: a row each two minutes, for hours on end', async () => {
  const world = await intake.start();
  const holds = heldRowsOf(world.store, world.clock);
  for (let at = 0; at < 100; at += 1) {
    const judge = (kind: 'edits' | 'bookings', perHour: number) =>
      holds.judge({ kind, place: 'desk', key: `contact/${at}` }, { of: `${at}`, isHeld: false, perHour });
    expect(await judge('edits', 30)).toEqual({ verdict: 'pass', isParked: false });
    expect(await judge('bookings', 40)).toEqual({ verdict: 'pass', isParked: false });
    world.clock.advance(2 * MINUTE_MS);
  }
});
