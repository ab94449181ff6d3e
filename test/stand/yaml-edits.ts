import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import type { Difference } from '../../src/engine/finding.ts';
import type { StatusReport } from '../../src/operate/status.ts';
import { openSession } from '../../src/worker/operator-session.ts';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { ANNA, BOOK, BORIS, ROOM, startWorld, type World, type WorldOptions } from './world.ts';

export const ANNA_NEW = 'anna-new@clinic.example';
export const CALENDARS = [ANNA, BORIS, ROOM, ANNA_NEW] as const;

const NAMES = { anna: 'Anna Petrova', boris: 'Boris Ivanov', room: 'Room 1' } as const;
export type Person = keyof typeof NAMES;
/** Resource to calendar, per calendar mirror. */
export type Mapping = Readonly<Record<string, Readonly<Partial<Record<Person, string>>>>>;

/** What the YAML says. */
export interface Yaml {
  readonly calendars: Mapping;
  /** Name of the sheet mirror. */
  readonly sheet: string;
}

export const FIRST: Yaml = {
  calendars: { staff: { anna: ANNA, boris: BORIS, room: ROOM } },
  sheet: 'visits',
};

function mirrorsOf({ calendars, sheet }: Yaml): string {
  const staff = Object.entries(calendars).map(
    ([name, lines]) => `
  ${name}:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
${Object.entries(lines)
  .map(([person, calendar]) => `        ${NAMES[person as Person]}: ${calendar}`)
  .join('\n')}
    event: { title: "{{ service_name }}, {{ customer_name }}", color: { no_show: tomato } }`,
  );
  return `
mirrors:${staff.join('')}
  ${sheet}:
    from: appointments
    where: { since: 7d }
    sheet: { spreadsheet: ${BOOK}, tab: Visits, check_every: 7d }
    columns: { ID: "{{ id }}", Status: "{{ status }}", Start: "{{ starts_at }}", Who: "{{ customer_name }}" }
`;
}

/** A world whose YAML is edited between the lives of its one worker. */
export async function startEdited(options: Omit<WorldOptions, 'mirrors'> = {}) {
  const edited: { -readonly [Key in keyof WorldOptions]: WorldOptions[Key] } = {
    ...options,
    mirrors: mirrorsOf(FIRST),
  };
  const world = await startWorld(edited);
  world.google.addCalendar(ANNA_NEW, { shareWith: [defaultAccount] });
  const port = await world.door();
  await world.subscribe(port);
  let worker: RunningWorker | undefined;
  let yaml = FIRST;
  return {
    world,
    get yaml(): Yaml {
      return yaml;
    },
    async stop(): Promise<void> {
      if (worker !== undefined) await world.stopWorker(worker);
      worker = undefined;
    },
    async start(next: Yaml): Promise<void> {
      yaml = next;
      edited.mirrors = mirrorsOf(next);
      worker = await world.startWorker(port);
    },
    async idle(): Promise<StatusReport> {
      if (worker === undefined) throw new Error('no worker runs');
      return world.untilIdle(worker.url);
    },
    /** All that `audit` would end with 1 for. */
    async audit(): Promise<readonly string[]> {
      // What changed within the last seconds counts as under way.
      const submitter = await openSession(world.config(), { now: () => Date.now() + 60_000 });
      try {
        const found: Difference[] = [];
        const { unread, unjudged } = await submitter.audit({
          tell: (difference) => found.push(difference),
          progress: () => undefined,
        });
        return [
          ...found.map(({ what, why, key, place }) => `${what}, ${why}: ${key} in ${place}`),
          ...[...unread, ...unjudged].map(([what, code]) => `${what}: ${code}`),
        ];
      } finally {
        await submitter.close();
      }
    },
    close: () => world.close(),
  };
}

export type Edited = Awaited<ReturnType<typeof startEdited>>;

interface Appointment {
  readonly id: string;
  readonly resource_ids: readonly string[];
  readonly status: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly service_name: string;
  readonly customer_name: string;
}

/** Where every appointment has to stand: what is over where it was shown first, all else by the YAML. Calendar to lines. */
export class Truth {
  readonly #world: World;
  readonly #settled = new Map<string, readonly string[]>();

  constructor(world: World) {
    this.#world = world;
  }

  appointments(): readonly Appointment[] {
    return this.#world.platform.truth.appointments() as unknown as readonly Appointment[];
  }

  /** Differences between what stands and what has to; `calendars`: those that anybody can look into. */
  differences(yaml: Yaml, calendars: readonly string[] = CALENDARS): readonly string[] {
    const wanted = new Map<string, string[]>(calendars.map((id) => [id, []]));
    for (const appointment of this.appointments()) {
      for (const id of this.#calendarsOf(appointment, yaml)) wanted.get(id)?.push(lineOf(appointment));
    }
    const found = calendars.flatMap((id) => {
      const standing = this.#world.events(id).map(lineOfEvent);
      return compare(standing, wanted.get(id) ?? []).map((each) => `${id}: ${each}`);
    });
    const rows = this.#world
      .rows('Visits')
      .slice(1)
      .filter((row) => row.some((cell) => cell !== ''));
    const lines = rows.map((row) => [row[0], row[1], Date.parse(String(row[2]))].join(' '));
    const truth = this.appointments().map(({ id, status, starts_at }) =>
      [id, status, Date.parse(starts_at)].join(' '),
    );
    return [...found, ...compare(lines, truth).map((each) => `row: ${each}`)];
  }

  #calendarsOf(appointment: Appointment, { calendars }: Yaml): readonly string[] {
    const known = this.#settled.get(appointment.id);
    if (appointment.status === 'cancelled') return [];
    if (known !== undefined) return known;
    const { company } = this.#world;
    const lines = Object.values(calendars).flatMap((each) => Object.entries(each));
    const found = appointment.resource_ids.flatMap((resource) =>
      lines.flatMap(([person, calendar]) =>
        company[person as Person] === resource ? [String(calendar).toLowerCase()] : [],
      ),
    );
    if (Date.parse(appointment.ends_at) <= Date.now()) this.#settled.set(appointment.id, found);
    return found;
  }
}

function lineOf({ id, starts_at, ends_at, service_name, customer_name, status }: Appointment): string {
  const times = [Date.parse(starts_at), Date.parse(ends_at)];
  return [
    `sb${id.replaceAll('-', '')}`,
    ...times,
    `${service_name}, ${customer_name}`,
    status === 'no_show',
  ].join(' ');
}

function lineOfEvent(event: Readonly<Record<string, unknown>>): string {
  const at = (name: string) => Date.parse((event[name] as { dateTime?: string } | undefined)?.dateTime ?? '');
  return [event['id'], at('start'), at('end'), event['summary'], event['colorId'] !== undefined].join(' ');
}

function compare(standing: readonly string[], wanted: readonly string[]): readonly string[] {
  return [
    ...wanted.filter((line) => !standing.includes(line)).map((line) => `missing ${line}`),
    ...standing
      .filter((line, at) => !wanted.includes(line) || standing.indexOf(line) !== at)
      .map((line) => `too much ${line}`),
  ];
}
