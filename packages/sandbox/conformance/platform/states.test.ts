import { expect } from 'vitest';
import { verdict } from '../stage/api.ts';
import { needing } from '../stage/fact.ts';
import type { Stage } from '../stage/stage.ts';

const HOUR_MS = 3_600_000;

async function statusOf(stage: Stage, path: string): Promise<string> {
  return (await stage.api.get(path)).body.status;
}

function hold(stage: Stage, hour: number, more: object = {}): Promise<string> {
  return stage.staff('holdWaitlistPlace', {
    serviceId: stage.haircutId,
    resourceId: stage.annaId,
    startsAt: stage.at(hour),
    ...more,
  });
}

async function chat(stage: Stage, fields: object = {}): Promise<string> {
  return (await stage.staff('customerWrites', { text: 'Hello', ...fields })).conversationId;
}

async function writeAgain(stage: Stage, conversationId: string): Promise<string> {
  return (await stage.staff('customerWrites', { text: 'Again', conversationId })).conversationId;
}

needing('company', '[states.appointment.1] a booking is confirmed at once', async (stage) => {
  expect((await stage.book()).body.status).toBe('confirmed');
});

needing(
  'dashboard',
  '[states.appointment.2][states.appointment.3] a held place is pending until the customer confirms',
  async (stage) => {
    const id = await hold(stage, 12);
    expect(await statusOf(stage, `/appointments/${id}`)).toBe('pending');
    await stage.staff('confirmWaitlistPlace', { id });
    expect(await statusOf(stage, `/appointments/${id}`)).toBe('confirmed');
  },
);

needing(
  'clock',
  '[states.appointment.4] a place declined, or not confirmed in time, is cancelled; one confirmed in time is not',
  async (stage) => {
    const [declined, late, timely] = [
      await hold(stage, 10),
      await hold(stage, 12, { confirmWithinMs: 60_000 }),
      await hold(stage, 14, { confirmWithinMs: 60_000 }),
    ];
    await stage.staff('declineWaitlistPlace', { id: declined });
    await stage.staff('confirmWaitlistPlace', { id: timely });
    await stage.control.advance(61_000);
    const statuses = [];
    for (const id of [declined, late, timely]) statuses.push(await statusOf(stage, `/appointments/${id}`));
    expect(statuses).toEqual(['cancelled', 'cancelled', 'confirmed']);
  },
);

needing(
  'dashboard',
  '[states.appointment.5] a pending place can be moved and is still pending',
  async (stage) => {
    const id = await hold(stage, 12);
    const { status, body } = await stage.api.post(`/appointments/${id}/reschedule`, {
      starts_at: stage.at(15),
    });
    expect([status, body.status, body.starts_at]).toEqual([200, 'pending', stage.at(15)]);
  },
);

needing('dashboard', '[states.appointment.6] whatever is not completed can be cancelled', async (stage) => {
  const appointments = [await hold(stage, 10), (await stage.book({ starts_at: stage.at(12) })).body.id];
  for (const [index, status] of ['arrived', 'no_show'].entries()) {
    const { id } = (await stage.book({ starts_at: stage.at(14 + 2 * index) })).body;
    await stage.staff('markAppointment', { id, status });
    appointments.push(id);
  }
  for (const id of appointments)
    expect((await stage.api.post(`/appointments/${id}/cancel`, {})).body.status).toBe('cancelled');
});

needing(
  'dashboard',
  '[states.appointment.7] an appointment is marked arrived, completed or missed',
  async (stage) => {
    const { id } = (await stage.book()).body;
    for (const status of ['arrived', 'completed', 'no_show']) {
      await stage.staff('markAppointment', { id, status });
      expect(await statusOf(stage, `/appointments/${id}`)).toBe(status);
    }
  },
);

needing(
  'dashboard',
  '[states.appointment.9] a held place is taken for others, and free once it is declined',
  async (stage) => {
    const id = await hold(stage, 10);
    expect(verdict(await stage.book())).toBe('409 slot-unavailable');
    await stage.staff('declineWaitlistPlace', { id });
    expect(verdict(await stage.book())).toBe('201');
  },
);

