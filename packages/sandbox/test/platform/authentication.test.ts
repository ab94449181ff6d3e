import { describe, expect, it } from 'vitest';
import { codeOf, openStage } from './stage.ts';

describe('keys', () => {
  it('a call without a key, with a wrong key or a revoked key gives 401', async () => {
    const stage = await openStage();
    const revoked = stage.keyWith({ revoked: true });
    for (const key of [null, 'sk_wrong', revoked]) {
      const answer = await stage.get('/contacts', { key });
      expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthenticated']);
    }
  });

  it('a key revoked later stops working', async () => {
    const stage = await openStage();
    expect((await stage.get('/contacts')).status).toBe(200);
    stage.sandbox.revokeKey(stage.key);
    expect((await stage.get('/contacts')).status).toBe(401);
  });

  it('the scheme must be Bearer', async () => {
    const stage = await openStage();
    const answer = await stage.get('/contacts', {
      key: null,
      headers: { Authorization: `Basic ${stage.key}` },
    });
    expect(answer.status).toBe(401);
  });

  it('without the add-on a valid key gets 402, a wrong one still 401', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.switchAddOn(false);
    const answer = await stage.get('/contacts');
    expect([answer.status, codeOf(answer)]).toEqual([402, 'api-addon-required']);
    expect((await stage.get('/contacts', { key: 'wrong' })).status).toBe(401);
    stage.sandbox.dashboard.switchAddOn(true);
    expect((await stage.get('/contacts')).status).toBe(200);
  });
});

describe('scopes', () => {
  it.each([
    ['GET', '/contacts', 'contacts:read'],
    ['POST', '/contacts', 'contacts:write'],
    ['GET', '/appointments', 'appointments:read'],
    ['GET', '/slots', 'appointments:read'],
    ['GET', '/services', 'appointments:read'],
    ['GET', '/resources', 'appointments:read'],
    ['GET', '/branches', 'appointments:read'],
    ['POST', '/appointments', 'appointments:write'],
    ['GET', '/conversations', 'conversations:read'],
    ['GET', '/webhook_endpoints', 'webhooks:manage'],
    ['GET', '/events', 'webhooks:manage'],
  ])('%s %s without %s gives 403 that names the scope', async (method, path, scope) => {
    const stage = await openStage();
    const key = stage.keyWith({ scopes: scope === 'leads:read' ? ['contacts:read'] : ['leads:read'] });
    const answer = await stage.call(method, path, { key });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden']);
    expect(answer.body.detail).toContain(scope);
  });
});

describe('projects', () => {
  it('an object of a project that is not in the key does not exist for it', async () => {
    const stage = await openStage();
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const key = stage.keyWith({ projectIds: [other] });
    const contact = await stage.contact({ project_id: stage.projectId });
    const appointment = await stage.book();
    expect((await stage.get(`/contacts/${contact.body.id}`, { key })).status).toBe(404);
    expect((await stage.get(`/appointments/${appointment.body.id}`, { key })).status).toBe(404);
    expect((await stage.get('/contacts', { key })).body.data).toEqual([]);
    expect((await stage.post(`/appointments/${appointment.body.id}/cancel`, {}, { key })).status).toBe(404);
    expect((await stage.get(`/appointments/${appointment.body.id}`)).body.status).toBe('confirmed');
  });

  it('a project_id that is not in the key gives 403', async () => {
    const stage = await openStage();
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const key = stage.keyWith({ projectIds: [stage.projectId] });
    for (const path of [
      'contacts',
      'appointments',
      'services',
      'resources',
      'branches',
      'events',
      'conversations',
    ]) {
      const answer = await stage.get(`/${path}?project_id=${other}`, { key });
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 403, 'forbidden']);
    }
    expect((await stage.contact({ project_id: other }, { key })).status).toBe(403);
  });

  it('a key without projects, or whose projects were deleted, gets 403', async () => {
    const stage = await openStage();
    const gone = stage.sandbox.dashboard.createProject({ name: 'Gone' });
    const key = stage.keyWith({ projectIds: [gone] });
    expect((await stage.get('/contacts', { key })).status).toBe(200);
    stage.sandbox.dashboard.deleteProject(gone);
    expect((await stage.get('/contacts', { key })).status).toBe(403);
    expect((await stage.get('/contacts', { key: stage.keyWith({ projectIds: [] }) })).status).toBe(403);
  });

  it('a key with one project supplies it; a key with several must name it', async () => {
    const stage = await openStage();
    const single = await stage.contact({}, { key: stage.keyWith({ projectIds: [stage.projectId] }) });
    expect([single.status, single.body.project_id]).toEqual([201, stage.projectId]);
    stage.sandbox.dashboard.createProject({ name: 'Other' });
    const several = await stage.contact();
    expect([several.status, codeOf(several)]).toEqual([422, 'validation']);
    expect(several.body.detail).toContain('project_id');
    expect((await stage.contact({ project_id: stage.projectId })).status).toBe(201);
  });
});

describe('paths outside the API', () => {
  it('an unknown first segment gives 403, an unknown path below a known one 404', async () => {
    const stage = await openStage();
    expect((await stage.get('/invoices')).status).toBe(403);
    expect((await stage.get('/contacts/a/b')).status).toBe(404);
    expect((await stage.get('/invoices', { key: null })).status).toBe(401);
  });

  it('the switch makes both 403 or both 404', async () => {
    const stage = await openStage({ switches: { unknownPath: 'not-found' } });
    expect((await stage.get('/invoices')).status).toBe(404);
    stage.sandbox.switches = { ...stage.sandbox.switches, unknownPath: 'forbidden' };
    expect((await stage.get('/contacts/a/b')).status).toBe(403);
  });

  it('an unsupported method gives 405 with the code http and what is allowed', async () => {
    const stage = await openStage();
    const answer = await stage.call('PUT', '/contacts', { body: {} });
    expect([answer.status, codeOf(answer), answer.headers.get('allow')]).toEqual([405, 'http', 'GET, POST']);
  });
});
