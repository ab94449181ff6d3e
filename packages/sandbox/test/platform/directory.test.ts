import { describe, expect, it } from 'vitest';
import { codeOf, openStage, UNKNOWN_ID } from './stage.ts';

const ids = (body: { data: { id: string }[] }): string[] => body.data.map(({ id }) => id);

describe('reference lists', () => {
  it('services carry every field of the document', async () => {
    const stage = await openStage();
    const [service] = (await stage.get('/services')).body.data;
    expect(service).toEqual({
      object: 'service',
      id: stage.haircutId,
      project_id: stage.projectId,
      name: 'Haircut',
      description: null,
      booking_mode: 'fixed',
      duration_min: 60,
      min_duration_min: null,
      max_duration_min: null,
      duration_step_min: null,
      max_guests: null,
      price_amount: 150_000,
      price_currency: 'RUB',
      price_unit: expect.any(String),
      online_bookable: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('resources carry every field of the document', async () => {
    const stage = await openStage();
    const { data } = (await stage.get('/resources')).body;
    expect(data[1]).toEqual({
      object: 'resource',
      id: stage.annaId,
      project_id: stage.projectId,
      branch_id: stage.branchId,
      kind: 'person',
      name: 'Anna',
      position_title: null,
      capacity: 1,
      timezone: 'Europe/Moscow',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('branches carry every field of the document', async () => {
    const stage = await openStage();
    const [branch] = (await stage.get('/branches')).body.data;
    expect(Object.keys(branch)).toEqual([
      'object',
      'id',
      'project_id',
      'name',
      'address',
      'phone',
      'timezone',
      'created_at',
      'updated_at',
    ]);
  });

  it('show only what is active', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.switchOffService(stage.haircutId);
    stage.sandbox.dashboard.changeResource(stage.annaId, { active: false });
    stage.sandbox.dashboard.changeBranch(stage.branchId, { active: false });
    expect(ids((await stage.get('/services')).body)).toEqual([]);
    expect(ids((await stage.get('/resources')).body)).toEqual([stage.borisId]);
    expect(ids((await stage.get('/branches')).body)).toEqual([]);
  });

  it('resources filter by branch, kind and the service they can serve', async () => {
    const stage = await openStage();
    const room = stage.sandbox.dashboard.createResource({
      branchId: stage.branchId,
      name: 'Room',
      kind: 'place',
    });
    expect(ids((await stage.get('/resources?kind=place')).body)).toEqual([room]);
    expect(ids((await stage.get(`/resources?service_id=${stage.haircutId}`)).body)).toEqual([
      stage.borisId,
      stage.annaId,
    ]);
    expect(ids((await stage.get(`/resources?branch_id=${UNKNOWN_ID}`)).body)).toEqual([]);
    expect((await stage.get('/resources?kind=robot')).status).toBe(422);
    const unknown = await stage.get(`/resources?service_id=${UNKNOWN_ID}`);
    expect([unknown.status, codeOf(unknown)]).toEqual([422, 'service-not-found']);
  });
});
