// Performs the steps of a scenario: on the platform, in calendars, in sheets, and on the connections between them and the worker.
import { setTimeout as sleep } from 'node:timers/promises';
import { classIdOf, slotOf } from '../../../src/engine/class-slot.ts';
import { APPOINTMENT_MARK } from '../../../src/engine/event-texts.ts';
import { isEventIdOf } from '../../../src/engine/ids.ts';
import type { Snapshot } from '../../../src/engine/object.ts';
import { defined } from './company.ts';
import { calendarsNamed, type KnownTab } from './directory.ts';
import type { CALLS, Step, StepName, StepOf } from './schema.ts';
import type { Thing, World } from './world.ts';

/** The step cannot be done now: what it names no longer exists, or a side refuses it. */
export class StepFailed extends Error {}

/** Steps after which there is nothing new to wait for. */
const QUIET: ReadonlySet<string> = new Set<StepName>([
  ...(['lose-webhooks', 'lose-answers', 'refuse-calls', 'stop-worker', 'wait'] as const),
]);
const DEFAULT_MINUTES = 60;

type Hands = { readonly [Name in StepName]: (world: World, step: StepOf<Name>) => Promise<void> | void };

const STEP_ACTIONS: Hands = {
  book: (world, step) => {
    const { company, platform, calendar } = world;
    const contactId = company.contacts.get(step.customer ?? '');
    const id = platform.dashboard.bookAs(
      'lk',
      defined({
        ...{ serviceId: idOf(company.services, step.service), startsAt: calendar.at(step.at) },
        resourceId: step.with === undefined ? undefined : idOf(company.resources, step.with),
        branchId: step.branch === undefined ? undefined : idOf(company.branches, step.branch),
        ...{ durationMin: step.minutes, guests: step.guests, contactId },
        ...{ customerName: step.customer, customerPhone: step.phone, customerEmail: step.email },
        comment: step.comment === undefined ? undefined : calendar.fill(step.comment),
        notify: false,
      }),
    );
    world.things.set(step.as, { kind: 'appointment', id });
  },

  move: (world, { appointment, to, with: resource }) => {
    const id = appointmentOf(world, appointment);
    const startsAt = to === undefined ? world.platform.truth.appointment(id)?.['starts_at'] : undefined;
    world.platform.dashboard.reschedule(
      id,
      defined({
        startsAt: to === undefined ? String(startsAt) : world.calendar.at(to),
        resourceId: resource === undefined ? undefined : idOf(world.company.resources, resource),
        notify: false,
      }),
    );
  },

  cancel: (world, { appointment }) =>
    world.platform.dashboard.cancel(appointmentOf(world, appointment), { notify: false }),

  mark: (world, { appointment, status }) =>
    world.platform.dashboard.markAppointment(appointmentOf(world, appointment), status),

  'add-contact': ({ company, platform }, contact) => {
    const id = platform.dashboard.createContact({ projectId: company.projectId, ...defined(contact) });
    company.contacts.set(contact.name, id);
  },

  'change-contact': ({ company, platform }, { contact, ...change }) =>
    platform.dashboard.changeContact(idOf(company.contacts, contact), defined(change)),

  'delete-contact': ({ company, platform }, { contact }) =>
    platform.dashboard.deleteContact(idOf(company.contacts, contact)),

  'create-event': (world, { as, in: calendarName, title, description, start, minutes }) => {
    const { calendar, google } = world;
    const calendarId = calendarOf(world, calendarName);
    const startsAt = calendar.at(start);
    const event = google.staff.calendar.add({
      calendarId,
      event: {
        summary: calendar.fill(title),
        ...(description !== undefined && { description: calendar.fill(description) }),
        start: { dateTime: startsAt },
        end: { dateTime: calendar.plusMinutes(startsAt, minutes ?? DEFAULT_MINUTES) },
      },
    });
    world.things.set(as, { kind: 'event', calendarId, eventId: String(event['id']) });
  },

  'drag-event': (world, { event, in: calendarName, to }) => {
    world.google.staff.calendar.move({
      ...eventOf(world, event, calendarName),
      start: world.calendar.at(to),
    });
  },

  'hand-over-event': (world, { event, in: calendarName, to }) => {
    world.google.staff.calendar.moveToCalendar({
      ...eventOf(world, event, calendarName),
      to: calendarOf(world, to),
    });
  },

  'rename-event': (world, { event, in: calendarName, title }) => {
    const at = eventOf(world, event, calendarName);
    world.google.staff.calendar.retitle({ ...at, summary: world.calendar.fill(title) });
  },

  'delete-event': (world, { event, in: calendarName }) =>
    world.google.staff.calendar.remove(eventOf(world, event, calendarName)),

  'type-row': (world, { as, tab: tabName, cells }) => {
    const tab = tabOf(world, tabName);
    const headers = headersOf(world, tab);
    const values = Array<string | number | boolean>(headers.length).fill('');
    for (const [header, value] of Object.entries(cells)) {
      if (!headers.includes(header)) throw new StepFailed(`the tab ${tabName} has no column ${header}`);
      values[headers.indexOf(header)] = typed(world, value);
    }
    const { spreadsheetId } = tab;
    const { row } = world.google.staff.sheets.addRow({ spreadsheetId, tab: tab.tab, values });
    world.things.set(as, { kind: 'row', spreadsheetId, tab: tab.tab, row });
    if (!tab.isBookingSheet) world.touchTabs();
  },

  'change-row': (world, { row: name, tab: tabName, cells }) => {
    const { tab, row } = rowOf(world, name, tabName);
    for (const [header, value] of Object.entries(cells)) {
      if (!headersOf(world, tab).includes(header))
        throw new StepFailed(`the tab ${tab.tab} has no column ${header}`);
      world.google.staff.sheets.typeInto({
        ...{ spreadsheetId: tab.spreadsheetId, tab: tab.tab, row, column: header },
        value: typed(world, value),
      });
    }
    if (!tab.isBookingSheet) world.touchTabs();
  },

  'delete-row': (world, { row: name, tab: tabName }) => {
    const { tab, row } = rowOf(world, name, tabName);
    world.google.staff.sheets.deleteRow({ spreadsheetId: tab.spreadsheetId, tab: tab.tab, row });
    for (const thing of world.things.values())
      if (thing.kind === 'row' && isIn(thing, tab) && thing.row > row) thing.row -= 1;
    if (!tab.isBookingSheet) world.touchTabs();
  },

  'lose-webhooks': (world, { times }) => {
    const { platform } = world;
    platform.webhooksToLose += times;
    const lostInTheEnd = platform.stats().webhooksLost + platform.webhooksToLose;
    // The first order is served first.
    world.order('lose-webhooks', () => Math.min(times, lostInTheEnd - platform.stats().webhooksLost));
  },

  'lose-answers': (world, { of, times }) => {
    spoil(world, of, { times, fault: { kind: 'commit-then-reset' } });
  },

  'refuse-calls': (world, { of, status, times }) => {
    spoil(world, of, { times, fault: { kind: 'status', status } });
  },

  'unshare-calendar': (world, { calendar }) => world.google.revokeAccess(calendarOf(world, calendar)),
  'share-calendar': (world, { calendar }) => world.google.grantAccess(calendarOf(world, calendar)),
  'stop-worker': (world) => world.stopWorker(),
  'start-worker': (world) => world.startWorker(),
  'restart-worker': async (world) => {
    await world.stopWorker();
    await world.startWorker();
  },
  wait: (_world, ms) => sleep(ms),
};

