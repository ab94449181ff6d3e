import { askedResyncs, realHoles } from './holes.ts';
import type { StatusReport } from './status-report.ts';

/**
 * Why the mirrors may differ from the platform, one sentence per reason; empty when they are up to date. Invisible work in flight (null:
 * another process) is no reason of its own, because unsettled work is still pending or a waiting row.
 */
export function whyNotIdle({
  coverage,
  holes,
  pending,
}: Pick<StatusReport, 'holes' | 'pending'> & {
  readonly coverage: Pick<StatusReport['coverage'], 'feed'>;
}): string[] {
  const { feed } = coverage;
  const inFlight = pending.in_flight ?? 0;
  const missed = realHoles(holes).length;
  const asked = askedResyncs(holes).length;
  return [
    ...(pending.objects > 0 ? [`${counted(pending.objects, 'object')} pending`] : []),
    ...(inFlight > 0 ? [`${inFlight} in flight`] : []),
    ...(pending.sheet_rows > 0 ? [`${counted(pending.sheet_rows, 'sheet row')} waiting to be written`] : []),
    ...(feed.walk_open ? ['a walk through the event feed has not reached its floor yet'] : []),
    ...(missed > 0 ? [`${counted(missed, 'hole')} in the coverage`] : []),
    ...(asked > 0 ? [counted(asked, 'requested resync')] : []),
    ...(feed.fresh ? [] : [staleness(feed.proved_ago_s)]),
  ];
}

/** `1 row`, `2,000 rows` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `1,234`, as `toLocaleString` would format it; but that would first load Node's locale data. */
export function grouped(count: number): string {
  const digits = String(Math.trunc(Math.abs(count)));
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return `${count < 0 ? '-' : ''}${groups.join(',')}`;
}

function staleness(ageS: number | null): string {
  return ageS === null
    ? 'the event feed has not been read completely yet'
    : `the event feed was last proved ${counted(ageS, 'second')} ago`;
}
