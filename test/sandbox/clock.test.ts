import { afterEach, describe, expect, it } from 'vitest';
import { SandboxClock } from '../../src/sandbox/clock.ts';

const cancels: (() => void)[] = [];
afterEach(() => {
  for (const cancel of cancels.splice(0)) cancel();
});

function timer(clock: SandboxClock, ms: number, run: () => void): () => void {
  const cancel = clock.after(ms, run);
  cancels.push(cancel);
  return cancel;
}

describe('the sandbox clock', () => {
  it('runs with real time', async () => {
    const clock = new SandboxClock();
    const before = clock.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(clock.now() - before).toBeGreaterThanOrEqual(19);
    const [from, now, to] = [Date.now(), clock.now(), Date.now()];
    expect([from - 1 <= now, now <= to + 1]).toEqual([true, true]);
  });

  it('advances by what it is told, and keeps running from there', async () => {
    const clock = new SandboxClock();
    clock.advance(3_600_000);
    expect(clock.now() - Date.now()).toBeGreaterThan(3_599_000);
    const before = clock.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(clock.now()).toBeGreaterThan(before);
  });

  it('never goes back', () => {
    expect(() => new SandboxClock().advance(-1)).toThrow(RangeError);
  });

  it('frozen it stands still, and moves only by advance', async () => {
    const clock = new SandboxClock();
    clock.freeze(1_000_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(clock.now()).toBe(1_000_000);
    clock.advance(500);
    expect(clock.now()).toBe(1_000_500);
    clock.thaw();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(clock.now()).toBeGreaterThan(1_000_500);
    expect(clock.now()).toBeLessThan(1_010_500);
  });

  it('timers due on the way run inside advance, in order, each at its own moment', () => {
    const clock = new SandboxClock();
    clock.freeze(0);
    const ran: [string, number][] = [];
    timer(clock, 300, () => ran.push(['late', clock.now()]));
    timer(clock, 100, () => {
      ran.push(['early', clock.now()]);
      timer(clock, 100, () => ran.push(['from early', clock.now()]));
    });
    timer(clock, 1000, () => ran.push(['too late', clock.now()]));
    clock.advance(500);
    expect(ran).toEqual([
      ['early', 100],
      ['from early', 200],
      ['late', 300],
    ]);
    expect(clock.now()).toBe(500);
  });

  it('timers run by themselves in real time, also those set while others run', async () => {
    const clock = new SandboxClock();
    const ran: string[] = [];
    await new Promise<void>((resolve) => {
      timer(clock, 10, () => {
        ran.push('first');
        timer(clock, 10, () => {
          ran.push('second');
          resolve();
        });
      });
    });
    expect(ran).toEqual(['first', 'second']);
  });

  it('a cancelled timer does not run', () => {
    const clock = new SandboxClock();
    let hasRun = false;
    const cancel = timer(clock, 10, () => {
      hasRun = true;
    });
    cancel();
    clock.advance(100);
    expect(hasRun).toBe(false);
  });

  it('frozen it runs what is due now and not what is later', async () => {
    const clock = new SandboxClock();
    clock.freeze();
    const ran: string[] = [];
    timer(clock, 0, () => ran.push('now'));
    timer(clock, 1, () => ran.push('later'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(ran).toEqual(['now']);
  });
});
