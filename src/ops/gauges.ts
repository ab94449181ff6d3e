import { Gauge, type Registry } from 'prom-client';
import { askedResyncs, realHoles } from './holes.ts';
import { LABELLED_GAUGES, type LabelledGauge } from './labelled-gauges.ts';
import type { HoleReport, StatusReport } from './status-report.ts';

/** The figures of `status` as gauges, as of the scrape. */
export class StatusGauges {
  readonly #isReadable: Gauge;
  readonly #gauges: readonly { readonly gauge: Gauge; readonly of: (report: StatusReport) => number }[];
  readonly #labelled: readonly { readonly gauge: Gauge; readonly told: LabelledGauge }[];

  constructor(registry: Registry) {
    const registers = [registry];
    this.#isReadable = new Gauge({
      name: 'slotbridge_status_readable',
      help: '1 if the state in Redis could be read for this scrape. If 0, the gauges of the state are absent.',
      registers,
    });
    this.#gauges = GAUGES.map(({ name, help, of }) => ({ gauge: new Gauge({ name, help, registers }), of }));
    this.#labelled = LABELLED_GAUGES.map((told) => {
      const { name, help, label } = told;
      return { gauge: new Gauge({ name, help, labelNames: [label], registers }), told };
    });
  }

  /** Without a report, the gauges are removed: an old value or a zero would say that all is well. */
  show(report: StatusReport | undefined): void {
    this.#isReadable.set(report === undefined ? 0 : 1);
    for (const { gauge, of } of this.#gauges) {
      if (report === undefined) gauge.remove();
      else gauge.set(of(report));
    }
    for (const { gauge, told } of this.#labelled) {
      gauge.reset();
      const values = report === undefined ? [] : told.of(report);
      for (const [value, amount] of values) gauge.set({ [told.label]: value }, amount);
    }
  }
}

const GAUGES: readonly {
  readonly name: string;
  readonly help: string;
  readonly of: (report: StatusReport) => number;
}[] = [
  {
    name: 'slotbridge_pending_objects',
    help: 'Objects whose mirrors are not up to date.',
    of: (report) => report.pending.objects,
  },
  {
    name: 'slotbridge_oldest_pending_age_seconds',
    help: 'Seconds that the oldest pending object has waited; 0 if nothing is pending.',
    of: (report) => report.pending.oldest_age_s ?? 0,
  },
  {
    name: 'slotbridge_in_flight',
    help: 'Objects and sheets that this process is working on.',
    of: (report) => report.pending.in_flight ?? 0,
  },
  {
    name: 'slotbridge_sheet_rows_waiting',
    help: 'Rows waiting to be written to a sheet.',
    of: (report) => report.pending.sheet_rows,
  },
  {
    name: 'slotbridge_dead_letters_standing',
    help: 'Objects that wait for a person: dead letters.',
    of: (report) => report.dead_letters.count,
  },
  {
    name: 'slotbridge_quarantine_entries',
    help: 'Deliveries and events that could not be understood.',
    of: (report) => report.quarantined,
  },
  {
    name: 'slotbridge_coverage_age_seconds',
    help: 'Age of the last proof that the feed was read without a gap; +Inf before the first proof.',
    // Infinite, so that an alert on a large age also fires for a worker that never proved anything.
    of: (report) => report.coverage.feed.proved_ago_s ?? Number.POSITIVE_INFINITY,
  },
  {
    name: 'slotbridge_calendar_coverage_age_seconds',
    help: 'Age of the oldest proof of a watched calendar; +Inf if one was never proved, 0 without watched calendars.',
    // One figure for all calendars, because a calendar's id may be a person's address.
    of: ({ coverage }) =>
      Math.max(0, ...coverage.calendars.map((each) => each.proved_ago_s ?? Number.POSITIVE_INFINITY)),
  },
  {
    name: 'slotbridge_calendars_stale',
    help: 'Watched calendars whose proof is older than two polling intervals plus 15 s.',
    of: ({ coverage }) => coverage.calendars.filter((each) => !each.fresh).length,
  },
  {
    name: 'slotbridge_intake_sheets_stale',
    help: 'Entries of bookings whose sheet was not read for two polling rounds plus 15 s.',
    of: ({ coverage }) => coverage.intake_sheets.filter((each) => !each.fresh).length,
  },
  {
    name: 'slotbridge_holes',
    help: 'Holes: times without proof that all events were read, not yet closed by a resync.',
    of: (report) => realHoles(report.holes).length,
  },
  {
    name: 'slotbridge_oldest_hole_age_seconds',
    help: 'Seconds that the oldest hole has been open; 0 without holes.',
    of: ({ holes, at }) => oldestS(realHoles(holes), at),
  },
  {
    name: 'slotbridge_oldest_resync_age_seconds',
    help: 'Seconds since the oldest unfinished resync was requested; 0 without one.',
    of: ({ holes, at }) => oldestS(askedResyncs(holes), at),
  },
  {
    name: 'slotbridge_problems',
    help: 'Known problems, such as a calendar that is not shared or a revoked key.',
    of: (report) => report.problems.length,
  },
  {
    name: 'slotbridge_idle',
    help: '1 if nothing is pending or in progress and the coverage is fresh and without holes.',
    of: (report) => (report.idle ? 1 : 0),
  },
];

function oldestS(holes: readonly HoleReport[], at: string): number {
  return Math.max(0, ...holes.map((hole) => (Date.parse(at) - Date.parse(hole.found_at)) / 1000));
}
