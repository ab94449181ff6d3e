import { describe, expect, it } from 'vitest';
import { type Act, madeBy } from './act.ts';
import { planOf } from './plan.ts';

const isCut = ({ do: what }: Act) => what === 'cut-off';
const PLANS = Array.from({ length: 200 }, (_, index) => planOf(index + 1));

describe('a plan', () => {
  it('is the same for the same seed and length', () => {
    expect(planOf(7)).toEqual(planOf(7));
    expect(planOf(7)).not.toEqual(planOf(8));
    expect(planOf(7, 0.5).acts.length).toBeGreaterThan(planOf(7).acts.length * 2);
  });

  it('can be kept as JSON', () => {
    expect(JSON.parse(JSON.stringify(planOf(7)))).toEqual(planOf(7));
  });

  it('uses each hour once, so that an hour tells who wished it', () => {
    for (const { acts } of PLANS) {
      const slots = acts.flatMap((act) => madeBy(act).slots);
      expect(new Set(slots).size).toBe(slots.length);
    }
  });

  it('is in the order of its times', () => {
    for (const { acts } of PLANS)
      expect(acts.map(({ at }) => at)).toEqual(acts.map(({ at }) => at).sort((a, b) => a - b));
  });

  it('names only what some act of it makes', () => {
    for (const { acts } of PLANS) {
      const made = new Set(acts.flatMap((act) => madeBy(act).names));
      expect(acts.flatMap((act) => ('who' in act ? [act.who] : [])).filter((who) => !made.has(who))).toEqual(
        [],
      );
    }
  });

  it('lifts what it takes away', () => {
    const count = (acts: readonly Act[], what: Act['do']) => acts.filter((act) => act.do === what).length;
    for (const { acts } of PLANS) {
      expect(count(acts, 'share-calendar')).toBe(count(acts, 'unshare-calendar'));
      expect(count(acts, 'share-sheet')).toBe(count(acts, 'unshare-sheet'));
    }
  });
});

describe('two hundred plans', () => {
  it('hold every act, fault and setting', () => {
    const all = PLANS.flatMap(({ acts }) => acts);
    expect(new Set(all.map((act) => act.do)).size).toBe(KINDS_OF_ACTS);
    expect(new Set(all.flatMap((act) => (act.do === 'fault' ? [`${act.side} ${act.fault}`] : []))).size).toBe(
      KINDS_OF_FAULTS,
    );
    expect(new Set(all.map((act) => act.before)).size).toBe(MOMENTS + 1);
    expect(new Set(PLANS.map(({ settings }) => `${settings.workers} ${settings.redis}`))).toEqual(
      new Set(['1 shared', '2 shared', '1 private']),
    );
    expect(
      new Set(PLANS.map(({ settings: { edits } }) => `${edits.moved} ${edits.deleted} ${edits.conflict}`))
        .size,
    ).toBe(12);
  });

  it('hold tabs that carry, what the office does in them, and slips in half of those', () => {
    const isOffices = ({ do: what }: Act) =>
      ['type-appointment', 'tick-appointment', 'type-name', 'sort-column', 'fill-down', 'cut'].includes(what);
    const isSlip = ({ do: what }: Act) => ['sort-column', 'fill-down', 'cut'].includes(what);
    const carrying = PLANS.filter(({ settings }) => settings.carries === true);
    const slipping = carrying.filter(({ acts }) => acts.some(isSlip));
    expect(carrying.length).toBeGreaterThan(70);
    expect(slipping.length).toBeGreaterThan(carrying.length / 4);
    expect(slipping.length).toBeLessThan((carrying.length * 3) / 4);
    const without = PLANS.filter(({ settings }) => settings.carries !== true);
    expect(without.flatMap(({ acts }) => acts.filter(isOffices))).toEqual([]);
  });

  it('set clocks on and back, and stop a process once over a due minute', () => {
    const clocks = PLANS.map(({ acts }) =>
      acts.filter(({ do: what }) => what === 'set-clock' || what === 'freeze-over-due'),
    ).filter((acts) => acts.length > 0);
    expect(clocks.length).toBeGreaterThan(70);
    const stops = clocks.map((acts) => acts.filter(({ do: what }) => what === 'freeze-over-due').length);
    expect(new Set(stops)).toEqual(new Set([0, 1]));
    const steps = clocks.flat().flatMap((act) => (act.do === 'set-clock' ? [Math.sign(act.aheadMs)] : []));
    expect(new Set(steps)).toEqual(new Set([-1, 1]));
  });

  it('cut workers off from Redis, where there are two', () => {
    const cut = PLANS.filter(({ settings }) => settings.cuts === true);
    expect(cut.length).toBeGreaterThan(10);
    expect(cut.every(({ settings, acts }) => settings.workers === 2 && acts.some(isCut))).toBe(true);
    const without = PLANS.filter(({ settings }) => settings.cuts !== true);
    expect(without.flatMap(({ acts }) => acts.filter(isCut))).toEqual([]);
    expect(planOf(7, 0.15, true).settings).toMatchObject({ workers: 2, redis: 'shared', cuts: true });
  });

  it('hold a colleague with a CalDAV calendar in half of them, and her phone only there', () => {
    const isHers = (act: Act) =>
      act.do.startsWith('phone-') ||
      ('with' in act && act.with === 'galina') ||
      (act.do === 'fault' && act.side === 'caldav');
    const hers = PLANS.filter(({ settings }) => settings.caldav === true);
    expect(hers.length).toBeGreaterThan(70);
    expect(hers.every(({ acts }) => acts.some(isHers))).toBe(true);
    const without = PLANS.filter(({ settings }) => settings.caldav !== true);
    expect(without.flatMap(({ acts }) => acts.filter(isHers))).toEqual([]);
  });

  it('paste rows in bulk', () => {
    const pasted = PLANS.flatMap(({ acts }) =>
      acts.flatMap((act) => (act.do === 'paste-rows' ? [act.rows.length] : [])),
    );
    expect(pasted.length).toBeGreaterThan(30);
    expect(Math.min(...pasted)).toBeGreaterThanOrEqual(20);
    expect(Math.max(...pasted)).toBe(40);
  });

  it('hold calendars of a team of every sort, and hands in them', () => {
    const teams = PLANS.flatMap(({ settings: { team } }) => (team === undefined ? [] : [team]));
    expect(new Set(teams.map((each) => `${each.by} ${each.isOwn} ${each.isBusy}`)).size).toBe(12);
    const isOfTeam = (act: Act) =>
      ('inTeam' in act && act.inTeam === true) || ('to' in act && act.to === 'team');
    const done = PLANS.flatMap(({ acts }) => acts.filter(isOfTeam));
    expect(new Set(done.map((act) => act.do)).size).toBe(KINDS_OF_TEAM_ACTS);
    const without = PLANS.filter(({ settings: { team } }) => team === undefined);
    expect(without.flatMap(({ acts }) => acts.filter(isOfTeam))).toEqual([]);
  });
});

/** Kinds in act.ts, counted by hand: one that no plan holds would never be played. */
const KINDS_OF_ACTS = 74;
const KINDS_OF_TEAM_ACTS = 7;
const KINDS_OF_FAULTS = 28;
const MOMENTS = 7;
