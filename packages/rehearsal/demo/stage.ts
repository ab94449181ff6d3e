// Sets up everything the demo needs, and takes it down in reverse order: folder, Redis, both sandboxes with a company, mapping, webhook
// endpoint. It creates the worker, but does not start it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAccount, GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { type Company, seedCompany } from '@slotbridge/sandbox/platform/company';
import { Random } from '@slotbridge/sandbox/platform/random';
import type { WeekSchedule } from '@slotbridge/sandbox/platform/records';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { startPrivateRedis } from '../../../src/engine/private-redis.ts';
import { type CaldavColleague, startCaldavColleague } from './caldav/calendar.ts';
import { type Course, furnishCourse } from './classes/play.ts';
import { Api, accepted } from './day/api.ts';
import { talkBefore } from './day/eve.ts';
import { Notebook } from './day/notebook.ts';
import { EVENT_DELAY_MS } from './day/weather.ts';
import { HOUSE, type Wire, wireText } from './judge/company.ts';
import type { JudgedMapping } from './judge/judge.ts';
import { BLOCK_SERVICE, CALENDAR_CALLS_PER_MINUTE, mappingYaml } from './mapping.ts';
import {
  furnishOffice,
  furnishOfficeTab,
  OFFICE_ACCOUNT,
  type OfficeAppointments,
} from './office/appointments.ts';
import { INTAKE_HEADERS, INTAKE_TAB } from './outside/rows.ts';
import { ownPort } from './own-port.ts';
import { furnishPrivateLife, type PrivateLife } from './private-time/events.ts';
import { WorkerProcess } from './worker-process.ts';
import { writeCommands } from './write-commands.ts';

export interface Calendars {
  /** Live events. */
  events(calendarId: string): readonly Wire[];
  /** Undefined once it is gone. */
  event(at: { readonly calendarId: string; readonly eventId: string }): Wire | undefined;
}

export interface Stage {
  readonly folder: string;
  readonly configFile: string;
  /** A script that runs any slotbridge command beside the worker, for people and for the tour. */
  readonly commands: string;
  readonly platform: PlatformSandbox;
  readonly google: GoogleSandbox;
  readonly company: Company;
  readonly mapping: JudgedMapping;
  /** Absent where no radicale can be run: then all calendars are Google's. */
  readonly colleague?: CaldavColleague;
  /** All calendars, whoever keeps them. */
  readonly calendars: Calendars;
  readonly lives: readonly PrivateLife[];
  readonly course: Course;
  readonly office: OfficeAppointments;
  /** The company's other programs, with keys that may write. */
  readonly api: Api;
  readonly worker: WorkerProcess;
  /** Closes everything. Safe to call twice. */
  close(): Promise<void>;
}

const SPREADSHEET = 'demo-office';
const TEAM_CALENDAR = 'team@group.calendar.demo.example';
const PRIVATE_LIVES = 2;
/** Ten times the platform's own limit, because a whole day's bookings happen within seconds. */
const PLATFORM_CALLS_PER_MINUTE = 6_000;
const TABS = ['Contacts', 'Win-back', 'Appointments', 'Leads', 'Conversations'];
const READ_SCOPES = ['appointments:read', 'contacts:read', 'leads:read', 'conversations:read'] as const;
const COMPANY = { branches: 2, resources: 6, services: 5, contacts: 500, appointments: 400 };
const ENDPOINT_EVENTS = [
  ...['appointment.created', 'appointment.updated', 'appointment.rescheduled', 'appointment.cancelled'],
  ...['contact.created', 'contact.updated', 'contact.deleted'],
  ...['lead.created', 'lead.updated'],
  ...['conversation.created', 'conversation.closed', 'conversation.reopened', 'conversation.escalated'],
  'message.created',
];

