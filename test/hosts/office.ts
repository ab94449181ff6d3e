// A busy office over several hosts: Redis on hosts 0 to 2, a worker each on hosts 3 and 4, platform and Google on host 5. The platform
// judges afterwards: what people did must stand everywhere, once, and nothing else.
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusReport } from '../../src/operate/status-report.ts';
import type { Hosts } from '../stand/hosts.ts';
import { differences } from '../stand/judge.ts';
import { MAIN } from '../stand/worker-process.ts';
import { ANNA, BOOK, BORIS, MIRRORS, slot, startWorld, type World } from '../stand/world.ts';

export const WORKERS = [3, 4] as const;
const REMOTES = 5;
const ACT_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 250;
const AT = { spreadsheetId: BOOK, tab: 'Intake' };
const HEADERS = ['Service', 'Start', 'Name', 'Phone', 'With', 'Ready', 'ID', 'Status', 'Appointment'];
const BOOKINGS = `
bookings:
  desk:
    from: { spreadsheet: ${BOOK}, tab: Intake, every: 5s, timezone: Europe/Moscow }
    region: RU
    columns: { service: Service, starts_at: Start, name: Name, phone: Phone, resource: With, ready: Ready, id: ID, status: Status, appointment: Appointment }
`;

export interface Office {
  readonly hosts: Hosts;
  readonly world: World;
  /** What the statuses claimed that was not so. */
  readonly lies: readonly string[];
  /** When each new event was first seen in a calendar, epoch milliseconds. */
  readonly written: readonly number[];
  start(worker: number, env?: Readonly<Record<string, string>>, args?: readonly string[]): void;
  status(worker: number): Promise<StatusReport | undefined>;
  /** People book, move and type until the promise settles. */
  busyUntil(over: Promise<unknown>): Promise<void>;
  /** All that is wrong once both workers say that they are idle. */
  judged(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openOffice(redisUrl: string, hosts: Hosts): Promise<Office> {
  const mirrors =
    MIRRORS.replace('    event:\n', '    staff_edits: { moved: reschedule }\n    event:\n') + BOOKINGS;
  const relayed: (readonly [number, string])[] = [];
  const servers: Server[] = [];
  const world = await startWorld({
    ...{ mirrors, watch: '{ every: 5s, settle: 100ms }' },
    redis: { url: redisUrl, pid: 0, stop: async () => {} },
    rewrite: (yaml) =>
      relayed.reduce((text, [port]) => text.replaceAll(`127.0.0.1:${port}`, `localhost:${port}`), yaml),
  });
  for (const url of [world.platform.url, world.google.url]) {
    const port = Number(new URL(url).port);
    const path = join(hosts.dir, `${port}.sock`);
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const socket of [near, far]) {
        socket.on('error', () => {});
        socket.on('close', () => {
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((done) => server.listen(path, done));
    servers.push(server);
    relayed.push([port, path]);
  }
  hosts.shareLocalhost(...WORKERS, REMOTES);
  const relay = new URL('relay.ts', import.meta.url).pathname;
  const ends = relayed.flatMap(([port, path]) => [String(port), path]);
  const running = hosts.run(REMOTES, process.execPath, [
    '--import',
    'tsx',
    relay,
    hosts.address(REMOTES),
    ...ends,
  ]);
  await new Promise((done) => running.stdout?.once('data', done));
  world.google.staff.sheets.addTab({ ...AT, columns: HEADERS.length });
  world.google.staff.sheets.setRow({ ...AT, row: 1, values: HEADERS });
  const port = await world.door();
  await world.subscribe(port);
  const config = world.writeWorkerConfig(port);

  const logs = new Map<number, { text: string; pid: number | undefined }>();
  const lies: string[] = [];
  const written: number[] = [];
  /** Start of each appointment as people last wanted it. */
  const wanted = new Map<string, string>();
  /** Row and phone of each wish that was typed. */
  const typed: { readonly row: number; readonly phone: string }[] = [];
  const dragged = new Set<string>();
  let [made, lastActMs] = [0, 0];
  const free = () => slot(24 + 2 * made);

  const act = (): void => {
    made += 1;
    lastActMs = Date.now();
    const known = [...wanted.keys()];
    const one = known[(made * 7) % Math.max(1, known.length)] ?? '';
    switch (made % 5) {
      case 1:
      case 2:
        wanted.set(world.book({ hours: 24 + 2 * made }), free());
        return;
      case 3: {
        const phone = `+7495001${String(1_000 + made)}`;
        const values = ['Haircut', `'${free()}`, 'Vera Orlova', phone, '', true];
        typed.push({ row: world.google.staff.sheets.addRow({ ...AT, values }).row, phone });
        return;
      }
      case 4:
        if (dragged.has(one) || one === '') return;
        world.platform.dashboard.reschedule(one, { startsAt: free(), resourceId: world.company.anna });
        wanted.set(one, free());
        return;
      default: {
        // Only an event that nobody else moves, and that its calendar shows where it belongs.
        const event = world.events(ANNA).find((each) => {
          const id = idIn(known, each);
          return id !== undefined && !dragged.has(id) && startOf(each) === Date.parse(wanted.get(id) ?? '');
        });
        const id = event && idIn(known, event);
        if (event === undefined || id === undefined) return;
        dragged.add(id);
        world.google.staff.calendar.move({ calendarId: ANNA, eventId: String(event['id']), start: free() });
        wanted.set(id, free());
      }
    }
  };

  const wrong = (): string[] => {
    const all = world.platform.truth.appointments() as unknown as readonly Appointment[];
    const rows = world.rows('Intake');
    return [
      ...differences(world),
      ...all.flatMap(({ id, status, starts_at: startsAt }) => [
        ...(status === 'cancelled' ? [`${id} was cancelled by nobody`] : []),
        ...(wanted.has(id) && Date.parse(startsAt) !== Date.parse(wanted.get(id) ?? '')
          ? [`${id} is at ${startsAt}, wanted ${wanted.get(id)}`]
          : []),
      ]),
      ...typed.flatMap(({ row, phone }) => {
        const count = all.filter(
          (each) => each.customer_phone === phone && each.status !== 'cancelled',
        ).length;
        const answer = String(rows[row - 1]?.[HEADERS.indexOf('Status')] ?? '');
        return count === 1 && answer.startsWith('Booked')
          ? []
          : [`row ${row}: ${count} appointments, "${answer}"`];
      }),
    ];
  };

  const office: Office = {
    hosts,
    world,
    lies,
    written,
    start(worker, env = {}, args = []) {
      const child = hosts.run(worker, 'env', [
        ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
        process.execPath,
        ...args,
        MAIN,
        'start',
        '--config',
        config,
      ]);
      const log = { text: '', pid: child.pid };
      logs.set(worker, log);
      child.stdout?.on('data', (said: Buffer) => {
        log.text += String(said);
      });
    },
    async status(worker) {
      const log = logs.get(worker);
      const url = /"url":"(http:[^"]*)"[^\n]*"listening"/.exec(log?.text ?? '')?.[1];
      if (url === undefined) return undefined;
      return hosts
        .say(worker, 'curl', '-sf', '-m', '4', `${url}/status`)
        .then((text) => JSON.parse(text) as StatusReport)
        .catch(() => undefined);
    },
    async busyUntil(over) {
      let isOver = false;
      const ended = over.finally(() => {
        isOver = true;
      });
      const seen = new Set<unknown>();
      const watching = (async () => {
        while (!isOver) {
          for (const calendarId of [ANNA, BORIS])
            for (const { id } of world.events(calendarId)) {
              if (!seen.has(id)) written.push(Date.now());
              seen.add(id);
            }
          await sleep(LOOK_EVERY_MS / 5);
        }
      })();
      const asking = (async () => {
        while (!isOver) {
          for (const worker of WORKERS) {
            const before = new Set(differences(world));
            const status = await office.status(worker);
            const covered = Date.parse(status?.coverage.feed.covered_until ?? '1970');
            const still = differences(world).filter((each) => before.has(each));
            if (status?.idle === true && covered > lastActMs && still.length > 0)
              lies.push(`worker ${worker} is idle, and ${still[0]}`);
          }
          await sleep(2_000);
        }
      })();
      while (!isOver) {
        act();
        await Promise.race([sleep(ACT_EVERY_MS), ended]);
      }
      await Promise.all([watching, asking, ended]);
    },
    async judged() {
      const deadline = Date.now() + 180_000;
      let found = ['nothing was judged'];
      while (Date.now() < deadline) {
        const statuses = await Promise.all(WORKERS.map((worker) => office.status(worker)));
        const idle = statuses.every((each) => each?.idle === true && !isBefore(each, lastActMs + 6_000));
        found = [
          ...statuses.flatMap((each, n) =>
            each?.idle === true ? [] : [`worker ${n}: ${each?.not_idle_because.join('; ') ?? 'no answer'}`],
          ),
          ...wrong(),
        ];
        if (idle && found.length === 0) return [];
        await sleep(1_000);
      }
      return found;
    },
    async close() {
      for (const server of servers) server.close();
      await hosts.stop();
      await world.close();
    },
  };
  return office;
}

interface Appointment {
  readonly id: string;
  readonly status: string;
  readonly starts_at: string;
  readonly customer_phone: string | null;
}

function isBefore({ coverage }: StatusReport, atMs: number): boolean {
  const sheets = coverage.intake_sheets.map((each) => Date.parse(each.covered_until ?? '1970'));
  return Math.min(Date.parse(coverage.feed.covered_until ?? '1970'), ...sheets) < atMs;
}

function idIn(ids: readonly string[], event: Readonly<Record<string, unknown>>): string | undefined {
  return ids.find((id) => String(event['id']).includes(id.replaceAll('-', '')));
}

function startOf(event: Readonly<Record<string, unknown>>): number {
  return Date.parse((event['start'] as { dateTime?: string } | undefined)?.dateTime ?? '');
}
