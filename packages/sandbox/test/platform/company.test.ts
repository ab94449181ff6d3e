import { describe, expect, it } from 'vitest';
import { atLength } from '../../../../test/stand/runs.ts';
import { SandboxClock } from '../../src/clock.ts';
import { seedCompany } from '../../src/platform/company.ts';
import { openReceiver, openStage } from './stage.ts';

const NOON = Date.parse('2026-11-23T09:00:00Z');

function frozenClock(): SandboxClock {
  const clock = new SandboxClock();
  clock.freeze(NOON);
  return clock;
}

describe('a seeded company', () => {
  it('has what was asked for, and makes no events', async () => {
    const stage = await openStage();
    await stage.endpoint();
    const company = seedCompany(stage.sandbox);
    const counts = Object.values(company)
      .filter(Array.isArray)
      .map((ids) => ids.length);
    expect(counts).toEqual([2, 6, 4, 2, 5, 500, 400]);
    expect(stage.sandbox.stats()).toMatchObject({ changes: 0, eventsFormed: 0, customerMails: 0 });
    expect(await stage.feedTypes()).toEqual([]);
  });

  it('is the same for the same seed and moment, and another for another seed', async () => {
    const seeded = async (seed: number) => {
      const stage = await openStage({ clock: frozenClock() });
      seedCompany(stage.sandbox, { seed, contacts: 20, appointments: 20 });
      return JSON.stringify(
        [stage.sandbox.truth.contacts(), stage.sandbox.truth.appointments()].map((all) => all.slice(-20)),
      );
    };
    const first = await seeded(1);
    expect(await seeded(1)).toBe(first);
    expect(await seeded(2)).not.toBe(first);
  });

  it('has no two appointments in each other’s way, some with a room, all inside three weeks', async () => {
    const stage = await openStage({ clock: frozenClock() });
    seedCompany(stage.sandbox);
    const taken = new Map<string, [number, number][]>();
    let withRoom = 0;
    let past = 0;
    for (const one of stage.sandbox.truth.appointments()) {
      const from = Date.parse(String(one['starts_at']));
      const to = Date.parse(String(one['ends_at']));
      if (from < NOON) past += 1;
      expect(Math.abs(from - NOON)).toBeLessThan(23 * 86_400_000);
      const resources = one['resource_ids'] as string[];
      if (resources.length === 2) withRoom += 1;
      for (const id of resources) {
        const spans = taken.get(id) ?? [];
        expect(spans.filter(([a, b]) => a < to && b > from)).toEqual([]);
        taken.set(id, [...spans, [from, to]]);
      }
    }
    expect(withRoom).toBeGreaterThan(30);
    expect(past).toBe(20);
    expect(
      new Set(
        stage.sandbox.truth
          .branches()
          .slice(-2)
          .map((branch) => branch['timezone']),
      ).size,
    ).toBe(2);
  });

  it('makes events when asked to', async () => {
    const stage = await openStage({ delivery: { hold: true } });
    await stage.endpoint();
    seedCompany(stage.sandbox, { contacts: 3, appointments: 2, events: true });
    expect(stage.sandbox.stats().eventsFormed).toBe(5);
  });

  it('says so when the appointments do not fit', async () => {
    const stage = await openStage();
    expect(() =>
      seedCompany(stage.sandbox, { resources: 1, branches: 1, contacts: 1, appointments: 2_000 }),
    ).toThrow(/do not fit/);
  });
});

atLength.describe('a busy day', () => {
  it('of 1,000 changes is formed and delivered, with a fifth lost and a fifth doubled', async () => {
    const receiver = await openReceiver();
    const stage = await openStage({
      rateLimitPerMinute: 100_000,
      delivery: { loseShare: 0.2, doubleShare: 0.2, delayMs: [0, 300] },
    });
    const { contactIds } = seedCompany(stage.sandbox);
    await stage.endpoint({ url: receiver.url });
    for (let round = 0; round < 2; round += 1) {
      for (const id of contactIds) stage.sandbox.dashboard.changeContact(id, { position: `P${round}` });
    }
    await stage.sandbox.whenDeliveriesSettle(20_000);
    const stats = stage.sandbox.stats();
    expect(stats).toMatchObject({ changes: 1000, eventsFormed: 1000, webhooksSent: 1000, underWay: 0 });
    expect(receiver.received).toHaveLength(1000 - stats.webhooksLost + stats.webhooksDoubled);
    expect(new Set(receiver.received.map((one) => one.body.id)).size).toBe(1000 - stats.webhooksLost);
  });
});
