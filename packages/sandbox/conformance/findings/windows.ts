/** Slots and windows: the shape of a window, the grid, and the end of a search. */
import type { Api } from '../stage/api.ts';
import { type Finding, seen } from './finding.ts';

const DAY_MS = 86_400_000;

interface Service {
  readonly id: string;
  readonly project_id: string;
  readonly booking_mode: string;
}

export async function windowFindings(api: Api): Promise<Finding[]> {
  const services: Service[] = (await api.get('/services?limit=100')).body?.data ?? [];
  const branches: { id: string; project_id: string }[] =
    (await api.get('/branches?limit=100')).body?.data ?? [];
  const look = async (mode: string, days: number) => {
    for (const service of services.filter((one) => one.booking_mode === mode))
      for (const branch of branches.filter((one) => one.project_id === service.project_id)) {
        const body = await search(api, { service_id: service.id, branch_id: branch.id }, days);
        if (body?.slots?.length > 0 || body?.windows?.length > 0) return body;
      }
    return undefined;
  };
  const interval = await look('interval', 7);
  const fixed = await look('fixed', 7);
  return [
    {
      about: 'shape of a window',
      learned: interval ? shape(interval.windows[0]) : 'no interval service with free time',
    },
    {
      about: 'whether an interval service has slots too',
      learned: interval ? `${interval.slots.length} slots` : 'not seen',
    },
    {
      about: 'distance between slots of one resource, in minutes',
      learned: fixed ? grid(fixed.slots) : 'no free slot was seen',
    },
    { about: 'slots that end after `to`', learned: fixed ? late(fixed) : 'no free slot was seen' },
  ];
}

async function search(api: Api, named: Record<string, string>, days: number) {
  const from = new Date(Date.now() + DAY_MS).toISOString();
  const to = new Date(Date.now() + (days + 1) * DAY_MS).toISOString();
  const { body } = await api.get(`/slots?${new URLSearchParams({ ...named, from, to, limit: '200' })}`);
  return body && { ...body, asked: { to } };
}

function shape(window: Record<string, unknown> | undefined): string {
  if (!window) return 'none seen';
  return Object.entries(window)
    .map(
      ([name, value]) =>
        `${name}: ${value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value}`,
    )
    .join(', ');
}

function grid(slots: { starts_at: string; resource_id: string }[]): string {
  const steps = slots.flatMap((slot, index) => {
    const next = slots.slice(index + 1).find((other) => other.resource_id === slot.resource_id);
    return next ? [(Date.parse(next.starts_at) - Date.parse(slot.starts_at)) / 60_000] : [];
  });
  return steps.length === 0 ? 'none seen' : `smallest ${Math.min(...steps)}`;
}

function late(body: { slots: { ends_at: string }[]; asked: { to: string } }): string {
  const ends = body.slots.map((slot) => Date.parse(slot.ends_at) > Date.parse(body.asked.to));
  return seen(ends.map((isLate) => (isLate ? 'yes' : 'no')));
}
