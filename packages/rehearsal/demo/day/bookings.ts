// Booking, moving and cancelling: by other programs through the API, and by customers and staff in the
// dashboard.
import { wireText } from '../judge/company.ts';
import { accepted } from './api.ts';
import { isDone, MOVABLE, move, remark, somebody, somePhone, untilFree } from './attempts.ts';
import type { Cast } from './cast.ts';
import { CUSTOMER_NAMES } from './people.ts';
import { someTime } from './times.ts';

export async function bookForContact({ api, company, notebook, random, platform }: Cast): Promise<void> {
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
    if (booked !== undefined) notebook.booked(wireText(booked['id']));
    return booked !== undefined;
  });
}

export async function bookForGuest({ api, company, notebook, random, platform }: Cast): Promise<void> {
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
    if (booked !== undefined) notebook.booked(wireText(booked['id']));
    return booked !== undefined;
  });
}

export function bookByWidget({ company, notebook, random, platform }: Cast): Promise<void> {
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

export async function moveByApi(cast: Cast): Promise<void> {
  const appointment = cast.notebook.appointment(...MOVABLE);
  if (appointment !== undefined)
    await untilFree(async () => accepted(await move(cast, appointment)) !== undefined);
}

export async function moveToColleague(cast: Cast): Promise<void> {
  const appointment = cast.notebook.appointment(...MOVABLE);
  if (appointment === undefined) return;
  const colleagues = cast.platform.truth
    .resources()
    .filter(
      (one) => one['branch_id'] === appointment['branch_id'] && one['id'] !== appointment['resource_id'],
    )
    .map((one) => wireText(one['id']))
    .filter((id) => cast.company.personIds.includes(id));
  // Everybody serves the company's own services. A class has one trainer.
  const isEverybodys = cast.company.serviceIds.includes(wireText(appointment['service_id']));
  if (!isEverybodys || colleagues.length === 0) return;
  const resource_id = cast.random.pick(colleagues);
  await untilFree(async () => accepted(await move(cast, appointment, { resource_id })) !== undefined);
}

export function moveByStaff({ notebook, platform, random }: Cast): Promise<void> | void {
  const appointment = notebook.appointment(...MOVABLE);
  if (appointment === undefined) return;
  return untilFree(() => {
    const startsAt = someTime(random, wireText(appointment['timezone']));
    return isDone(() => platform.dashboard.reschedule(wireText(appointment['id']), { startsAt }));
  });
}

export async function cancelByApi({ api, notebook }: Cast): Promise<void> {
  const appointment = notebook.appointment(...MOVABLE, 'no_show');
  if (appointment !== undefined)
    accepted(await api.post(`/appointments/${appointment['id']}/cancel`, { reason: 'Plans changed' }));
}

export function cancelByStaff({ notebook, platform }: Cast): void {
  const appointment = notebook.appointment(...MOVABLE, 'arrived');
  if (appointment !== undefined)
    platform.dashboard.cancel(wireText(appointment['id']), { reason: 'Мастер заболел' });
}

/** Three changes of one appointment in quick succession: their webhooks overtake each other. */
export async function changeYourMind(cast: Cast): Promise<void> {
  const appointment = cast.notebook.appointment('confirmed');
  if (appointment === undefined) return;
  const id = wireText(appointment['id']);
  await move(cast, appointment);
  await move(cast, appointment);
  // Colleagues may have cancelled it in their calendars meanwhile.
  if (cast.platform.truth.appointment(id)?.status === 'cancelled') return;
  if (cast.random.next() < 0.5) cast.platform.dashboard.markAppointment(id, 'arrived');
  else cast.platform.dashboard.cancel(id, { by: 'client' });
}
