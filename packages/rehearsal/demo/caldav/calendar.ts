// A colleague whose calendar is on a CalDAV server: a radicale of the demo's own. The judge reads its files, as radicale stores them.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultPlan } from '@slotbridge/sandbox/faults';
import { type Wire, wireText } from '../judge/company.ts';
import { openDoor } from './door.ts';
import { collectionFolder, radicaleVersion, startRadicale } from './radicale.ts';
import { eventsIn } from './read-event.ts';
import { Requests } from './requests.ts';

export interface CaldavColleague {
  /** `radicale 3.1.8` */
  readonly server: string;
  /** The address of the calendar, as the mapping names it. */
  readonly calendarId: string;
  readonly account: { readonly url: string; readonly user: string; readonly password: string };
  /** On the worker's way to the server only. */
  readonly faults: FaultPlan;
  /** The worker's requests so far. */
  requests(): number;
  /** What a calendar program of the colleague sends, past the faults. */
  readonly phone: Requests;
  /** The address of the calendar for that program. */
  readonly phoneCalendar: string;
  /** Names of the files, one for each event. */
  names(): readonly string[];
  /** Live events, in Google's form. */
  events(): readonly Wire[];
  /** Tells each event that the worker or the colleague wrote; a deleted one has the status `cancelled`. */
  onWrite(tell: (event: Wire) => void): void;
  /** The colleague has written the event of this address. */
  written(address: string): void;
  stop(): Promise<void>;
}

const CALENDAR = 'work';

/** Undefined where radicale cannot be run. `folder` must exist, and holds everything. */
export async function startCaldavColleague(parts: {
  readonly folder: string;
  readonly random: () => number;
}): Promise<CaldavColleague | undefined> {
  const version = await radicaleVersion();
  if (version === undefined) return undefined;
  const folder = join(parts.folder, 'radicale');
  mkdirSync(folder);
  const server = await startRadicale({ folder }).catch(() => undefined);
  if (server === undefined) return undefined;
  const [anna] = server.accounts;
  const phone = new Requests(anna);
  const phoneCalendar = await phone.makeCalendar(CALENDAR);
  const path = `${anna.user}/${CALENDAR}`;
  const files = new CalendarFiles(collectionFolder(folder, path));
  const tellAll: ((event: Wire) => void)[] = [];
  const written = (address: string) => {
    for (const event of files.written(address)) for (const tell of tellAll) tell(event);
  };
  const door = await openDoor(server, { random: parts.random, written });
  return {
    ...{ phone, phoneCalendar, written, server: `radicale ${version}`, faults: door.faults },
    calendarId: `${door.url}${path}/`,
    account: { url: door.url, user: anna.user, password: anna.password },
    requests: () => door.requests,
    names: () => files.names(),
    events: () => files.events(),
    onWrite: (tell) => void tellAll.push(tell),
    async stop() {
      await door.close();
      await server.stop();
    },
  };
}

/** A calendar as radicale stores it: each event in a file. */
export class CalendarFiles {
  readonly #folder: string;
  /** By file name: a file that is gone no longer says. */
  readonly #ids = new Map<string, readonly string[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  names(): readonly string[] {
    return readdirSync(this.#folder).filter((name) => !name.startsWith('.'));
  }

  events(): readonly Wire[] {
    return this.names().flatMap((name) => this.#read(name) ?? []);
  }

  /** The event of this address as it is now; if it is gone, its id as of a cancelled one. */
  written(address: string): readonly Wire[] {
    const name = decodeURIComponent(address.split('/').at(-1) ?? '');
    const events = this.#read(name);
    if (events === undefined) return (this.#ids.get(name) ?? []).map((id) => ({ id, status: 'cancelled' }));
    this.#ids.set(
      name,
      events.map(({ id }) => wireText(id)),
    );
    return events;
  }

  /** Undefined if the file is gone. */
  #read(name: string): readonly Wire[] | undefined {
    let text: string;
    try {
      text = readFileSync(join(this.#folder, name), 'utf8');
    } catch {
      return undefined;
    }
    return eventsIn(text);
  }
}
