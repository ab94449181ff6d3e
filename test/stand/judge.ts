import { expect, vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';
import { ANNA, BORIS, ROOM, type World } from './world.ts';

/** Every difference between the platform's truth and what stands in the calendars and the sheet, by a reading of its own. */
export function differences(world: World): string[] {
  return [...calendarDifferences(world), ...appointmentDifferences(world), ...contactDifferences(world)];
}

/** Waits until all mirrors are equal to the truth. What is still under way may change that again: `untilIdle` waits for it. */
export function untilSame(world: World): Promise<void> {
  return vi.waitFor(() => expect(differences(world)).toEqual([]), { timeout: PATIENCE_MS, interval: 50 });
}

function calendarDifferences(world: World): string[] {
  const { anna, boris, room } = world.company;
  const calendars = [
    [anna, ANNA],
    [boris, BORIS],
    [room, ROOM],
  ] as const;
  const found: string[] = [];
  for (const [resourceId, calendarId] of calendars) {
    const wanted = new Map(
      appointments(world)
        .filter((each) => each.status !== 'cancelled' && each.resource_ids.includes(resourceId))
        .map((each) => [each.id.replaceAll('-', ''), each]),
    );
    const seen = new Set<string>();
    for (const event of world.events(calendarId)) {
      const key = [...wanted.keys()].find((id) => String(event['id']).includes(id));
      const appointment = key === undefined ? undefined : wanted.get(key);
      if (appointment === undefined || key === undefined)
        found.push(`${calendarId}: ${String(event['id'])} should not be there`);
      else if (seen.has(key)) found.push(`${calendarId}: ${appointment.id} stands twice`);
      else if (!isSame(event, appointment)) found.push(`${calendarId}: ${appointment.id} is stale`);
      if (key !== undefined) seen.add(key);
    }
    for (const [key, appointment] of wanted)
      if (!seen.has(key)) found.push(`${calendarId}: ${appointment.id} is missing`);
  }
  return found;
}

interface Appointment {
  readonly id: string;
  readonly resource_ids: readonly string[];
  readonly status: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly service_name: string | null;
  readonly customer_name: string | null;
}

function appointments(world: World): readonly Appointment[] {
  return world.platform.truth.appointments() as unknown as readonly Appointment[];
}

function isSame(event: Readonly<Record<string, unknown>>, appointment: Appointment): boolean {
  const at = (name: string) => Date.parse((event[name] as { dateTime?: string } | undefined)?.dateTime ?? '');
  return (
    at('start') === Date.parse(appointment.starts_at) &&
    at('end') === Date.parse(appointment.ends_at) &&
    event['summary'] === `${appointment.service_name}, ${appointment.customer_name}` &&
    event['status'] === (appointment.status === 'pending' ? 'tentative' : 'confirmed')
  );
}

function appointmentDifferences(world: World): string[] {
  const rows = appointments(world).map((each) => {
    const local = new Date(Date.parse(each.starts_at) + 3 * 3_600_000)
      .toISOString()
      .slice(0, 16)
      .replace('T', ' ');
    return [each.id, each.status, local, each.customer_name ?? ''];
  });
  return rowDifferences(world, 'Visits', rows);
}

function contactDifferences(world: World): string[] {
  const rows = world.platform.truth
    .contacts()
    .map((each) => [String(each['id']), String(each['name']), String(each['phone'] ?? '')]);
  return rowDifferences(world, 'Contacts', rows);
}

function rowDifferences(world: World, tab: string, wanted: readonly string[][]): string[] {
  const width = wanted[0]?.length ?? 0;
  const seen = new Map<string, string[][]>();
  for (const row of world.rows(tab).slice(1)) {
    const cells = Array.from({ length: width }, (_, at) => String(row[at] ?? ''));
    seen.set(cells[0] ?? '', [...(seen.get(cells[0] ?? '') ?? []), cells]);
  }
  const found: string[] = [];
  for (const row of wanted) {
    const rows = seen.get(row[0] ?? '') ?? [];
    if (rows.length === 0) found.push(`${tab}: ${row[0]} is missing`);
    else if (rows.length > 1) found.push(`${tab}: ${row[0]} stands twice`);
    else if (JSON.stringify(rows[0]) !== JSON.stringify(row)) found.push(`${tab}: ${row[0]} is stale`);
    seen.delete(row[0] ?? '');
  }
  return [...found, ...[...seen.keys()].map((key) => `${tab}: ${key} should not be there`)];
}
