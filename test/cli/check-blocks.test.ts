import { defaultAccount } from '@slotbridge/sandbox/google/sandbox';
import { afterEach, expect, test } from 'vitest';
import { checkLive } from '../../src/operate/live-check/live-check.ts';
import { noConsents } from '../stand/consents.ts';
import { ANNA, MIRRORS, startWorld, type World } from '../stand/world.ts';

const PORT = 8080;
const PRIVATE = 'anna.private@example.com';
const HOUSE = '00000000-0000-4000-8000-00000000b10c';
const CONTACT = 'contact of blocks.private-time';
const SERVICE = 'service Busy of blocks.private-time';
const PERSON = 'resource Anna Petrova of blocks.private-time';

let world: World;
afterEach(() => world.close());

interface Company {
  readonly service?: Partial<Parameters<World['platform']['dashboard']['createService']>[0]> | 'none';
  readonly contact?: Partial<Parameters<World['platform']['dashboard']['createContact']>[0]> | 'none';
  readonly hours?: string;
}

/** What is not well: subject to verdict and detail. */
async function wrongWith({ service = {}, contact = {}, hours = '09:00-18:00' }: Company) {
  world = await startWorld({
    mirrors: `${MIRRORS}
blocks:
  private-time:
    service: Busy
    contact: ${HOUSE}
    people: { Anna Petrova: [${PRIVATE}, ${ANNA}] }
    hours: { daily: "${hours}" }
`,
  });
  await world.subscribe(PORT);
  const { dashboard } = world.platform;
  const { projectId, anna } = world.company;
  if (service !== 'none')
    dashboard.createService({
      ...{ projectId, name: 'Busy', resourceIds: [anna], bookingMode: 'interval', onlineBookable: false },
      ...service,
    });
  if (contact !== 'none') dashboard.createContact({ projectId, id: HOUSE, name: 'House', ...contact });
  world.google.addCalendar(PRIVATE, { shareWith: [defaultAccount], role: 'freeBusyReader' });
  return wrong();
}

async function wrong() {
  const { findings, ok } = await checkLive(world.config(PORT), {
    clock: { now: Date.now },
    openConsents: noConsents,
  });
  const bad = findings.filter(({ verdict }) => verdict !== 'ok');
  expect(ok).toBe(bad.every(({ verdict }) => verdict === 'notice'));
  expect(bad.every(({ advice }) => advice !== undefined)).toBe(true);
  return Object.fromEntries(bad.map(({ subject, verdict, detail }) => [subject, `${verdict}: ${detail}`]));
}

test('blocks that can work are told as such: the right to book, service, contact, people and private calendars', async () => {
  expect(await wrongWith({})).toEqual({});
  const before = world.platform.truth.appointments();
  const { findings } = await checkLive(world.config(PORT), {
    clock: { now: Date.now },
    openConsents: noConsents,
  });
  const subjects = findings.map(({ subject }) => subject);
  expect(subjects).toEqual(
    expect.arrayContaining([
      'right to book (appointments:write)',
      ...[SERVICE, CONTACT, PERSON, `private calendar ${PRIVATE}`, `calendar ${ANNA}`],
    ]),
  );
  // A mirror writes there: it is asked about once.
  expect(subjects).not.toContain(`private calendar ${ANNA}`);
  expect(world.platform.truth.appointments()).toEqual(before);
});

test('a service that the platform does not list', async () => {
  expect(await wrongWith({ service: 'none' })).toEqual({
    [SERVICE]: expect.stringMatching(/^broken: unknown/),
  });
});

test('a service of a fixed length', async () => {
  expect(await wrongWith({ service: { bookingMode: 'fixed' } })).toEqual({
    [SERVICE]: 'broken: is not a time-rental service (service-not-rental)',
  });
});

test('a service whose shortest length is longer than any day', async () => {
  const service = { minDurationMin: 120, maxDurationMin: 240 };
  expect(await wrongWith({ service, hours: '09:00-10:30' })).toEqual({
    [SERVICE]: 'broken: its shortest length, 120 min, is longer than the hours of any day (90 min)',
  });
});

test('a service that strangers can book is worth a word', async () => {
  expect(await wrongWith({ service: { onlineBookable: true } })).toEqual({
    [SERVICE]: 'notice: customers can book it online',
  });
});

test('a person who does not serve the service', async () => {
  expect(await wrongWith({ service: { resourceIds: [] } })).toEqual({
    [PERSON]: expect.stringMatching(/^broken: .*resource-not-eligible/),
  });
});

test('a contact that is not there, and one that is somebody', async () => {
  expect(await wrongWith({ contact: 'none' })).toEqual({
    [CONTACT]: expect.stringMatching(/^broken: .*contact-not-found/),
  });
  const { dashboard } = world.platform;
  const { projectId } = world.company;
  dashboard.createContact({ projectId, id: HOUSE, name: 'Vera', phone: '+74950001101' });
  expect(await wrong()).toEqual({ [CONTACT]: 'notice: has a phone or an e-mail address' });
});

test('a private calendar that is not shared: to see free and busy times is enough', async () => {
  await wrongWith({});
  world.google.revokeAccess(PRIVATE);
  expect(await wrong()).toEqual({ [`private calendar ${PRIVATE}`]: expect.stringMatching(/^broken: /) });
  const { findings } = await checkLive(world.config(PORT), {
    clock: { now: Date.now },
    openConsents: noConsents,
  });
  const advice = findings.find(({ subject }) => subject === `private calendar ${PRIVATE}`)?.advice;
  expect(advice).toContain(`Share ${PRIVATE} with ${defaultAccount}, "See only free/busy"`);
});