/** Rejects with `TerminalError` when no Redis can be started. It then closes what it had set up. */
export async function setStage(options: {
  readonly seed: number;
  /** The command line of `slotbridge`, without a command. */
  readonly program: readonly string[];
}): Promise<Stage> {
  const { seed } = options;
  const releases: (() => Promise<unknown> | unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const release of releases.splice(0).reverse())
      await Promise.resolve()
        .then(release)
        .catch(() => undefined);
  };
  try {
    const folder = mkdtempSync(join(tmpdir(), 'slotbridge-demo-'));
    releases.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    const redis = await startPrivateRedis(folder);
    releases.push(() => redis.stop());
    const platform = await PlatformSandbox.start({
      ...{ seed, eventDelayMs: EVENT_DELAY_MS },
      rateLimitPerMinute: PLATFORM_CALLS_PER_MINUTE,
    });
    releases.push(() => platform.close());
    const quotas = { calendarPerMinutePerUser: CALENDAR_CALLS_PER_MINUTE };
    const google = await GoogleSandbox.start({ seed, quotas });
    releases.push(() => google.close());

    const colleague = await startCaldavColleague({ folder, random: chanceOf(seed) });
    if (colleague !== undefined) releases.push(() => colleague.stop());

    const company = seedCompany(platform, { ...COMPANY, seed });
    const lives = platform.silently(() => furnishHouse(platform, company));
    const offer = platform.silently(() => furnishCourse(platform, company));
    const office = platform.silently(() => furnishOffice(platform, company));
    const calendars = furnishGoogle(platform, google);
    if (colleague !== undefined) calendars.set(caldavResource(company), colleague.calendarId);
    const teams = furnishTeam(company, google);
    furnishPrivateLife({ google, lives, random: new Random(seed).fork('private') });
    furnishOfficeTab(google);
    const port = await ownPort();
    const url = `http://127.0.0.1:${port}`;
    const api = new Api({ baseUrl: platform.url, newKey: () => platform.createKey() });
    const secret = await createEndpoint(api, `${url}/webhooks/platform`);
    const random = new Random(seed).fork('eve');
    talkBefore({ company, platform, random, notebook: new Notebook(platform, random) });
    // The default path, where each command looks for it.
    const configFile = join(folder, 'config', 'slotbridge.yaml');
    mkdirSync(join(folder, 'config'));
    writeFileSync(
      configFile,
      mappingYaml({
        projectId: company.projectId,
        calendars: namedForPeople(platform, calendars),
        teams: named(platform.truth.services(), teams),
        privateCalendars: named(
          platform.truth.resources(),
          new Map(lives.map(({ resourceId, calendarId }) => [resourceId, calendarId])),
        ),
        course: offer.title,
        kept: office.service,
        fed: nameOf(platform.truth.resources(), fedResource(company)),
        spreadsheetId: SPREADSHEET,
        bookable: company.personIds
          .map((id) => calendars.get(id) ?? '')
          .filter((id) => id !== colleague?.calendarId),
        ...(colleague !== undefined && {
          caldav: {
            calendarId: colleague.calendarId,
            url: colleague.account.url,
            user: colleague.account.user,
          },
        }),
        port,
        googleUrl: google.url,
      }),
    );
    const keyOf = (account: string, name: string) => {
      const file = join(folder, name);
      writeFileSync(file, JSON.stringify(google.serviceAccountKey(account)), { mode: 0o600 });
      return file;
    };
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NO_PROXY: '127.0.0.1,localhost',
      PLATFORM_BASE_URL: platform.url,
      // The key may read, manage the worker's endpoint, and change appointments and contacts as staff do in Google.
      PLATFORM_API_KEY: platform.createKey({
        scopes: [...READ_SCOPES, 'appointments:write', 'contacts:write', 'webhooks:manage'],
      }),
      PLATFORM_WEBHOOK_SECRET: secret,
      GOOGLE_APPLICATION_CREDENTIALS: keyOf(defaultAccount, 'google-key.json'),
      GOOGLE_OFFICE_CREDENTIALS: keyOf(OFFICE_ACCOUNT, 'google-office-key.json'),
      REDIS_URL: redis.url,
      CALDAV_PASSWORD: colleague?.account.password,
    };
    const commands = writeCommands({ program: options.program, folder, env });
    const worker = new WorkerProcess({
      command: [...options.program, 'start', '--config', configFile],
      folder,
      env,
      url,
      logFile: join(folder, 'worker.log'),
    });
    releases.push(() => worker.stop());
    const lastWill = (): void => abandon({ workerPid: worker.pid, redisPid: redis.pid, folder });
    process.on('exit', lastWill);
    releases.unshift(() => process.off('exit', lastWill));
    const course = { ...offer, calendarId: calendars.get(offer.resourceId) ?? '' };
    // Its events belong to no single appointment, and have their own judge.
    calendars.delete(offer.resourceId);
    const mapping = { calendars, teams, spreadsheetId: SPREADSHEET };
    const made = { folder, configFile, commands, platform, google, company };
    return {
      ...{ ...made, mapping, lives, course, office, api, worker, close },
      ...{ calendars: calendarsOf(google, colleague), ...(colleague !== undefined && { colleague }) },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates one calendar per resource and a spreadsheet with empty tabs, all shared with the worker's account. Returns the calendars. */
function furnishGoogle(platform: PlatformSandbox, google: GoogleSandbox): Map<string, string> {
  const calendars = new Map<string, string>();
  for (const [index, resource] of platform.truth.resources().entries()) {
    const calendarId = `resource-${index + 1}@group.calendar.demo.example`;
    google.addCalendar(calendarId, {
      shareWith: [defaultAccount],
      timeZone: wireText(resource['timezone']),
      summary: wireText(resource['name']),
    });
    calendars.set(wireText(resource['id']), calendarId);
  }
  const intake = { title: INTAKE_TAB, values: [[...INTAKE_HEADERS]] };
  const tabs = [...TABS.map((title) => ({ title })), intake];
  google.addSpreadsheet(SPREADSHEET, { shareWith: [defaultAccount], tabs });
  return calendars;
}

/** Creates the calendar of the team that provides the first service. Returns it by the service's id. */
function furnishTeam({ serviceIds: [serviceId = ''] }: Company, google: GoogleSandbox): Map<string, string> {
  google.addCalendar(TEAM_CALENDAR, { shareWith: [defaultAccount], summary: 'Team' });
  return new Map([[serviceId, TEAM_CALENDAR]]);
}

/** Creates what blocks need: a service, and a contact that is no real customer. Returns the people who have private events. */
function furnishHouse({ dashboard, truth }: PlatformSandbox, company: Company): PrivateLife[] {
  const { projectId, personIds, branchIds } = company;
  const early = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((day) => [day, [['06:00', '21:00']]]));
  for (const id of branchIds) dashboard.changeBranch(id, { schedule: early as WeekSchedule });
  dashboard.createService({
    ...{ projectId, name: BLOCK_SERVICE, resourceIds: personIds, bookingMode: 'interval' },
    ...{ minDurationMin: 15, maxDurationMin: 480, durationStepMin: 15, onlineBookable: false },
  });
  dashboard.createContact({ projectId, id: HOUSE, name: 'House' });
  return personIds.slice(0, PRIVATE_LIVES).map((resourceId, index) => {
    const zone = wireText(truth.resources().find((one) => one['id'] === resourceId)?.['timezone']);
    return { resourceId, calendarId: `private-${index + 1}@group.calendar.demo.example`, zone };
  });
}

