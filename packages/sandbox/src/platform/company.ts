/**
 * A believable company, the same for the same seed: branches in different zones, people and rooms, services of 30 to 90 minutes, contacts.
 * Its appointments are in the past days and the coming three weeks, without conflicts.
 */
import { bookAppointments } from './company/bookings.ts';
import { BRANCH_NAMES, FIRST_NAMES, LAST_NAMES, POSITIONS, ROOM_NAMES, SERVICES } from './company/names.ts';
import { Random } from './random.ts';
import type { PlatformSandbox } from './sandbox.ts';

export interface CompanyOptions {
  branches?: number;
  /** Total number, spread over the branches. Every third of a branch is a room. */
  resources?: number;
  services?: number;
  contacts?: number;
  appointments?: number;
  seed?: number;
  /** Assigned to the branches in turn. */
  timezones?: string[];
  projectName?: string;
  /** Whether seeding creates events like any other change. Default false. */
  events?: boolean;
}

export interface Company {
  projectId: string;
  branchIds: string[];
  /** People and rooms. */
  resourceIds: string[];
  personIds: string[];
  roomIds: string[];
  serviceIds: string[];
  contactIds: string[];
  appointmentIds: string[];
}

const DEFAULTS = { branches: 2, resources: 6, services: 5, contacts: 500, appointments: 400, seed: 1 };
const DEFAULT_TIMEZONES = ['Europe/Moscow', 'Asia/Yekaterinburg', 'Europe/London', 'Asia/Vladivostok'];

/** Throws RangeError when the requested appointments do not fit into the resources' time. */
export function seedCompany(sandbox: PlatformSandbox, options: CompanyOptions = {}): Company {
  return options.events ? build(sandbox, options) : sandbox.silently(() => build(sandbox, options));
}

function build(sandbox: PlatformSandbox, options: CompanyOptions): Company {
  const { dashboard } = sandbox;
  const wanted = { ...DEFAULTS, ...options };
  const random = new Random(wanted.seed);
  const zones = options.timezones ?? DEFAULT_TIMEZONES;
  const projectId = dashboard.createProject({ id: random.uuid(), name: options.projectName ?? 'Clinic' });
  const branchIds = range(wanted.branches).map((index) =>
    dashboard.createBranch({
      projectId,
      id: random.uuid(),
      name: numbered(BRANCH_NAMES, index),
      address: `${numbered(BRANCH_NAMES, index)}, ${10 + index}`,
      phone: `+7495000${String(1000 + index)}`,
      timezone: zones[index % zones.length] ?? 'Europe/Moscow',
    }),
  );
  const resources = range(wanted.resources).map((index) =>
    createResource(sandbox, { random, branchIds, index }),
  );
  const personIds = resources.filter(({ kind }) => kind === 'person').map(({ id }) => id);
  const roomIds = resources.filter(({ kind }) => kind === 'place').map(({ id }) => id);
  const serviceIds = range(wanted.services).map((index) => {
    const { name: _, ...service } = pickInTurn<(typeof SERVICES)[number]>(SERVICES, index);
    const needsRoom = 'needsRoom' in service && roomIds.length > 0;
    return dashboard.createService({
      projectId,
      id: random.uuid(),
      name: numbered(
        SERVICES.map(({ name }) => name),
        index,
      ),
      durationMin: service.durationMin,
      priceAmount: service.priceAmount,
      resourceIds: personIds,
      secondResourceIds: needsRoom ? roomIds : [],
      slotStepMin: 15,
      bufferAfterMin: index % 2 === 0 ? 0 : 15,
    });
  });
  const contactIds = range(wanted.contacts).map((index) =>
    createContact(sandbox, { random, projectId, index }),
  );
  const company = {
    projectId,
    branchIds,
    resourceIds: resources.map(({ id }) => id),
    personIds,
    roomIds,
    serviceIds,
    contactIds,
  };
  const appointmentIds = bookAppointments(sandbox, { ...company, random, count: wanted.appointments });
  return { ...company, appointmentIds };
}

interface ResourcePlace {
  random: Random;
  branchIds: string[];
  index: number;
}

function createResource(
  sandbox: PlatformSandbox,
  place: ResourcePlace,
): { id: string; kind: 'person' | 'place' } {
  const { random, branchIds, index } = place;
  const branchId = pickInTurn(branchIds, index);
  // Every third resource of a branch is a room.
  const kind = Math.floor(index / branchIds.length) % 3 === 2 ? 'place' : 'person';
  const person = `${pickInTurn(FIRST_NAMES, index * 7)} ${pickInTurn(LAST_NAMES, index * 3)}`;
  const id = sandbox.dashboard.createResource({
    branchId,
    id: random.uuid(),
    kind,
    name: kind === 'person' ? person : `${pickInTurn(ROOM_NAMES, index)} ${index + 1}`,
    positionTitle: kind === 'person' ? pickInTurn(POSITIONS, index) : null,
  });
  return { id, kind };
}

function createContact(
  sandbox: PlatformSandbox,
  given: { random: Random; projectId: string; index: number },
): string {
  const { random, projectId, index } = given;
  const firstName = random.pick(FIRST_NAMES);
  const lastName = random.pick(LAST_NAMES);
  const isEnglish = index % 3 === 0;
  return sandbox.dashboard.createContact({
    projectId,
    id: random.uuid(),
    name: `${firstName} ${lastName}`,
    firstName,
    lastName,
    phone: isEnglish
      ? `+4479110${String(10_000 + index).padStart(5, '0')}`
      : `+7912${String(1_000_000 + index)}`,
    email: index % 4 === 0 ? null : `customer${index + 1}@example.com`,
    lifecycle: random.pick(['lead', 'mql', 'sql', 'customer', 'customer', 'churned']),
    source: random.pick(['manual', 'widget_lead', 'api']),
  });
}

/** The next name in turn, with a number once all names are used. */
function numbered(names: readonly string[], index: number): string {
  const round = Math.floor(index / names.length);
  return round === 0 ? pickInTurn(names, index) : `${pickInTurn(names, index)} ${round + 1}`;
}

function pickInTurn<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('nothing to take from');
  return item;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
