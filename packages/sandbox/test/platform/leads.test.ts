import { describe, expect, it } from 'vitest';
import type { PlatformSandboxOptions } from '../../src/platform/sandbox.ts';
import { codeOf, openStage } from './stage.ts';

async function calling(options: PlatformSandboxOptions = {}) {
  const stage = await openStage({ delivery: { hold: true }, ...options });
  await stage.endpoint();
  const { leads } = stage.sandbox.dashboard;
  const lead = (): Record<string, unknown> => stage.sandbox.truth.leads()[0] ?? {};
  return { stage, leads, lead };
}

describe('leads', () => {
  it('a request is queued, then in progress after a fraction of a second, without an event', async () => {
    const { stage, leads, lead } = await calling();
    leads.order({ projectId: stage.projectId, phone: '8 912 345-67-89', name: 'Ivan' });
    expect(lead()).toMatchObject({
      object: 'lead',
      phone: '+79123456789',
      name: 'Ivan',
      status: 'queued',
      source: 'widget',
      call: null,
    });
    stage.clock.advance(1000);
    expect(lead()['status']).toBe('in_progress');
    expect(await stage.feedTypes()).toEqual(['lead.created']);
  });

  it('a repeated request from the same number is merged into the first', async () => {
    const { stage, leads } = await calling();
    const first = leads.order({ projectId: stage.projectId, phone: '+79123456789' });
    expect(leads.order({ projectId: stage.projectId, phone: '89123456789' })).toBe(first);
    expect(await stage.feedTypes()).toEqual(['lead.created']);
  });

  it('the same number in another project is another lead', async () => {
    const { stage, leads } = await calling();
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const first = leads.order({ projectId: stage.projectId, phone: '+79123456789' });
    expect(leads.order({ projectId: other, phone: '+79123456789' })).not.toBe(first);
  });

  it('missed, scheduled, dialled again, completed: an event each; final is final', async () => {
    const { stage, leads, lead } = await calling();
    const id = leads.order({ projectId: stage.projectId, phone: '+79123456789' });
    stage.clock.advance(1000);
    leads.endCall(id, 'missed');
    leads.scheduleRepeat(id);
    leads.redial(id);
    leads.endCall(id, 'completed', { durationSec: 65 });
    expect(lead()).toMatchObject({
      status: 'completed',
      call: { duration_sec: 65, handled_by: 'team', ai_outcome: null },
    });
    expect(await stage.feedTypes()).toEqual([...Array(4).fill('lead.updated'), 'lead.created']);
    expect(() => leads.endCall(id, 'missed')).toThrow(RangeError);
  });

  it('rating, handled_at and the AI outcome may come after the end', async () => {
    const { stage, leads, lead } = await calling();
    const id = leads.order({ projectId: stage.projectId, phone: '+79123456789' });
    leads.endCall(id, 'completed', { durationSec: 5 });
    leads.rate(id, 5);
    leads.handle(id);
    leads.setAiOutcome(id, 'booked');
    expect(lead()).toMatchObject({
      status: 'completed',
      rating: 5,
      handled_at: expect.any(String),
      call: { ai_outcome: 'booked', duration_sec: 5 },
    });
    expect((await stage.feedTypes()).filter((type) => type === 'lead.updated')).toHaveLength(4);
  });

  it('their operations are not served by default', async () => {
    const { stage } = await calling();
    expect((await stage.get('/leads')).status).toBe(403);
    expect((await stage.post('/leads', { phone: '+79123456789' })).status).toBe(403);
  });

  it('served by the switch: ordered, read, merged, and refused without the callback service', async () => {
    const { stage, leads } = await calling({ switches: { unshownOperations: 'served' } });
    const made = await stage.post('/leads', { phone: '+79123456789', name: 'Ivan' });
    expect([made.status, made.body.source]).toEqual([201, 'api']);
    expect((await stage.get(`/leads/${made.body.id}`)).body.id).toBe(made.body.id);
    expect((await stage.get('/leads')).body.data).toHaveLength(1);
    leads.configureCallback(stage.projectId, false);
    const refused = await stage.post('/leads', { phone: '+79990001122' });
    expect([refused.status, codeOf(refused)]).toEqual([409, 'callback-not-configured']);
  });
});
