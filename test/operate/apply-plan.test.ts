import { describe, expect, test } from 'vitest';
import { writeApproval } from '../../src/engine/edit-guard.ts';
import { formatKey } from '../../src/engine/object.ts';
import { crowdedPlaces } from '../../src/operate/audit/audit.ts';
import { type AppliedStep, applyPlan } from '../../src/operate/audit/fix.ts';
import { MapMemory } from '../doubles/map-memory.ts';

describe('too much is what is more than five and more than a quarter of what stands there', () => {
  test.each([
    [5, 5, false],
    [6, 24, false],
    [6, 23, true],
    [6, 0, true],
  ])('%d of %d: %s', (removed, standing, isCrowded) => {
    const places = Array.from({ length: removed }, () => 'a');
    expect(crowdedPlaces(places, new Map([['a', standing]]))).toEqual(isCrowded ? ['a'] : []);
  });

  test('each place by itself', () => {
    const places = [...Array.from({ length: 6 }, () => 'a'), ...Array.from({ length: 5 }, () => 'b')];
    expect(crowdedPlaces(places, new Map())).toEqual(['a']);
  });
});

const step = (id: string, about: Partial<AppliedStep> = {}): AppliedStep => ({
  ...{ key: `contact/${id}`, mirror: 'contacts', place: 'tab', pruned: false },
  ...about,
});

function prepare(known: readonly string[], shown: readonly string[] = []) {
  const done = {
    dirty: [] as string[],
    released: [] as string[],
    introduced: [] as string[],
    queued: [] as string[],
  };
  const memory = new MapMemory();
  const parts = {
    memory,
    nowMs: () => 1_000,
    queue: { add: (keys: readonly string[]) => void done.queued.push(...keys) },
    dirtyMarks: {
      async markDirty(keys: Parameters<Parameters<typeof applyPlan>[0]['dirtyMarks']['markDirty']>[0]) {
        done.dirty.push(...keys.map(formatKey));
        return keys.filter(({ id }) => !known.includes(id));
      },
      async release(
        keys: Parameters<Parameters<typeof applyPlan>[0]['dirtyMarks']['release']>[0],
        mirror: string,
      ) {
        done.released.push(...keys.map((key) => `${formatKey(key)} ${mirror}`));
      },
    },
    async introduce(key: Parameters<Parameters<typeof applyPlan>[0]['introduce']>[0]) {
      done.introduced.push(key.id);
      return shown.includes(key.id);
    },
  };
  return { parts, memory, done };
}

describe('the objects of a plan', () => {
  test('have one turn each, however many places of them change', async () => {
    const { parts, done } = prepare(['1', '2']);
    const applied = await applyPlan(parts, [step('1'), step('1', { place: 'other' }), step('2')], new Map());
    expect(applied).toEqual({ given: ['contact/1', 'contact/2'], unknown: [], parked: [] });
    expect(done).toMatchObject({ dirty: ['contact/1', 'contact/2'], released: [], queued: applied.given });
  });

  test('that were never seen here are taken up, and those that the platform does not show are told', async () => {
    const { parts, done } = prepare([], ['1']);
    const applied = await applyPlan(parts, [step('1'), step('2')], new Map());
    expect(applied).toMatchObject({ given: ['contact/1'], unknown: ['contact/2'] });
    expect(done.queued).toEqual(['contact/1']);
  });

  test('are let go only where that was planned', async () => {
    const { parts, done } = prepare(['1', '2']);
    await applyPlan(parts, [step('1', { pruned: true }), step('2')], new Map([['tab', 2]]));
    expect(done.released).toEqual(['contact/1 contacts']);
  });

  test('wait all together while much of one place would go, until a person approves that place', async () => {
    const { parts, memory, done } = prepare(['0', '1', '2', '3', '4', '5', '6']);
    const steps = [step('0'), ...['1', '2', '3', '4', '5', '6'].map((id) => step(id, { pruned: true }))];
    const standing = new Map([['tab', 7]]);
    expect(await applyPlan(parts, steps, standing)).toEqual({ given: [], unknown: [], parked: ['tab'] });
    expect(done).toEqual({ dirty: [], released: [], introduced: [], queued: [] });
    expect(JSON.parse((await memory.get('parked-orphans:tab')) ?? '')).toEqual({
      ...{ count: 6, atMs: 1_000 },
      members: ['1', '2', '3', '4', '5', '6'].map((id) => `contact/${id}`),
    });
    await memory.set('approved-orphans:tab', '999');
    expect(await applyPlan(parts, steps, standing)).toMatchObject({ parked: ['tab'] });
    // Approved for others only: the sixth joined after a person had looked.
    const members = ['1', '2', '3', '4', '5'].map((id) => `contact/${id}`);
    await memory.set('approved-orphans:tab', writeApproval(1_001, members));
    expect(await applyPlan(parts, steps, standing)).toMatchObject({ parked: ['tab'] });
    await memory.set('approved-orphans:tab', writeApproval(1_001, [...members, 'contact/6']));
    expect(await applyPlan(parts, steps, standing)).toMatchObject({ parked: [], given: { length: 7 } });
    expect(await memory.get('parked-orphans:tab')).toBeUndefined();
  });
});

test('P7: an approval given while the clock was hours ahead is invalid once the clock was set back', async () => {
  const { parts, memory } = prepare(['1', '2', '3', '4', '5', '6']);
  const steps = ['1', '2', '3', '4', '5', '6'].map((id) => step(id, { pruned: true }));
  await memory.set('approved-orphans:tab', String(1_000 + 5 * 3_600_000));
  expect(await applyPlan(parts, steps, new Map([['tab', 6]]))).toMatchObject({ parked: ['tab'] });
});