/** The person whose calendar is on a CalDAV server. */
function caldavResource({ personIds }: Company): string {
  return personIds.at(-1) ?? '';
}

function chanceOf(seed: number): () => number {
  const random = new Random(seed).fork('caldav');
  return () => random.next();
}

/** The resource whose appointments a feed shows. */
export function fedResource({ personIds: [id = ''] }: Company): string {
  return id;
}

function calendarsOf(google: GoogleSandbox, colleague: CaldavColleague | undefined): Calendars {
  const own = (calendarId: string) => (calendarId === colleague?.calendarId ? colleague : undefined);
  return {
    events: (calendarId) => own(calendarId)?.events() ?? google.truth.events(calendarId),
    event({ calendarId, eventId }) {
      const ofColleague = own(calendarId)?.events();
      if (ofColleague !== undefined) return ofColleague.find(({ id }) => id === eventId);
      const event = google.truth.event(calendarId, eventId);
      return event?.['status'] === 'cancelled' ? undefined : event;
    },
  };
}

function named(things: readonly Wire[], byId: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...byId].map(([id, calendarId]) => [nameOf(things, id), calendarId]));
}

function nameOf(things: readonly Wire[], id: string): string {
  return wireText(things.find((one) => one['id'] === id)?.['name']);
}

/** Resources by name, as an operator would write them. The first is by id, which the mapping accepts, too. */
function namedForPeople(
  platform: PlatformSandbox,
  calendars: ReadonlyMap<string, string>,
): Map<string, string> {
  const resources = platform.truth.resources();
  return new Map(
    resources.map((resource, index) => {
      const id = wireText(resource['id']);
      return [index === 0 ? id : wireText(resource['name']), calendars.get(id) ?? ''];
    }),
  );
}

/** Creates the endpoint as `webhook register` does. Returns the secret, which the platform shows once. */
async function createEndpoint(api: Api, url: string): Promise<string> {
  const created = await api.post('/webhook_endpoints', {
    url,
    enabled_events: ENDPOINT_EVENTS,
    project_ids: null,
  });
  return wireText(accepted(created)?.['secret']);
}

/** Cleans up when the demo exits without closing the stage. It runs inside `exit`, so it cannot wait. */
function abandon(left: { workerPid: number | undefined; redisPid: number; folder: string }): void {
  for (const pid of [left.workerPid, left.redisPid]) {
    try {
      if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
  rmSync(left.folder, { recursive: true, force: true });
}