/** Performs one step. If the worker runs, it has seen and done what follows from the step before the next one begins. */
export async function performStep(world: World, step: Step): Promise<void> {
  const [name] = Object.keys(step) as [StepName];
  const hand = STEP_ACTIONS[name] as (world: World, value: Step[StepName]) => Promise<void> | void;
  await hand(world, step[name]);
  if (world.isWorking && !QUIET.has(name)) await world.settle();
}

/** Creates what exists before the worker starts. */
export function performGiven(
  world: World,
  given: { readonly [Name in 'book' | 'create-event' | 'type-row']: readonly StepOf<Name>[] },
): void {
  for (const step of given.book) world.platform.silently(() => STEP_ACTIONS.book(world, step));
  for (const step of given['create-event']) STEP_ACTIONS['create-event'](world, step);
  for (const step of given['type-row']) STEP_ACTIONS['type-row'](world, step);
}

const SPOILT = {
  'calendar-write': {
    side: 'google',
    methods: ['POST', 'PATCH', 'PUT', 'DELETE'],
    path: /^\/calendar\/v3\/calendars\/[^/]+\/events/,
  },
  // Reading many ranges is a POST too.
  'sheet-write': { side: 'google', methods: ['POST'], path: /^\/v4\/spreadsheets\/[^/]+:batchUpdate/ },
  'platform-write': {
    side: 'platform',
    methods: ['POST', 'PATCH', 'DELETE'],
    path: /^\/v1\/(?:appointments|contacts)/,
  },
} as const satisfies Record<
  (typeof CALLS)[number],
  { readonly side: 'google' | 'platform'; readonly methods: readonly string[]; readonly path: RegExp }
>;

function spoil(
  world: World,
  of: (typeof CALLS)[number],
  {
    times,
    fault,
  }: {
    readonly times: number;
    readonly fault: { kind: 'commit-then-reset' } | { kind: 'status'; status: number };
  },
): void {
  const { side, methods, path } = SPOILT[of];
  const { faults } = world[side];
  let left = times;
  const lift = faults.add({
    ...{ method: methods, path, fault },
    onStrike: () => {
      left -= 1;
      if (left === 0) lift();
    },
  });
  world.order(of, () => left);
}

function typed(world: World, value: string | number | boolean): string | number | boolean {
  return typeof value === 'string' ? world.calendar.fill(value) : value;
}

function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new StepFailed(`${name} is no longer there`);
  return id;
}

