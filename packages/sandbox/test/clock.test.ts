import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SandboxClock } from '../src/clock.ts';

const cancels: (() => void)[] = [];
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => {
  for (const cancel of cancels.splice(0)) cancel();
  vi.useRealTimers();
});

function timer(clock: SandboxClock, ms: number, run: () => void): () => void {
  const cancel = clock.after(ms, run);
  cancels.push(cancel);
  return cancel;
}

describe('the sandbox clock', () => {
  it('runs with real time', () => {
    const clock = new SandboxClock();
    vi.advanceTimersByTime(20);
    expect(clock.now()).toBe(Date.now());
  });

  it('advances by what it is told, and keeps running from there', () => {
    const clock = new SandboxClock();
    clock.advance(3_600_000);
    vi.advanceTimersByTime(20);
    expect(clock.now()).toBe(Date.now() + 3_600_000);
  });

  it('never goes back', () => {
    expect(() => new SandboxClock().advance(-1)).toThrow(RangeError);
  });

  it('frozen it stands still, and moves only by advance', () => {
    const clock = new SandboxClock();
    clock.freeze(1_000_000);
    vi.advanceTimersByTime(10);
    expect(clock.now()).toBe(1_000_000);
    clock.advance(500);
    expect(clock.now()).toBe(1_000_500);
    clock.thaw();
    vi.advanceTimersByTime(20);
    expect(clock.now()).toBe(1_000_520);
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

  it('timers run by themselves in real time, also those set while others run', () => {
    const clock = new SandboxClock();
    const ran: string[] = [];
    timer(clock, 10, () => {
      ran.push('first');
      timer(clock, 10, () => ran.push('second'));
    });
    vi.advanceTimersByTime(19);
    expect(ran).toEqual(['first']);
    vi.advanceTimersByTime(1);
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

  it('frozen it runs what is due now and not what is later', () => {
    const clock = new SandboxClock();
    clock.freeze();
    const ran: string[] = [];
    timer(clock, 0, () => ran.push('now'));
    timer(clock, 1, () => ran.push('later'));
    vi.advanceTimersByTime(30);
    expect(ran).toEqual(['now']);
  });
});
