// A clinic whose people have their calendars on one CalDAV account, and a worker at rest that keeps them in step.
import { type Clinic, openClinic } from '../stand/clinic.ts';
import { untilAtRest } from '../stand/rest.ts';
import { setStage } from '../stand/stage.ts';
import { type CountedServer, startCountedServer } from './counted-server.ts';

const REST_WITHIN_MS = 600_000;
/** Local times in the calendars: the zone of the clinic. */
const OFFSET = '+03:00';

export interface CaldavStage {
  readonly server: CountedServer;
  readonly clinic: Clinic;
  /** Waits until every delivery is answered and the worker is at rest. */
  rest(): Promise<void>;
  /** Start of the only event of a calendar. */
  startOf(path: string): Promise<number>;
  /** Counts events without an appointment and appointments without an event. One at a wrong place or time counts as both. */
  wrongEvents(): Promise<number>;
}

export async function onCaldavStage<T>(people: number, run: (at: CaldavStage) => Promise<T>): Promise<T> {
  const stage = await setStage();
  try {
    const server = await startCountedServer(people);
    stage.push(() => server.close());
    const clinic = await openClinic(stage.google, people);
    stage.push(() => clinic.platform.close());
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
    const worker = await stage.startWorker({
      ...{ platformUrl: clinic.platform.url, apiKey: clinic.apiKey, secret },
      mirrors: mirrorOf(server),
    });
    const rest = async (): Promise<void> => {
      await clinic.platform.whenDeliveriesSettle(REST_WITHIN_MS);
      await untilAtRest(worker, { withinMs: REST_WITHIN_MS });
    };
    await rest();
    return await run({
      ...{ server, clinic, rest },
      startOf: async (path) => startIn((await eventsOf(server, path))[0] ?? ''),
      wrongEvents: () => wrongEvents(server, clinic),
    });
  } finally {
    await stage.close();
  }
}

function mirrorOf({ home, user, password, calendars }: CountedServer): string {
  const lines = calendars.map((path, index) => {
    return `        Person ${index + 1}: { id: "${new URL(path, home).href}", account: office }`;
  });
  return `
caldav:
  accounts:
    office: { url: "${home}", user: "${user}", password: "${password}" }
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
${lines.join('\n')}
    event:
      title: "{{ service_name }}, {{ customer_name }}"
      description: "{{ customer_phone }}"
    staff_edits: { moved: reschedule }
`;
}

/** Names of the events of a calendar. */
export async function namesIn({ send }: CountedServer, path: string): Promise<readonly string[]> {
  const answer = await send('PROPFIND', path, {
    body: '<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/></D:prop></D:propfind>',
    headers: { depth: '1', 'content-type': 'application/xml' },
  });
  const hrefs = [...(await answer.text()).matchAll(/href>([^<]+)</g)].map(([, href = '']) => href);
  return hrefs.filter((href) => !href.endsWith('/'));
}

async function eventsOf(server: CountedServer, path: string): Promise<readonly string[]> {
  const events: string[] = [];
  for (const name of await namesIn(server, path)) events.push(await (await server.send('GET', name)).text());
  return events;
}

function startIn(event: string): number {
  const [, y, mo, d, h, mi] = /^DTSTART;TZID=[^:]+:(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/m.exec(event) ?? [];
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:00${OFFSET}`);
}

async function wrongEvents(server: CountedServer, { platform, people }: Clinic): Promise<number> {
  const surplus = new Map<string, number>();
  const count = (path: string | undefined, startsAtMs: number, by: number): void => {
    const place = `${path} ${startsAtMs}`;
    surplus.set(place, (surplus.get(place) ?? 0) + by);
  };
  const calendars = new Map(people.map(({ id }, index) => [id, server.calendars[index]]));
  for (const { resource_id: resource, starts_at: startsAt } of platform.truth.appointments())
    count(calendars.get(String(resource)), Date.parse(String(startsAt)), -1);
  for (const path of server.calendars)
    for (const event of await eventsOf(server, path)) count(path, startIn(event), 1);
  return [...surplus.values()].reduce((sum, each) => sum + Math.abs(each), 0);
}
