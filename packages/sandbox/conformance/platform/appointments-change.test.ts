import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, writing } from '../stage/fact.ts';
import { secondBranch } from '../stage/furnishing.ts';

const REFUSED = '422 validation';
const MINUTE_MS = 60_000;

const lengthMin = (appointment: { starts_at: string; ends_at: string }): number =>
  (Date.parse(appointment.ends_at) - Date.parse(appointment.starts_at)) / MINUTE_MS;

needing(
  'company',
  '[appointments.reschedule.1] a move gives new times and keeps the length',
  async (stage) => {
    const { id } = (await stage.book()).body;
    const { status, body } = await stage.api.post(`/appointments/${id}/reschedule`, {
      starts_at: stage.at(15),
    });
    expect([status, body.starts_at, lengthMin(body), body.status]).toEqual([
      200,
      stage.at(15),
      60,
      'confirmed',
    ]);
    expect((await stage.api.get(`/appointments/${id}`)).body).toEqual(body);
  },
);

needing(
  'company',
  '[appointments.reschedule.2] a move stays with its resource, even when another is free',
  async (stage) => {
    const { id } = (await stage.book()).body;
    await stage.book({ starts_at: stage.at(15) });
    const to = (hour: number) =>
      stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(hour) });
    expect(verdict(await to(15))).toBe('409 slot-unavailable');
    expect((await to(17)).body.resource_id).toBe(stage.annaId);
  },
);

needing(
  'company',
  '[appointments.reschedule.3] a move can name another resource of the branch',
  async (stage) => {
    const { id } = (await stage.book()).body;
    const wish = { starts_at: stage.at(10), resource_id: stage.borisId };
    const { body } = await stage.api.post(`/appointments/${id}/reschedule`, wish);
    expect([body.resource_id, body.resource_ids]).toEqual([stage.borisId, [stage.borisId]]);
  },
);

needing('company', '[appointments.reschedule.4] a move cannot leave the branch', async (stage) => {
  const eve = await stage.staff('createResource', { branchId: await secondBranch(stage), name: 'Eve' });
  await stage.staff('changeService', { id: stage.haircutId, resourceIds: [stage.annaId, eve] });
  const { id } = (await stage.book()).body;
  const wish = { starts_at: stage.at(15), resource_id: eve };
  expect(verdict(await stage.api.post(`/appointments/${id}/reschedule`, wish))).toBe(
    '422 resource-not-eligible',
  );
});

needing(
  'dashboard',
  '[appointments.reschedule.5] what is arrived, completed, missed or cancelled cannot be moved',
  async (stage) => {
    const hours = { arrived: 10, completed: 12, no_show: 14, cancelled: 16 };
    for (const [status, hour] of Object.entries(hours)) {
      const { id } = (await stage.book({ starts_at: stage.at(hour) })).body;
      if (status === 'cancelled') await stage.api.post(`/appointments/${id}/cancel`, {});
      else await stage.staff('markAppointment', { id, status });
      const answer = await stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(18) });
      expect([status, verdict(answer)]).toEqual([status, '409 appointment-not-reschedulable']);
      expect((await stage.api.get(`/appointments/${id}`)).body.status).toBe(status);
    }
  },
);

needing(
  'dashboard',
  '[appointments.reschedule.6][appointments.cancel.6] with its service switched off it can be read and cancelled, not moved',
  async (stage) => {
    const { id } = (await stage.book()).body;
    await stage.staff('switchOffService', { id: stage.haircutId });
    const move = await stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(15) });
    expect(verdict(move)).toBe('409 service-inactive');
    expect(verdict(await stage.api.get(`/appointments/${id}`))).toBe('200');
    expect((await stage.api.post(`/appointments/${id}/cancel`, {})).body.status).toBe('cancelled');
  },
);

needing(
  'company',
  '[appointments.reschedule.7][appointments.reschedule.14] taken time refuses a move, and the appointment stays where it was',
  async (stage) => {
    const { body } = await stage.book();
    await stage.book({ starts_at: stage.at(15) });
    const move = await stage.api.post(`/appointments/${body.id}/reschedule`, { starts_at: stage.at(15.5) });
    expect(verdict(move)).toBe('409 slot-unavailable');
    expect((await stage.api.get(`/appointments/${body.id}`)).body).toEqual(body);
  },
);

needing('company', '[appointments.reschedule.8] a move to closed hours is refused', async (stage) => {
  const { id } = (await stage.book()).body;
  const move = await stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(22) });
  expect(verdict(move)).toBe('409 outside-working-hours');
});

writing('[appointments.reschedule.9] a move into the past is refused', async (company) => {
  const { id } = (await company.book()).body;
  const wish = { starts_at: '2020-01-01T10:00:00Z', notify_customer: false };
  expect(verdict(await company.api.post(`/appointments/${id}/reschedule`, wish))).toBe(
    '422 starts-at-in-past',
  );
});

