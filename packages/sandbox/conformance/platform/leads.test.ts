import { expect } from 'vitest';
import { needing } from '../stage/fact.ts';
import type { Stage } from '../stage/stage.ts';

const STATUSES = ['queued', 'in_progress', 'completed', 'missed', 'scheduled', 'cancelled', 'not_called'];

/** Makes a callback request. The newest lead event shows the lead itself. */
async function order(stage: Stage, fields: Record<string, unknown> = {}): Promise<string> {
  return stage.staff('orderCallback', {
    projectId: stage.ownProjectId,
    phone: '+79123456789',
    name: 'Ivan',
    ...fields,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: an object as the server sent it
async function newest(stage: Stage): Promise<any> {
  const [event] = (await stage.feed()).filter(({ type }) => type.startsWith('lead.'));
  return event.data.object;
}

needing('dashboard', '[leads.1] a lead in an event has every field of the table', async (stage) => {
  await stage.subscribe();
  const id = await order(stage);
  const lead = await newest(stage);
  const fields = ['object', 'id', 'project_id', 'phone', 'name', 'status', 'status_reason', 'source', 'call'];
  const times = ['rating', 'handled_at', 'created_at', 'updated_at'];
  expect(Object.keys(lead)).toEqual(expect.arrayContaining([...fields, ...times]));
  expect([lead.object, lead.id, lead.name]).toEqual(['lead', id, 'Ivan']);
});

needing('dashboard', '[leads.2] a number in local notation is a lead’s phone in E.164', async (stage) => {
  await stage.subscribe();
  await order(stage, { phone: '8 912 345-67-89' });
  expect((await newest(stage)).phone).toBe('+79123456789');
});

needing('clock', '[leads.3] through its life a lead has only statuses of the list', async (stage) => {
  await stage.subscribe();
  const id = await order(stage);
  await stage.control.advance(1_000);
  await stage.staff('endCall', { id, outcome: 'missed' });
  await stage.staff('scheduleRepeat', { id });
  await stage.staff('redial', { id });
  await stage.staff('endCall', { id, outcome: 'completed', durationSec: 30 });
  const seen = (await stage.feed()).map((event) => event.data.object.status);
  expect(seen).toEqual(['completed', 'in_progress', 'scheduled', 'missed', 'queued']);
  for (const status of seen) expect(STATUSES).toContain(status);
});

needing(
  'dashboard',
  '[leads.4][leads.5][leads.8][leads.9] a new lead from the widget has no call, no rating and is not handled',
  async (stage) => {
    await stage.subscribe();
    await order(stage);
    const lead = await newest(stage);
    expect([lead.source, lead.call, lead.rating, lead.handled_at]).toEqual(['widget', null, null, null]);
  },
);

needing(
  'clock',
  '[leads.6][leads.7] a call that ended tells its times, its length and who took it, and no AI outcome yet',
  async (stage) => {
    await stage.subscribe();
    const id = await order(stage);
    await stage.control.advance(1_000);
    await stage.staff('endCall', { id, outcome: 'completed', durationSec: 65 });
    const { call } = await newest(stage);
    expect([call.duration_sec, call.handled_by, call.ai_outcome]).toEqual([65, 'team', null]);
    for (const moment of ['started_at', 'answered_at', 'connected_at', 'ended_at'])
      expect(call[moment]).toMatch(/Z$/);
    expect(Date.parse(call.ended_at) - Date.parse(call.started_at)).toBe(65_000);
  },
);

needing(
  'dashboard',
  '[leads.7] the AI outcome is told once it is known, and the rest of the call stays',
  async (stage) => {
    await stage.subscribe();
    const id = await order(stage);
    await stage.staff('endCall', { id, outcome: 'completed', durationSec: 5 });
    await stage.staff('setAiOutcome', { id, aiOutcome: 'booked' });
    const { call } = await newest(stage);
    expect([call.ai_outcome, call.duration_sec]).toEqual(['booked', 5]);
  },
);

needing(
  'dashboard',
  '[leads.8][leads.9] a rating and the mark of staff are told when they come',
  async (stage) => {
    await stage.subscribe();
    const id = await order(stage);
    await stage.staff('rateLead', { id, rating: 5 });
    await stage.staff('handleLead', { id });
    const lead = await newest(stage);
    expect(lead.rating).toBe(5);
    expect(lead.handled_at).toMatch(/Z$/);
  },
);

needing('dashboard', '[leads.10] a second request from the same number is the first lead', async (stage) => {
  await stage.subscribe();
  const id = await order(stage);
  expect(await order(stage, { phone: '8 (912) 345 67 89' })).toBe(id);
  expect(await stage.feedTypes()).toEqual(['lead.created']);
});
