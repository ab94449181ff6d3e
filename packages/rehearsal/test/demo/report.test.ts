import { describe, expect, it } from 'vitest';
import type { PlaceVerdict } from '../../demo/judge/difference.ts';
import { recoveredFromFeed } from '../../demo/metrics.ts';
import { type Measured, reportOf } from '../../demo/report.ts';
import { tableOf } from '../../demo/table.ts';

const nothing = { all: [], delivered: [], open: 0 };
const measured: Measured = {
  changes: 1_000,
  staffActs: 100,
  peoplesLost: [],
  outside: { made: 150, booked: 100, refused: 30, doubled: 0, unanswered: 0, wrong: [] },
  blocked: { expected: 40, found: 40, wrong: [] },
  classes: { expected: 4, right: 4, wrong: [] },
  carried: {
    names: { carried: 3, wrong: [] },
    appointments: { moves: 4, cancels: 2, wrong: [] },
  },
  feedsRight: 1,
  webhooksSent: 1_000,
  webhooksLost: 200,
  webhooksDoubled: 200,
  recoveredFromFeed: 210,
  kills: 1,
  googleCalls: 1_234,
  caldavRequests: 0,
  sheetWriteRequests: 9,
  platformCalls: 100,
  platformWrites: 0,
  mailsSent: 0,
  faultsInjected: 50,
  deadLetters: 0,
  isIdle: true,
  notIdleBecause: [],
  calendarLag: { all: [100, 300], delivered: [100], open: 0 },
  rowLag: nothing,
  seed: 1,
  durationMs: 1,
};
const place = (what: Partial<PlaceVerdict> = {}): PlaceVerdict => ({
  place: 'calendar c',
  label: 'Anna',
  expected: 3,
  found: 3,
  differences: [],
  ...what,
});
const clean = { calendars: [place()], tabs: [place({ place: 'tab T', label: 'T', expected: 5, found: 5 })] };
const stale = { kind: 'stale', place: 'calendar c', id: 'some-id', what: 'differs in title' } as const;

describe('the report', () => {
  it('is good when nothing differs, nobody was mailed, nothing is dead and the worker is at rest', () => {
    expect(reportOf(measured, clean)).toMatchObject({
      ok: true,
      events_expected: 3,
      rows_found: 5,
      missing: 0,
      google_calls_per_change: 1.23,
      ...{ carried: 9, carried_moves: 4, carried_cancels: 2 },
      lag_ms_p50: 100,
      lag_ms_p99: 300,
      lag_ms_sheet_p50: null,
    });
  });

  const flaws: Partial<Measured>[] = [
    { mailsSent: 1 },
    { peoplesLost: ['colour of event e in c'] },
    { outside: { made: 1, booked: 1, refused: 0, doubled: 1, unanswered: 0, wrong: ['a row'] } },
    { blocked: { expected: 1, found: 0, wrong: ['private time of r'] } },
    { classes: { expected: 1, right: 0, wrong: ['a class'] } },
    { carried: { ...measured.carried, names: { carried: 0, wrong: ['a name'] } } },
    { carried: { ...measured.carried, appointments: { moves: 0, cancels: 0, wrong: ['an appointment'] } } },
    { feedsRight: 0 },
    { deadLetters: 1 },
    { isIdle: false },
  ];
  for (const flaw of flaws) {
    it(`is not good with ${JSON.stringify(flaw)}`, () => {
      const report = reportOf({ ...measured, ...flaw }, clean);
      expect(report.ok).toBe(false);
      expect(tableOf(report, clean, { color: false })).toMatch(/NOT the same: \w/);
    });
  }

  it('counts each kind of difference and names the first ten', () => {
    const differences = Array.from({ length: 12 }, () => stale);
    const verdict = { ...clean, calendars: [place({ differences })] };
    const report = reportOf(measured, verdict);
    const table = tableOf(report, verdict, { color: false });
    expect(report).toMatchObject({ ok: false, stale: 12, missing: 0, doubled: 0 });
    expect(table.split('\n').filter((line) => line.includes('some-id'))).toHaveLength(10);
    expect(table).toContain('and 2 more');
    expect(table).toContain('DIFFERENT');
  });
});

describe('recovered from the feed', () => {
  it('counts what the feed brought as news, in any order of the labels', () => {
    const metrics = [
      '# HELP slotbridge_events_total …',
      'slotbridge_events_total{via="feed",outcome="fresh"} 20',
      'slotbridge_events_total{outcome="verify",via="feed"} 3',
      'slotbridge_events_total{via="feed",outcome="deleted"} 2',
      'slotbridge_events_total{via="feed",outcome="duplicate"} 900',
      'slotbridge_events_total{via="webhook",outcome="fresh"} 500',
    ];
    expect(recoveredFromFeed(metrics.join('\n'))).toBe(25);
    expect(recoveredFromFeed('')).toBe(0);
  });
});
