/** A mirror whose cells people may change gets another name in the YAML while what they typed waits (P1, P7). */
import { afterAll, afterEach, expect, test } from 'vitest';
import { approveParked, waitingApprovals } from '../../src/operate/approvals.ts';
import { inheritLinks } from '../../src/operate/mapping-change/inherit-links.ts';
import { CarriedStands, type CarriedWorld } from '../stand/carried-sheet.ts';
import { strideOf } from '../stand/runs.ts';
import { SILENT_LOG } from '../stand/store.ts';
import { startContacts } from './carried-rows.ts';

const stands = new CarriedStands();
afterEach(() => stands.closeWorlds());
afterAll(() => stands.close());

const PHONE = '+74951110011';

async function takeOver({ store, mirror, at }: CarriedWorld): Promise<void> {
  const now = { kind: 'sheet', name: mirror.name, from: mirror.from, places: [{ ...at }] } as const;
  await inheritLinks({ mirrors: [now], moves: store.linkMoves, memory: store.memory, log: SILENT_LOG });
}

/** The worker starts again with another name of the mirror. */
async function rename(world: CarriedWorld, name: string, ids: readonly string[]): Promise<void> {
  await takeOver(world);
  Object.assign(world.mirror, { name });
  await takeOver(world);
  await world.restart();
  await world.store.dirtyMarks.markDirty(
    ids.map((id) => ({ kind: 'contact', id })),
    { read: true },
  );
}

const waiting = ({ store: { memory, deadLetters }, clock }: CarriedWorld) =>
  waitingApprovals({ memory, deadLetters, clock });

test.each([[['guests']], [['guests', 'contacts']]])(
  'P1: what was typed and not carried yet is carried under %j',
  async (names) => {
    const { world, ada, bea } = await startContacts(stands);
    world.put(ada, 'Phone', PHONE);
    await world.look();
    const lift = world.platform.sandbox.faults.add({
      method: 'PATCH',
      fault: { kind: 'status', status: 503 },
    });
    await world.work(2);
    for (const name of names) {
      await rename(world, name, [ada, bea]);
      await world.work(1);
    }
    lift();
    await world.settle();
    expect(world.contact(ada)).toMatchObject({ phone: PHONE });
    expect(world.row(ada)).toMatchObject({ Phone: PHONE, Answer: 'Changed in the booking system: Phone.' });
  },
);

test('P1: what was typed and not looked at yet is carried under another name', async () => {
  const { world, ada, bea } = await startContacts(stands);
  world.put(ada, 'Phone', PHONE);
  await rename(world, 'guests', [ada, bea]);
  await world.settle();
  expect(world.contact(ada)).toMatchObject({ phone: PHONE });
});

test('P1: what was sent without an answer is carried under another name', async () => {
  const { world, ada, bea } = await startContacts(stands);
  world.put(ada, 'Phone', PHONE);
  await world.look();
  world.platform.sandbox.faults.add({ method: 'PATCH', times: 1, fault: { kind: 'commit-then-reset' } });
  await world.work(1);
  await rename(world, 'guests', [ada, bea]);
  await world.settle();
  expect(world.contact(ada)).toMatchObject({ phone: PHONE });
  expect(world.row(ada)).toMatchObject({ Phone: PHONE, Answer: 'Changed in the booking system: Phone.' });
});

test('P1: what people typed under a write at any call of which the worker died is carried under another name', async () => {
  for (let [step, died] = [1, true]; died; step += strideOf(1)) {
    const { world, ada, bea } = await startContacts(stands);
    world.clock.advance(60_000);
    world.dashboard.changeContact(ada, { lifecycle: 'sql' });
    await world.hear();
    await world.work();
    world.api.beforeWrite = () => world.put(ada, 'Phone', PHONE);
    died = await world.dieAt(step);
    await rename(world, 'guests', [ada, bea]);
    await world.settle();
    expect(world.contact(ada), `step ${step}`).toMatchObject({ phone: PHONE, lifecycle: 'sql' });
  }
});

test.each([[['guests']], [['guests', 'contacts']]])(
  'P1: what waits for a person still waits under %j, and is carried once approved',
  async (names) => {
    const { world, ada, bea, cleo } = await startContacts(stands, { editsPerHour: 1 });
    world.put(ada, 'Phone', PHONE);
    world.put(bea, 'Phone', '+74951110022');
    await world.settle();
    await world.lookAtHeld();
    const [before] = await waiting(world);
    expect(before).toMatchObject({ place: 'contacts', count: 1 });
    const held = String(before?.members?.[0]).slice('contact/'.length);
    for (const name of names) {
      await rename(world, name, [ada, bea, cleo]);
      await world.settle();
      await world.lookAtHeld();
    }
    const all = await waiting(world);
    expect(all).toMatchObject([{ place: names.at(-1), count: 1, members: before?.members }]);
    expect(world.row(held)['Answer']).toContain('Not changed yet: Phone.');
    const [now] = all;
    if (now !== undefined) await approveParked({ memory: world.store.memory, clock: world.clock }, now);
    await world.lookAtHeld();
    await world.settle();
    expect(world.contact(held)).toMatchObject({ phone: held === ada ? PHONE : '+74951110022' });
    await world.lookAtHeld();
    await world.lookAtHeld();
    expect(await waiting(world)).toEqual([]);
  },
);