function calendarOf(world: World, name: string): string {
  const [id] = calendarsNamed(world.directory, name);
  if (id === undefined) throw new StepFailed(`there is no calendar ${name}`);
  return id;
}

function tabOf(world: World, name: string): KnownTab {
  const tab = world.directory.tabs.find((each) => each.tab === name);
  if (tab === undefined) throw new StepFailed(`there is no tab ${name}`);
  return tab;
}

function headersOf(world: World, { spreadsheetId, tab }: KnownTab): readonly string[] {
  return (world.google.truth.formatted(spreadsheetId, tab)[0] ?? []).map(String);
}

function thingOf(world: World, name: string): Thing {
  const thing = world.things.get(name);
  if (thing === undefined) throw new StepFailed(`there is no ${name}`);
  return thing;
}

/** The appointment that a name means by now. */
function appointmentOf(world: World, name: string): string {
  const thing = thingOf(world, name);
  const id = idIn(world, thing);
  if (id === undefined) throw new StepFailed(`${name} has not become an appointment`);
  return id;
}

function idIn(world: World, thing: Thing): string | undefined {
  if (thing.kind === 'appointment') return thing.id;
  if (thing.kind === 'event') {
    for (const calendarId of world.directory.calendars) {
      const event = world.google.truth.event(calendarId, thing.eventId);
      const marks = (event?.['extendedProperties'] as { private?: Record<string, unknown> } | undefined)
        ?.private;
      const id = marks?.[APPOINTMENT_MARK];
      if (typeof id === 'string') return id;
    }
    return undefined;
  }
  const tab = world.directory.tabs.find((each) => isIn(thing, each));
  if (tab?.appointmentHeader === undefined) return undefined;
  const column = headersOf(world, tab).indexOf(tab.appointmentHeader);
  const value = world.google.truth.formatted(thing.spreadsheetId, thing.tab)[thing.row - 1]?.[column];
  return value === undefined || value === '' ? undefined : String(value);
}

function eventOf(
  world: World,
  name: string,
  calendarName: string | undefined,
): { readonly calendarId: string; readonly eventId: string } {
  const thing = thingOf(world, name);
  const id = idIn(world, thing);
  // A guest of a class is shown in the event of the class.
  const slot = id === undefined ? undefined : slotOf(snapshotOf(world, id));
  const ids = id === undefined ? [] : [id, ...(slot === undefined ? [] : [classIdOf(slot)])];
  const isIts = (eventId: string) =>
    (thing.kind === 'event' && eventId === thing.eventId) || ids.some((each) => isEventIdOf(eventId, each));
  const calendars = calendarName === undefined ? inOrder(world, id) : [calendarOf(world, calendarName)];
  for (const calendarId of calendars)
    for (const event of world.google.truth.events(calendarId))
      if (isIts(String(event['id']))) return { calendarId, eventId: String(event['id']) };
  throw new StepFailed(
    `${name} has no event ${calendarName === undefined ? 'in any calendar' : `in ${calendarName}`}`,
  );
}

function snapshotOf(world: World, id: string): Snapshot {
  return { ...world.platform.truth.appointment(id), id };
}

/** The calendar of the booked resource comes first: a room that goes with it has an event too. */
function inOrder(world: World, appointmentId: string | undefined): readonly string[] {
  const { calendars, calendarsOf } = world.directory;
  const resourceId = appointmentId && world.platform.truth.appointment(appointmentId)?.['resource_id'];
  const holder = [...world.company.resources].find(([, id]) => id === resourceId)?.[0] ?? '';
  const first = calendarsOf.get(holder) ?? [];
  return [...first, ...calendars.filter((id) => !first.includes(id))];
}

function rowOf(
  world: World,
  name: string,
  tabName: string | undefined,
): { readonly tab: KnownTab; readonly row: number } {
  const thing = world.things.get(name);
  if (thing?.kind === 'row' && (tabName === undefined || thing.tab === tabName)) {
    const tab = world.directory.tabs.find((each) => isIn(thing, each));
    if (tab !== undefined) return { tab, row: thing.row };
  }
  const id = thing === undefined ? world.company.contacts.get(name) : idIn(world, thing);
  const mirrors = world.directory.tabs.filter((tab) => !tab.isBookingSheet);
  for (const tab of tabName === undefined ? mirrors : [tabOf(world, tabName)]) {
    const column = headersOf(world, tab).indexOf(tab.keyHeader);
    const values = world.google.truth.formatted(tab.spreadsheetId, tab.tab);
    const row = values.findIndex((cells, index) => index > 0 && cells[column] === id);
    if (id !== undefined && row > 0) return { tab, row: row + 1 };
  }
  throw new StepFailed(
    `${name} has no row ${tabName === undefined ? 'in any tab' : `in the tab ${tabName}`}`,
  );
}

function isIn(row: { readonly spreadsheetId: string; readonly tab: string }, tab: KnownTab): boolean {
  return row.spreadsheetId === tab.spreadsheetId && row.tab === tab.tab;
}
