// What happens in a company on one day. Each act makes its changes on the platform, by the API as other programs do or in the
// dashboard as staff do, and gives up quietly where the time is taken.

import type { Company } from '../../sandbox/platform/company.ts';
import { Problem } from '../../sandbox/platform/problem.ts';
import type { Random } from '../../sandbox/platform/random.ts';
import type { PlatformSandbox } from '../../sandbox/platform/sandbox.ts';
import { text, type Wire } from '../judge/company.ts';
import { type Answer, type Api, accepted } from './api.ts';
import type { Notebook } from './notebook.ts';
import { CUSTOMER_NAMES, REMARKS } from './people.ts';
import { someTime } from './times.ts';

export interface Cast {
  readonly platform: PlatformSandbox;
  readonly company: Company;
  readonly api: Api;
  readonly notebook: Notebook;
  readonly random: Random;
}

export type Act = (cast: Cast) => Promise<void> | void;

/** Acts and how often each happens, in relation to the others. */
export const ACTS: readonly (readonly [share: number, act: Act])[] = [
  [12, bookForContact],
  [8, bookForGuest],
  [6, bookByWidget],
  [14, moveByApi],
  [8, moveToColleague],
  [4, moveByStaff],
  [7, cancelByApi],
  [3, cancelByStaff],
  [9, markVisit],
  [4, holdPlace],
  [3, confirmPlace],
  [2, declinePlace],
  [4, linkContact],
  [6, meetContact],
  [10, changeContact],
  [2, blockOrArchive],
  [2, deleteContact],
  [1, mergeContacts],
  [3, touchSilently],
  [1, spoilUpdatedAt],
  [5, changeYourMind],
];

/** How often another time is tried when one is taken. */
const TRIES_MAX = 8;
const MOVABLE = ['pending', 'confirmed'];

async function bookForContact({ api, company, notebook, random, platform }: Cast): Promise<void> {
  const contact_id = notebook.contact();
  const person = somebody({ company, random, platform });
  await untilFree(async () => {
    const booked = accepted(
      await api.post('/appointments', {
        service_id: random.pick(company.serviceIds),
        resource_id: person.id,
        starts_at: someTime(random, person.zone),
        contact_id,
        ...remark(random),
      }),
    );
    if (booked !== undefined) notebook.booked(text(booked['id']));
    return booked !== undefined;
  });
}

async function bookForGuest({ api, company, notebook, random, platform }: Cast): Promise<void> {
  const person = somebody({ company, random, platform });
  const customer = { customer_name: random.pick(CUSTOMER_NAMES), customer_phone: somePhone(random) };
  await untilFree(async () => {
    const booked = accepted(
      await api.post('/appointments', {
        service_id: random.pick(company.serviceIds),
        resource_id: person.id,
        starts_at: someTime(random, person.zone),
        ...customer,
        ...remark(random),
      }),
    );
    if (booked !== undefined) notebook.booked(text(booked['id']));
    return booked !== undefined;
  });
}

function bookByWidget({ company, notebook, random, platform }: Cast): Promise<void> {
  const person = somebody({ company, random, platform });
  return untilFree(() =>
    isDone(() => {
      const id = platform.dashboard.bookAs(random.pick(['widget', 'page', 'neuro_chat']), {
        serviceId: random.pick(company.serviceIds),
        resourceId: person.id,
        startsAt: someTime(random, person.zone),
        customerName: random.pick(CUSTOMER_NAMES),
        customerPhone: somePhone(random),
      });
      notebook.booked(id);
    }),
  );
}

async function moveByApi(cast: Cast): Promise<void> {
  const appointment = cast.notebook.appointment(...MOVABLE);
  if (appointment !== undefined)
    await untilFree(async () => accepted(await move(cast, appointment)) !== undefined);
}

async function moveToColleague(cast: Cast): Promise<void> {
  const appointment = cast.notebook.appointment(...MOVABLE);
  if (appointment === undefined) return;
  const colleagues = cast.platform.truth
    .resources()
    .filter(
      (one) => one['branch_id'] === appointment['branch_id'] && one['id'] !== appointment['resource_id'],
    )
    .map((one) => text(one['id']))
    .filter((id) => cast.company.personIds.includes(id));
  if (colleagues.length === 0) return;
  const resource_id = cast.random.pick(colleagues);
  await untilFree(async () => accepted(await move(cast, appointment, { resource_id })) !== undefined);
}

function moveByStaff({ notebook, platform, random }: Cast): Promise<void> | void {
  const appointment = notebook.appointment(...MOVABLE);
  if (appointment === undefined) return;
  return untilFree(() => {
    const startsAt = someTime(random, text(appointment['timezone']));
    return isDone(() => platform.dashboard.reschedule(text(appointment['id']), { startsAt }));
  });
}

async function cancelByApi({ api, notebook }: Cast): Promise<void> {
  const appointment = notebook.appointment(...MOVABLE, 'no_show');
  if (appointment !== undefined)
    accepted(await api.post(`/appointments/${appointment['id']}/cancel`, { reason: 'Plans changed' }));
}

function cancelByStaff({ notebook, platform }: Cast): void {
  const appointment = notebook.appointment(...MOVABLE, 'arrived');
  if (appointment !== undefined)
    platform.dashboard.cancel(text(appointment['id']), { reason: 'Мастер заболел' });
}

