// Both sandboxes side by side with a small company. `slotbridge sandbox` runs them, and the example YAML fits them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forgetAddresses, writeAddresses } from './addresses.ts';
import { defaultAccount, GoogleSandbox } from './google/sandbox.ts';
import { startSandboxPage } from './page/page.ts';
import { everyDay } from './platform/dashboard/catalogue.ts';
import { PlatformSandbox } from './platform/sandbox.ts';

export interface Stand {
  readonly platform: PlatformSandbox;
  readonly google: GoogleSandbox;
  /** Service-account key file for the worker. */
  readonly keyFile: string;
  readonly serviceId: string;
  /** The page for watching and controlling the sandboxes. */
  readonly pageUrl: string;
  close(): Promise<void>;
}

export const STAND = {
  apiKey: 'sandbox-key',
  calendars: { 'Anna Petrova': 'anna@clinic.example', 'Room 1': 'room1@group.calendar.google.com' },
  spreadsheet: 'sandbox-office',
  service: 'Haircut',
  zone: 'Europe/Moscow',
} as const;

/** What both sides have at first. */
export interface StandCompany {
  furnishGoogle(google: GoogleSandbox): void;
  /** Returns a service that can be booked. */
  furnishPlatform(platform: PlatformSandbox): string;
}

const PAGE_PORT = 4030;

export async function startStand(options: {
  readonly platformPort: number;
  readonly googlePort: number;
  /** Absent: the default port, or any free one when it is taken. */
  readonly pagePort?: number;
  readonly dataDir: string;
  /** Absent: the small clinic. */
  readonly company?: StandCompany;
}): Promise<Stand> {
  const started: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const each of started.splice(0).reverse()) await each.close();
  };
  try {
    // Start Google first, and fill each sandbox as soon as it listens: a client that waits for the platform then finds the
    // rest.
    const google = await GoogleSandbox.start({ port: options.googlePort });
    started.push(google);
    const company = options.company ?? CLINIC;
    const keyFile = writeKey(google, options.dataDir);
    company.furnishGoogle(google);
    const platform = await PlatformSandbox.start({ port: options.platformPort });
    started.push(platform);
    const serviceId = platform.silently(() => company.furnishPlatform(platform));
    platform.createKey({ key: STAND.apiKey });
    const page = await openPage({ platform, google }, options.pagePort);
    started.push(page);
    writeAddresses(options.dataDir, { platform: platform.url, google: google.url });
    started.push({ close: async () => forgetAddresses(options.dataDir) });
    return { platform, google, keyFile, serviceId, pageUrl: page.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The page's address is printed, so a second sandbox may use another port when the first one's page has the default. */
async function openPage(sandboxes: Omit<Parameters<typeof startSandboxPage>[0], 'port'>, port?: number) {
  if (port !== undefined) return startSandboxPage({ ...sandboxes, port });
  return startSandboxPage({ ...sandboxes, port: PAGE_PORT }).catch(() =>
    startSandboxPage({ ...sandboxes, port: 0 }),
  );
}

/** Creates one branch, one person, one room, two services, and a few customers. Returns Anna's service. */
function furnishPlatform(platform: PlatformSandbox): string {
  const { dashboard } = platform;
  const projectId = dashboard.createProject({ name: 'Clinic' });
  // Open day and night, so that a booking works at any hour.
  const branchId = dashboard.createBranch({
    projectId,
    name: 'Central',
    timezone: STAND.zone,
    schedule: everyDay('00:00', '24:00'),
  });
  const anna = dashboard.createResource({ branchId, name: 'Anna Petrova', kind: 'person' });
  const room = dashboard.createResource({ branchId, name: 'Room 1', kind: 'place' });
  const serviceId = dashboard.createService({
    projectId,
    name: STAND.service,
    durationMin: 45,
    priceAmount: 240_000,
    resourceIds: [anna],
  });
  dashboard.createService({
    projectId,
    name: 'Massage',
    durationMin: 60,
    priceAmount: 350_000,
    resourceIds: [anna],
    secondResourceIds: [room],
  });
  for (const [name, phone] of CUSTOMERS)
    dashboard.createContact({ projectId, name, phone, lifecycle: 'customer' });
  return serviceId;
}

export const CUSTOMERS = [
  ['Vera Orlova', '+74950001101'],
  ['Pavel Sokolov', '+74950001102'],
  ['Emma Walker', '+442070001103'],
] as const;

function writeKey(google: GoogleSandbox, dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const keyFile = join(dataDir, 'google-key.json');
  writeFileSync(keyFile, JSON.stringify(google.serviceAccountKey(), null, 2), { mode: 0o600 });
  return keyFile;
}

function furnishGoogle(google: GoogleSandbox): void {
  for (const [summary, id] of Object.entries(STAND.calendars)) {
    google.addCalendar(id, { shareWith: [defaultAccount], timeZone: STAND.zone, summary });
  }
  google.addSpreadsheet(STAND.spreadsheet, {
    shareWith: [defaultAccount],
    timeZone: STAND.zone,
    tabs: ['Contacts', 'Appointments', 'Leads', 'Conversations', 'Messages'].map((title) => ({ title })),
  });
}

const CLINIC: StandCompany = { furnishGoogle, furnishPlatform };