needing(
  'dashboard',
  '[states.conversation.1][states.conversation.2] a first message opens a conversation, the next continues it',
  async (stage) => {
    const id = await chat(stage);
    expect(await writeAgain(stage, id)).toBe(id);
    const { body } = await stage.api.get(`/conversations/${id}`);
    expect([body.status, body.message_count]).toEqual(['open', 2]);
  },
);

needing(
  'clock',
  '[states.conversation.3][states.conversation.9] an hour after closing the customer reopens it, and nothing tells of the closing',
  async (stage) => {
    const id = await chat(stage);
    await stage.api.post(`/conversations/${id}/close`, {});
    await stage.control.advance(HOUR_MS);
    expect(await writeAgain(stage, id)).toBe(id);
    const { body } = await stage.api.get(`/conversations/${id}`);
    expect([body.status, body.closed_reason, body.closed_at]).toEqual(['open', null, null]);
  },
);

needing(
  'clock',
  '[states.conversation.4] three hours after closing the customer starts another',
  async (stage) => {
    const id = await chat(stage);
    await stage.api.post(`/conversations/${id}/close`, {});
    await stage.control.advance(3 * HOUR_MS);
    const next = await writeAgain(stage, id);
    expect(next).not.toBe(id);
    expect(await statusOf(stage, `/conversations/${id}`)).toBe('closed');
    expect(await statusOf(stage, `/conversations/${next}`)).toBe('open');
  },
);

needing('dashboard', '[states.conversation.5] staff reopen by a reply and by hand', async (stage) => {
  const id = await chat(stage);
  const close = () => stage.api.post(`/conversations/${id}/close`, {});
  await close();
  await stage.staff('replyToCustomer', { conversationId: id, text: 'One more thing' });
  expect(await statusOf(stage, `/conversations/${id}`)).toBe('open');
  await close();
  await stage.staff('reopenConversation', { id });
  expect(await statusOf(stage, `/conversations/${id}`)).toBe('open');
});

needing(
  'dashboard',
  '[states.conversation.10] the AI assistant whose answer comes after the closing reopens it',
  async (stage) => {
    const id = await chat(stage);
    await stage.api.post(`/conversations/${id}/close`, {});
    await stage.staff('replyToCustomer', { conversationId: id, text: 'At ten', author: 'ai' });
    expect(await statusOf(stage, `/conversations/${id}`)).toBe('open');
  },
);

needing(
  'dashboard',
  '[states.conversation.7] a conversation that was handed to staff is still open',
  async (stage) => {
    const id = await chat(stage);
    await stage.staff('escalateConversation', { id });
    expect(await statusOf(stage, `/conversations/${id}`)).toBe('open');
  },
);

needing(
  'dashboard',
  '[states.message.1] a pending message becomes delivered, or failed with a reason',
  async (stage) => {
    const conversationId = await chat(stage);
    for (const status of ['delivered', 'failed']) {
      const id = await stage.staff('replyToCustomer', { conversationId, text: 'Hi', status: 'pending' });
      const seen = async () =>
        (await stage.api.get(`/conversations/${conversationId}/messages?limit=1`)).body.data[0];
      expect([(await seen()).id, (await seen()).status]).toEqual([id, 'pending']);
      await stage.staff('setMessageStatus', { id, status });
      expect((await seen()).status).toBe(status);
    }
  },
);

needing(
  'dashboard',
  '[states.message.2] a delivered message becomes read in the website chat, in Telegram it does not',
  async (stage) => {
    for (const [channel, expected] of [
      ['web', 'read'],
      ['telegram', 'delivered'],
    ]) {
      const conversationId = await chat(stage, { channel });
      const id = await stage.staff('replyToCustomer', { conversationId, text: 'Hi', status: 'delivered' });
      // For channels without a read status, the sandbox refuses this action.
      await stage.staff('setMessageStatus', { id, status: 'read' }).catch(() => undefined);
      const { body } = await stage.api.get(`/conversations/${conversationId}/messages?limit=1`);
      expect([channel, body.data[0].status]).toEqual([channel, expected]);
    }
  },
);

needing('clock', '[states.lead.1] a request is queued, and soon in progress', async (stage) => {
  await stage.control.freeze();
  await stage.staff('orderCallback', { projectId: stage.ownProjectId, phone: '+79123456789' });
  const status = async () => (await stage.control.truth('leads'))[0]?.['status'];
  expect(await status()).toBe('queued');
  await stage.control.advance(1_000);
  expect(await status()).toBe('in_progress');
});

