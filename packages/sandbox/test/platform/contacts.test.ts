import { describe, expect, it } from 'vitest';
import { codeOf, openStage, UNKNOWN_ID } from './stage.ts';

describe('creating a contact', () => {
  it('answers 201 with the whole object', async () => {
    const stage = await openStage();
    const answer = await stage.contact({
      first_name: 'Maria',
      last_name: 'Ivanova',
      email: 'maria@example.com',
      phone: '+79123456789',
      position: 'CEO',
      lifecycle: 'customer',
      metadata: { origin: 'sheet' },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      object: 'contact',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      project_id: stage.projectId,
      type: 'person',
      name: 'Maria',
      first_name: 'Maria',
      last_name: 'Ivanova',
      email: 'maria@example.com',
      phone: '+79123456789',
      position: 'CEO',
      lifecycle: 'customer',
      status: 'active',
      source: 'api',
      metadata: { origin: 'sheet' },
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await stage.get(`/contacts/${answer.body.id}`)).body).toEqual(answer.body);
  });

  it('makes a new contact even when phone and email exist already', async () => {
    const stage = await openStage();
    const one = await stage.contact({ phone: '+79123456789' });
    const two = await stage.contact({ phone: '+79123456789' });
    expect(two.status).toBe(201);
    expect(two.body.id).not.toBe(one.body.id);
  });

  it.each([
    ['8 (912) 345-67-89', '+79123456789'],
    ['+44 7911 123456', '+447911123456'],
    ['ask at the desk', 'ask at the desk'],
  ])('stores the phone %s as %s', async (given, stored) => {
    const stage = await openStage();
    expect((await stage.contact({ phone: given })).body.phone).toBe(stored);
  });

  it('takes null for every optional field', async () => {
    const stage = await openStage();
    const nulls = {
      project_id: null,
      type: null,
      first_name: null,
      last_name: null,
      email: null,
      phone: null,
      position: null,
      lifecycle: null,
      metadata: null,
    };
    const answer = await stage.contact(nulls);
    expect([answer.status, answer.body.type, answer.body.lifecycle, answer.body.metadata]).toEqual([
      201,
      'person',
      'lead',
      null,
    ]);
  });

  it.each([
    ['name', 'x'.repeat(256)],
    ['name', ''],
    ['name', null],
    ['name', 5],
    ['first_name', 'x'.repeat(129)],
    ['last_name', 'x'.repeat(129)],
    ['position', 'x'.repeat(129)],
    ['phone', '1'.repeat(33)],
    ['email', `${'x'.repeat(250)}@example.com`],
    ['email', 'not an email'],
    ['lifecycle', 'friend'],
    ['type', 'robot'],
    ['project_id', 'not-a-uuid'],
    ['metadata', 'text'],
  ])('refuses %s = %s', async (field, value) => {
    const stage = await openStage();
    const answer = await stage.contact({ [field]: value });
    expect([answer.status, codeOf(answer), Object.keys(answer.body.errors)]).toEqual([
      422,
      'validation',
      [field],
    ]);
    expect(stage.sandbox.truth.contacts()).toEqual([]);
  });

  it('a distribution rule may change the lifecycle when it is lead or absent, never another', async () => {
    const stage = await openStage();
    stage.sandbox.dashboard.setDistributionLifecycle('mql');
    expect((await stage.contact()).body.lifecycle).toBe('mql');
    expect((await stage.contact({ lifecycle: 'lead' })).body.lifecycle).toBe('mql');
    expect((await stage.contact({ lifecycle: 'customer' })).body.lifecycle).toBe('customer');
  });
});

describe('metadata', () => {
  it('trims strings and stores an empty one as null', async () => {
    const stage = await openStage();
    const answer = await stage.contact({ metadata: { a: '  x ', b: '   ', c: 1.5, d: false, e: null } });
    expect(answer.body.metadata).toEqual({ a: 'x', b: null, c: 1.5, d: false, e: null });
  });

  it('takes 50 keys of 40 characters with values of 500', async () => {
    const stage = await openStage();
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`k${i}`.padEnd(40, 'x'), 'v'.repeat(500)]),
    );
    expect((await stage.contact({ metadata })).body.metadata).toEqual(metadata);
  });

  it.each([
    ['51 keys', Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 1]))],
    ['a key of 41 characters', { ['k'.repeat(41)]: 1 }],
    ['a numeric key', { 10042: 'x' }],
    ['a negative numeric key', { '-5': 'x' }],
    ['a value of 501 characters', { a: 'v'.repeat(501) }],
    ['a nested object', { a: { b: 1 } }],
    ['a list', ['a']],
  ])('refuses %s', async (_, metadata) => {
    const stage = await openStage();
    const answer = await stage.contact({ metadata });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['metadata']]);
  });
});