writing(
  '[appointments.reschedule.10] a move without a start, or with one that has no zone, is refused',
  async (company) => {
    const { id } = (await company.book()).body;
    for (const starts_at of [undefined, null, '2031-01-01T10:00:00'])
      expect(verdict(await company.api.post(`/appointments/${id}/reschedule`, { starts_at }))).toBe(REFUSED);
  },
);

writing('[appointments.reschedule.11] an unknown appointment cannot be moved', async ({ api }) => {
  const wish = { starts_at: '2031-01-01T10:00:00Z' };
  expect(verdict(await api.post(`/appointments/${UNKNOWN_ID}/reschedule`, wish))).toBe('404 not-found');
});

needing(
  'company',
  '[appointments.reschedule.12] the time that was left is free for another',
  async (stage) => {
    const { id } = (await stage.book()).body;
    await stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(15) });
    expect(verdict(await stage.book())).toBe('201');
  },
);

needing(
  'company',
  '[appointments.reschedule.13] a move mails the customer unless the request says no',
  async (stage) => {
    const { id } = (await stage.book({ notify_customer: false })).body;
    const move = (hour: number, notify_customer?: boolean) =>
      stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(hour), notify_customer });
    await move(12, false);
    expect(await stage.mails()).toBe(0);
    await move(14);
    expect(await stage.mails()).toBe(1);
  },
);

needing(
  'company',
  '[appointments.reschedule.15] an appointment can be moved by half its length: it is not in its own way',
  async (stage) => {
    const { id } = (await stage.book()).body;
    const { status } = await stage.api.post(`/appointments/${id}/reschedule`, { starts_at: stage.at(10.5) });
    expect(status).toBe(200);
  },
);

writing(
  '[appointments.cancel.1][appointments.cancel.2] cancelling tells the reason, and that it was the API',
  async (company) => {
    const { id } = (await company.book()).body;
    const wish = { reason: 'ill', notify_customer: false };
    const { status, body } = await company.api.post(`/appointments/${id}/cancel`, wish);
    expect([status, body.status, body.cancel_reason, body.cancelled_by]).toEqual([
      200,
      'cancelled',
      'ill',
      'api',
    ]);
    expect(body.resource_ids).toEqual([]);
  },
);

writing(
  '[appointments.cancel.3] the time of a cancelled appointment can be booked again',
  async (company) => {
    const booking = await company.booking();
    const { id } = (await company.api.post('/appointments', booking)).body;
    await company.api.post(`/appointments/${id}/cancel`, { notify_customer: false });
    expect(verdict(await company.api.post('/appointments', booking))).toBe('201');
  },
);

writing(
  '[appointments.cancel.4] cancelling again answers the same record, with the first reason',
  async (company) => {
    const { id } = (await company.book()).body;
    const wish = { reason: 'ill', notify_customer: false };
    const first = await company.api.post(`/appointments/${id}/cancel`, wish);
    const again = await company.api.post(`/appointments/${id}/cancel`, { ...wish, reason: 'moved away' });
    expect([again.status, again.body]).toEqual([200, first.body]);
  },
);

needing('dashboard', '[appointments.cancel.5] a completed appointment cannot be cancelled', async (stage) => {
  const { id } = (await stage.book()).body;
  await stage.staff('markAppointment', { id, status: 'completed' });
  const answer = await stage.api.post(`/appointments/${id}/cancel`, {});
  expect(verdict(answer)).toBe('409 appointment-not-cancellable');
  expect((await stage.api.get(`/appointments/${id}`)).body.status).toBe('completed');
});

writing('[appointments.cancel.7] an unknown appointment cannot be cancelled', async ({ api }) => {
  expect(verdict(await api.post(`/appointments/${UNKNOWN_ID}/cancel`, {}))).toBe('404 not-found');
});

needing(
  'company',
  '[appointments.cancel.8] cancelling mails the customer unless the request says no',
  async (stage) => {
    for (const [hour, notify_customer, mails] of [
      [10, false, 0],
      [12, undefined, 1],
    ] as const) {
      const { id } = (await stage.book({ starts_at: stage.at(hour), notify_customer: false })).body;
      await stage.api.post(`/appointments/${id}/cancel`, { notify_customer });
      expect(await stage.mails()).toBe(mails);
    }
  },
);

needing('company', '[appointments.cancel.9] neither a reason nor a body is needed', async (stage) => {
  const { id } = (await stage.book()).body;
  const { status, body } = await stage.api.post(`/appointments/${id}/cancel`);
  expect([status, body.cancel_reason]).toEqual([200, null]);
});