needing('clock', '[states.lead.2] a call ends in one of four ways, which the event tells', async (stage) => {
  await stage.subscribe();
  for (const [index, outcome] of ['completed', 'missed', 'cancelled', 'not_called'].entries()) {
    const id = await stage.staff('orderCallback', {
      projectId: stage.ownProjectId,
      phone: `+7912345670${index}`,
    });
    await stage.control.advance(1_000);
    await stage.staff('endCall', { id, outcome });
    const [event] = await stage.feed();
    expect([event.type, event.data.object.status]).toEqual(['lead.updated', outcome]);
  }
});

needing('clock', '[states.lead.3] a missed lead is scheduled and dialled again, each told', async (stage) => {
  await stage.subscribe();
  const id = await stage.staff('orderCallback', { projectId: stage.ownProjectId, phone: '+79123456789' });
  await stage.control.advance(1_000);
  await stage.staff('endCall', { id, outcome: 'missed' });
  await stage.staff('scheduleRepeat', { id });
  await stage.staff('redial', { id });
  const statuses = (await stage.feed('&type=lead.updated')).map((event) => event.data.object.status);
  expect(statuses.reverse()).toEqual(['missed', 'scheduled', 'in_progress']);
});

needing('dashboard', '[states.lead.4] a completed lead can still be rated and handled', async (stage) => {
  await stage.subscribe();
  const id = await stage.staff('orderCallback', { projectId: stage.ownProjectId, phone: '+79123456789' });
  await stage.staff('endCall', { id, outcome: 'completed', durationSec: 9 });
  await stage.staff('rateLead', { id, rating: 5 });
  await stage.staff('handleLead', { id });
  const [event] = await stage.feed();
  expect([event.data.object.status, event.data.object.rating]).toEqual(['completed', 5]);
  expect(event.data.object.handled_at).not.toBeNull();
});

needing(
  'dashboard',
  '[states.contact.1][states.contact.2] a contact is active until the dashboard blocks it',
  async (stage) => {
    const { body } = await stage.contact();
    expect(body.status).toBe('active');
    await stage.staff('blockContact', { id: body.id });
    expect(await statusOf(stage, `/contacts/${body.id}`)).toBe('blocked');
  },
);

needing(
  'company',
  '[states.endpoint.1] the first change after its creation reaches a new endpoint',
  async (stage) => {
    await stage.contact({ name: 'Before' });
    const { body } = await stage.subscribe();
    await stage.contact({ name: 'After' });
    expect(body.status).toBe('enabled');
    expect((await stage.feed()).map((event) => event.data.object.name)).toEqual(['After']);
  },
);

needing(
  'company',
  '[states.endpoint.2][states.endpoint.4] disabling by hand is told with its moment, enabling clears both',
  async (stage) => {
    const one = `/webhook_endpoints/${(await stage.endpoint()).body.id}`;
    const off = (await stage.api.patch(one, { status: 'disabled' })).body;
    expect([off.status, off.disabled_reason]).toEqual(['disabled', 'manual']);
    expect(off.disabled_at).toMatch(/Z$/);
    const on = (await stage.api.patch(one, { status: 'enabled' })).body;
    expect([on.status, on.disabled_reason, on.disabled_at]).toEqual(['enabled', null, null]);
  },
);

needing(
  'dashboard',
  '[states.endpoint.3][states.endpoint.5] an endpoint loses its projects one by one, and is disabled with the last',
  async (stage) => {
    const first = await stage.staff('createProject', { name: 'First' });
    const second = await stage.staff('createProject', { name: 'Second' });
    const one = `/webhook_endpoints/${(await stage.endpoint({ project_ids: [first, second] })).body.id}`;
    await stage.staff('deleteProject', { id: first });
    const left = (await stage.api.get(one)).body;
    expect([left.status, left.project_ids]).toEqual(['enabled', [second]]);
    await stage.staff('deleteProject', { id: second });
    const { body } = await stage.api.get(one);
    expect([body.status, body.disabled_reason, body.project_ids]).toEqual(['disabled', 'manual', []]);
  },
);