describe('changing a contact', () => {
  it('changes only the given fields, and null clears an optional one', async () => {
    const stage = await openStage();
    const made = await stage.contact({ email: 'a@example.com', position: 'CEO' });
    const answer = await stage.patch(`/contacts/${made.body.id}`, { position: null, phone: '89123456789' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      name: 'Maria',
      email: 'a@example.com',
      position: null,
      phone: '+79123456789',
    });
  });

  it('sets active or archived from any state, blocked only in the dashboard', async () => {
    const stage = await openStage();
    const path = `/contacts/${(await stage.contact()).body.id}`;
    expect((await stage.patch(path, { status: 'blocked' })).status).toBe(422);
    stage.sandbox.dashboard.blockContact(path.slice('/contacts/'.length));
    expect((await stage.get(path)).body.status).toBe('blocked');
    expect((await stage.patch(path, { status: 'archived' })).body.status).toBe('archived');
    expect((await stage.patch(path, { status: 'active' })).body.status).toBe('active');
  });

  it.each([
    [{ name: null }],
    [{ lifecycle: null }],
    [{ lifecycle: 'friend' }],
    [{ status: null }],
    [{ email: 'no' }],
  ])('refuses %j', async (patch) => {
    const stage = await openStage();
    const made = await stage.contact();
    expect((await stage.patch(`/contacts/${made.body.id}`, patch)).status).toBe(422);
    expect((await stage.get(`/contacts/${made.body.id}`)).body).toEqual(made.body);
  });

  it('moves updated_at when a field changed, and leaves it when none did', async () => {
    const stage = await openStage();
    const made = await stage.contact();
    stage.clock.advance(5_000);
    expect((await stage.patch(`/contacts/${made.body.id}`, { name: 'Maria' })).body.updated_at).toBe(
      made.body.updated_at,
    );
    const changed = await stage.patch(`/contacts/${made.body.id}`, { name: 'Masha' });
    expect(Date.parse(changed.body.updated_at)).toBeGreaterThanOrEqual(
      Date.parse(made.body.updated_at) + 5_000,
    );
  });

  it('an unknown contact gives 404', async () => {
    const stage = await openStage();
    for (const id of [UNKNOWN_ID, 'not-an-id']) {
      expect((await stage.get(`/contacts/${id}`)).status).toBe(404);
      expect((await stage.patch(`/contacts/${id}`, {})).status).toBe(404);
    }
  });
});

describe('listing contacts', () => {
  it('filters by email, phone after conversion, and lifecycle; filters combine', async () => {
    const stage = await openStage();
    const anna = (
      await stage.contact({
        name: 'Anna',
        email: 'a@example.com',
        phone: '+79123456789',
        lifecycle: 'customer',
      })
    ).body;
    const boris = (await stage.contact({ name: 'Boris', email: 'b@example.com', phone: '+79123456789' }))
      .body;
    const found = async (query: string): Promise<string[]> =>
      (await stage.get(`/contacts?${query}`)).body.data.map((contact: { id: string }) => contact.id);
    expect(await found('email=a@example.com')).toEqual([anna.id]);
    expect(await found(`phone=${encodeURIComponent('8 (912) 345-67-89')}`)).toEqual([boris.id, anna.id]);
    expect(await found('lifecycle=customer')).toEqual([anna.id]);
    expect(await found('phone=89123456789&email=b@example.com')).toEqual([boris.id]);
    expect(await found('email=a@example')).toEqual([]);
  });

  it('refuses a lifecycle, email or phone outside the rules', async () => {
    const stage = await openStage();
    for (const query of [
      'lifecycle=friend',
      `email=${'x'.repeat(256)}`,
      `phone=${'1'.repeat(33)}`,
      'project_id=1',
    ]) {
      expect((await stage.get(`/contacts?${query}`)).status).toBe(422);
    }
  });
});

describe('contacts in the dashboard', () => {
  it('a deleted contact is gone', async () => {
    const stage = await openStage();
    const { id } = (await stage.contact()).body;
    stage.sandbox.dashboard.deleteContact(id);
    expect((await stage.get(`/contacts/${id}`)).status).toBe(404);
  });

  it('an import may bring a lifecycle of its own', async () => {
    const stage = await openStage();
    const [id] = stage.sandbox.dashboard.importContacts([
      { projectId: stage.projectId, name: 'Old', lifecycle: 'partner' },
    ]);
    expect((await stage.get(`/contacts/${id}`)).body).toMatchObject({ lifecycle: 'partner', metadata: null });
  });

  it('a merge deletes the duplicate, completes the survivor and takes the appointments over', async () => {
    const stage = await openStage();
    const survivor = (await stage.contact({ phone: '+79123456789' })).body;
    const duplicate = (await stage.contact({ email: 'm@example.com' })).body;
    const booked = (await stage.book({ contact_id: duplicate.id })).body;
    stage.sandbox.dashboard.mergeContacts(survivor.id, duplicate.id);
    expect((await stage.get(`/contacts/${duplicate.id}`)).status).toBe(404);
    expect((await stage.get(`/contacts/${survivor.id}`)).body).toMatchObject({
      phone: '+79123456789',
      email: 'm@example.com',
    });
    expect((await stage.get(`/appointments/${booked.id}`)).body.contact_id).toBe(survivor.id);
  });
});