/** The same mark twice may be an event or not; both must come out the same. */
function markVisit({ notebook, platform, random }: Cast): void {
  const appointment = notebook.appointment('confirmed', 'arrived', 'completed');
  if (appointment === undefined) return;
  const next =
    appointment['status'] === 'confirmed' ? (['arrived', 'no_show'] as const) : (['completed'] as const);
  platform.dashboard.markVisit(text(appointment['id']), random.pick(next));
}

function holdPlace({ company, notebook, platform, random }: Cast): Promise<void> {
  const person = somebody({ company, random, platform });
  const contactId = notebook.contact();
  return untilFree(() =>
    isDone(() => {
      const id = platform.dashboard.holdWaitlistPlace({
        serviceId: random.pick(company.serviceIds),
        resourceId: person.id,
        startsAt: someTime(random, person.zone),
        contactId,
      });
      notebook.booked(id);
    }),
  );
}

function confirmPlace({ notebook, platform }: Cast): void {
  const held = notebook.appointment('pending');
  if (held !== undefined) platform.dashboard.confirmWaitlistPlace(text(held['id']));
}

function declinePlace({ notebook, platform }: Cast): void {
  const held = notebook.appointment('pending');
  if (held !== undefined) platform.dashboard.declineWaitlistPlace(text(held['id']));
}

function linkContact({ notebook, platform }: Cast): void {
  const appointment = notebook.appointment(...MOVABLE, 'arrived');
  if (appointment !== undefined) platform.dashboard.linkContact(text(appointment['id']), notebook.contact());
}

async function meetContact({ api, company, notebook, random }: Cast): Promise<void> {
  const met = accepted(
    await api.post('/contacts', {
      project_id: company.projectId,
      name: random.pick(CUSTOMER_NAMES),
      phone: somePhone(random),
      lifecycle: random.pick(['lead', 'customer', 'churned']),
    }),
  );
  if (met !== undefined) notebook.met(text(met['id']));
}

async function changeContact({ api, notebook, random }: Cast): Promise<void> {
  const change = random.pick([
    { name: random.pick(CUSTOMER_NAMES) },
    { phone: somePhone(random) },
    { email: `new${random.below(1_000_000)}@example.com` },
    { email: null },
    { lifecycle: random.pick(['lead', 'mql', 'sql', 'customer', 'churned']) },
  ]);
  accepted(await api.patch(`/contacts/${notebook.contact()}`, change));
}

function blockOrArchive({ notebook, platform, random }: Cast): void {
  const id = notebook.contact();
  if (random.next() < 0.5) platform.dashboard.blockContact(id);
  else platform.dashboard.changeContact(id, { status: 'archived' });
}

function deleteContact({ notebook, platform }: Cast): void {
  const id = notebook.contact();
  notebook.forget(id);
  platform.dashboard.deleteContact(id);
}

function mergeContacts({ notebook, platform }: Cast): void {
  const duplicate = notebook.contact();
  notebook.forget(duplicate);
  platform.dashboard.mergeContacts(notebook.contact(), duplicate);
}

/** `updated_at` moves and no event tells of it (platform API, Delivery rule 3). */
function touchSilently({ notebook, platform }: Cast): void {
  const appointment = notebook.appointment(...MOVABLE);
  if (appointment !== undefined) platform.dashboard.touch(text(appointment['id']));
}

/** `updated_at` may be null, and nothing says that it moves with every change (platform API, Appointment). */
function spoilUpdatedAt({ notebook, platform, random }: Cast): void {
  const appointment = notebook.appointment(...MOVABLE);
  if (appointment !== undefined)
    platform.dashboard.setUpdatedAt(text(appointment['id']), random.pick([null, 'same'] as const));
}

/** Three changes of one appointment at once: their webhooks overtake each other. */
async function changeYourMind(cast: Cast): Promise<void> {
  const appointment = cast.notebook.appointment('confirmed');
  if (appointment === undefined) return;
  const id = text(appointment['id']);
  await move(cast, appointment);
  await move(cast, appointment);
  if (cast.random.next() < 0.5) cast.platform.dashboard.markVisit(id, 'arrived');
  else cast.platform.dashboard.cancel(id, { by: 'client' });
}

/** Moves it to some time that may be taken. */
function move({ api, random }: Cast, appointment: Wire, where: object = {}): Promise<Answer> {
  const starts_at = someTime(random, text(appointment['timezone']));
  return api.post(`/appointments/${appointment['id']}/reschedule`, { starts_at, ...where });
}

async function untilFree(attempt: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) if (await attempt()) return;
}

/** Whether the dashboard did it, or said that the time is taken. */
function isDone(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status === 409) return false;
    throw error;
  }
}

function somebody(cast: Pick<Cast, 'company' | 'random' | 'platform'>): { id: string; zone: string } {
  const id = cast.random.pick(cast.company.personIds);
  const person = cast.platform.truth.resources().find((one) => one['id'] === id);
  return { id, zone: text(person?.['timezone']) };
}

function somePhone(random: Random): string {
  return `+7912${String(random.below(10_000_000)).padStart(7, '0')}`;
}

function remark(random: Random): { comment?: string } {
  return random.next() < 0.3 ? { comment: random.pick(REMARKS) } : {};
}
