/** The actual order of lists and of the feed. */
import type { Api } from '../stage/api.ts';
import type { Finding } from './finding.ts';

const PAGES_MAX = 5;

interface Dated {
  readonly id: string;
  readonly created_at: string;
}

export async function orderFindings(api: Api): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const list of ['contacts', 'appointments', 'conversations']) {
    findings.push({
      about: `order of ties in ${list}`,
      learned: ties(await walk(api, `/${list}?limit=100`)),
    });
  }
  const events = await walk(api, '/events?limit=100');
  findings.push({ about: 'order of ties in the event feed', learned: ties(events) });
  findings.push({ about: 'events that stand above newer ones in the feed', learned: inversions(events) });
  findings.push({ about: 'age of the oldest event met', learned: age(events) });
  return findings;
}

async function walk(api: Api, path: string): Promise<Dated[]> {
  const met: Dated[] = [];
  for (let pages = 0, cursor = ''; pages < PAGES_MAX; pages += 1) {
    const { body } = await api.get(`${path}${cursor}`);
    met.push(...(body?.data ?? []));
    if (!body?.has_more) break;
    cursor = `&starting_after=${met.at(-1)?.id}`;
  }
  return met;
}

function ties(objects: readonly Dated[]): string {
  const pairs = neighbours(objects).filter(([a, b]) => a.created_at === b.created_at);
  const falling = pairs.filter(([a, b]) => a.id > b.id).length;
  if (pairs.length === 0) return `none among ${objects.length}`;
  return `${pairs.length} among ${objects.length}; in ${falling} of them the greater id stands first`;
}

function inversions(events: readonly Dated[]): string {
  const odd = neighbours(events).filter(([a, b]) => Date.parse(a.created_at) < Date.parse(b.created_at));
  const worstMs = Math.max(0, ...odd.map(([a, b]) => Date.parse(b.created_at) - Date.parse(a.created_at)));
  return odd.length === 0
    ? `none among ${events.length}`
    : `${odd.length} among ${events.length}, by up to ${worstMs} ms`;
}

function age(events: readonly Dated[]): string {
  const oldest = events.at(-1);
  if (!oldest) return 'none seen';
  return `${((Date.now() - Date.parse(oldest.created_at)) / 86_400_000).toFixed(1)} days, ${events.length} events read`;
}

function neighbours<T>(items: readonly T[]): [T, T][] {
  return items.slice(1).map((item, index) => [items[index] as T, item]);
}
