/**
 * Outcomes of an event that caused work: its state was new, or its order was unclear and the object was read.
 */
const NEWS = ['fresh', 'verify', 'deleted'];

/** Number of events that the feed brought first, from metrics text in Prometheus' format. */
export function recoveredFromFeed(metrics: string): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('slotbridge_events_total{'))
    .filter((line) => label(line, 'via') === 'feed' && NEWS.includes(label(line, 'outcome')))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function label(line: string, name: string): string {
  return new RegExp(`[{,]${name}="([^"]*)"`).exec(line)?.[1] ?? '';
}
