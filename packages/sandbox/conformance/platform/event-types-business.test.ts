import { expect } from 'vitest';
import { needing } from '../stage/fact.ts';
import type { Stage } from '../stage/stage.ts';

/** Event types in the feed, oldest first; only those of `group` when it is given. */
async function told(stage: Stage, group = ''): Promise<string[]> {
  return (await stage.feedTypes()).filter((type) => type.startsWith(group)).reverse();
}

/** The object in the newest event. */
// biome-ignore lint/suspicious/noExplicitAny: an object as the server sent it
async function newest(stage: Stage): Promise<any> {
  return (await stage.feed())[0].data.object;
}

needing(
  'clock',
  '[events.24][events.25][events.26] a request is told once: not again when repeated, not when dialled',
  async (stage) => {
    await stage.subscribe();
    const order = () =>
      stage.staff('orderCallback', { projectId: stage.ownProjectId, phone: '+79123456789' });
    await order();
    await order();
    await stage.control.advance(2_000);
    const [lead] = await stage.control.truth('leads');
    expect(lead?.['status']).toBe('in_progress');
    expect(await told(stage)).toEqual(['lead.created']);
  },
);

needing(
  'dashboard',
  '[events.27][events.28] the end of the call, the AI outcome, the rating and the mark of staff are told one by one',
  async (stage) => {
    await stage.subscribe();
    const id = await stage.staff('orderCallback', { projectId: stage.ownProjectId, phone: '+79123456789' });
    await stage.staff('endCall', { id, outcome: 'completed', durationSec: 60 });
    await stage.staff('setAiOutcome', { id, aiOutcome: 'booked' });
    await stage.staff('rateLead', { id, rating: 4 });
    await stage.staff('handleLead', { id });
    expect(await told(stage)).toEqual(['lead.created', ...Array(4).fill('lead.updated')]);
    const seen = (await stage.feed())
      .reverse()
      .map(({ data: { object } }) => [
        object.status,
        object.call?.ai_outcome ?? null,
        object.rating,
        object.handled_at !== null,
      ]);
    expect(seen).toEqual([
      ['queued', null, null, false],
      ['completed', null, null, false],
      ['completed', 'booked', null, false],
      ['completed', 'booked', 4, false],
      ['completed', 'booked', 4, true],
    ]);
  },
);

needing(
  'dashboard',
  '[events.29] a booking of the widget and a held waitlist place are told as created',
  async (stage) => {
    await stage.subscribe();
    await stage.staff('bookAs', { source: 'widget', serviceId: stage.haircutId, startsAt: stage.at(12) });
    await stage.staff('holdWaitlistPlace', { serviceId: stage.haircutId, startsAt: stage.at(14) });
    const seen = (await stage.feed())
      .reverse()
      .map((event) => [event.type, event.data.object.status, event.data.object.source]);
    expect(seen).toEqual([
      ['appointment.created', 'confirmed', 'widget'],
      ['appointment.created', 'pending', 'waitlist'],
    ]);
  },
);

needing('dashboard', '[events.30] each marking of an appointment is reported as an update', async (stage) => {
  await stage.subscribe();
  const { id } = (await stage.book()).body;
  for (const status of ['arrived', 'completed', 'no_show']) {
    await stage.staff('markAppointment', { id, status });
    expect([(await stage.feedTypes())[0], (await newest(stage)).status]).toEqual([
      'appointment.updated',
      status,
    ]);
  }
});

needing('dashboard', '[events.31] a confirmed waitlist place is told as an update', async (stage) => {
  await stage.subscribe();
  const id = await stage.staff('holdWaitlistPlace', { serviceId: stage.haircutId, startsAt: stage.at(14) });
  await stage.staff('confirmWaitlistPlace', { id });
  expect(await told(stage)).toEqual(['appointment.created', 'appointment.updated']);
  expect((await newest(stage)).status).toBe('confirmed');
});

needing('dashboard', '[events.32] a contact found later is told as an update', async (stage) => {
  await stage.subscribe(undefined, ['appointment.updated']);
  const appointmentId = (await stage.book()).body.id;
  const contactId = (await stage.contact()).body.id;
  await stage.staff('linkContact', { appointmentId, contactId });
  expect(await told(stage)).toEqual(['appointment.updated']);
  expect((await newest(stage)).contact_id).toBe(contactId);
});

needing('company', '[events.33] a move is told with its new times', async (stage) => {
  await stage.subscribe();
  const { id } = (await stage.book()).body;
  const { body } = await stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(14) });
  expect(await told(stage)).toEqual(['appointment.created', 'appointment.rescheduled']);
  expect(await newest(stage)).toMatchObject({ starts_at: body.starts_at, ends_at: body.ends_at });
});

needing('company', '[events.34] a cancellation is told with who, why and no resources', async (stage) => {
  await stage.subscribe();
  const { id } = (await stage.book()).body;
  await stage.api.post(`/appointments/${id}/cancel`, { reason: 'ill' });
  expect(await newest(stage)).toMatchObject({
    status: 'cancelled',
    cancelled_by: 'api',
    cancel_reason: 'ill',
    resource_ids: [],
  });
});

needing(
  'clock',
  '[events.35] a waitlist place that is declined, or not confirmed in time, is told as cancelled',
  async (stage) => {
    await stage.subscribe();
    const hold = (hour: number, more: object = {}) =>
      stage.staff('holdWaitlistPlace', { serviceId: stage.haircutId, startsAt: stage.at(hour), ...more });
    await stage.staff('declineWaitlistPlace', { id: await hold(12) });
    expect((await stage.feedTypes())[0]).toBe('appointment.cancelled');
    const late = await hold(14, { confirmWithinMs: 60_000 });
    await stage.control.advance(61_000);
    const [event] = await stage.feed();
    expect([event.type, event.data.object.id, event.data.object.resource_ids]).toEqual([
      'appointment.cancelled',
      late,
      [],
    ]);
  },
);

needing(
  'dashboard',
  '[events.36] the same mark again is told only when the object changed in between',
  async (stage) => {
    await stage.subscribe();
    const { id } = (await stage.book()).body;
    const mark = () => stage.staff('markAppointment', { id, status: 'arrived' });
    await mark();
    await mark();
    expect(await told(stage)).toEqual(['appointment.created', 'appointment.updated']);
    await stage.control.advance(1_000);
    await stage.staff('touch', { id });
    await mark();
    expect(await told(stage)).toHaveLength(3);
  },
);

needing('company', '[events.37] cancelling twice is told once', async (stage) => {
  await stage.subscribe();
  const { id } = (await stage.book()).body;
  for (let times = 0; times < 2; times += 1) await stage.api.post(`/appointments/${id}/cancel`, {});
  expect(await told(stage)).toEqual(['appointment.created', 'appointment.cancelled']);
});
