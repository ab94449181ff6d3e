import { describe, expect, it } from 'vitest';
import { openStage, type Stage, UNKNOWN_ID } from './stage.ts';

async function withContacts(count: number): Promise<Stage> {
  const stage = await openStage();
  for (let index = 0; index < count; index += 1) {
    stage.sandbox.dashboard.createContact({ projectId: stage.projectId, name: `Contact ${index}` });
  }
  return stage;
}

const names = (body: { data: { name: string }[] }): string[] => body.data.map(({ name }) => name);

describe('lists', () => {
  it('are newest first, 20 to a page, and say whether more follow', async () => {
    const stage = await withContacts(21);
    const { body } = await stage.get('/contacts');
    expect(Object.keys(body).sort()).toEqual(['data', 'has_more', 'object']);
    expect([body.object, body.data.length, body.has_more, body.data[0].name]).toEqual([
      'list',
      20,
      true,
      'Contact 20',
    ]);
  });

  it('can be walked to the end by starting_after without gap or repeat', async () => {
    const stage = await withContacts(7);
    const seen: string[] = [];
    let cursor = '';
    for (let more = true; more; ) {
      const { body } = await stage.get(`/contacts?limit=3${cursor}`);
      seen.push(...names(body));
      more = body.has_more;
      cursor = `&starting_after=${body.data.at(-1).id}`;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `Contact ${index}`));
  });

  it('a page that ends exactly at the last object has no more', async () => {
    const stage = await withContacts(3);
    expect((await stage.get('/contacts?limit=3')).body.has_more).toBe(false);
  });

  it('objects created during the walk are not included', async () => {
    const stage = await withContacts(4);
    const first = (await stage.get('/contacts?limit=2')).body;
    stage.sandbox.dashboard.createContact({ projectId: stage.projectId, name: 'Late' });
    const second = (await stage.get(`/contacts?limit=10&starting_after=${first.data[1].id}`)).body;
    expect(names(second)).toEqual(['Contact 1', 'Contact 0']);
  });

  it('a cursor works even if its object was deleted', async () => {
    const stage = await withContacts(4);
    const first = (await stage.get('/contacts?limit=2')).body;
    stage.sandbox.dashboard.deleteContact(first.data[1].id);
    const second = (await stage.get(`/contacts?starting_after=${first.data[1].id}`)).body;
    expect(names(second)).toEqual(['Contact 1', 'Contact 0']);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=abc',
    'limit=1.5',
    'limit=',
    'starting_after=abc',
    'limit=1&limit=2',
  ])('%s gives 422', async (query) => {
    const stage = await openStage();
    for (const path of [
      'contacts',
      'appointments',
      'services',
      'resources',
      'branches',
      'events',
      'webhook_endpoints',
      'conversations',
    ]) {
      const answer = await stage.get(`/${path}?${query}`);
      expect([path, answer.status]).toEqual([path, 422]);
      expect(Object.keys(answer.body.errors)).toEqual([query.split('=')[0]]);
    }
  });

  it('limit 100 is allowed', async () => {
    const stage = await withContacts(101);
    expect((await stage.get('/contacts?limit=100')).body.data).toHaveLength(100);
  });

  it('a cursor never seen gives an empty page, or 422 by the switch', async () => {
    const stage = await withContacts(2);
    const path = `/contacts?starting_after=${UNKNOWN_ID}`;
    expect((await stage.get(path)).body).toEqual({ object: 'list', data: [], has_more: false });
    stage.sandbox.switches = { ...stage.sandbox.switches, unknownCursor: 'validation' };
    expect((await stage.get(path)).status).toBe(422);
  });

  it('a cursor of a project outside the key is one never seen', async () => {
    const stage = await withContacts(2);
    const other = stage.sandbox.dashboard.createProject({ name: 'Other' });
    const key = stage.keyWith({ projectIds: [other] });
    const add = (projectId: string, name: string): string =>
      stage.sandbox.dashboard.createContact({ projectId, name });
    add(other, 'Mine, older');
    const foreign = add(stage.projectId, 'Foreign');
    const own = add(other, 'Mine, newer');
    expect(names((await stage.get('/contacts', { key })).body)).toEqual(['Mine, newer', 'Mine, older']);
    expect(names((await stage.get(`/contacts?starting_after=${own}`, { key })).body)).toEqual([
      'Mine, older',
    ]);
    expect(names((await stage.get(`/contacts?starting_after=${foreign}`, { key })).body)).toEqual([]);
  });
});
