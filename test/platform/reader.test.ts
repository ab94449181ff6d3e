import { afterEach, describe, expect, test } from 'vitest';
import { clientFor, contact, failureOf, list, problem, type Reply, Stands } from './stand.ts';

const stands = new Stands();
afterEach(() => stands.close());

async function readerOn(reply: Parameters<Stands['answering']>[0]) {
  const { url, seen } = await stands.answering(reply);
  const client = clientFor(url);
  return { reader: client.reader, endpoints: client.endpoints, client, seen };
}

const branch = (id: string) => ({
  object: 'branch',
  id,
  project_id: 'p',
  name: `Branch ${id}`,
  timezone: 'Asia/Omsk',
});
const event = (id: string, more: object = {}) => ({
  object: 'event',
  id,
  type: 'contact.created',
  created_at: '2026-03-02T09:00:00.123Z',
  project_id: 'p',
  test: false,
  data: { object: contact('c') },
  ...more,
});

describe('absence', () => {
  test('is only a 404 not-found of the platform', async () => {
    const { reader } = await readerOn(() => problem(404, 'not-found'));
    expect(await reader.get({ kind: 'appointment', id: 'a' })).toBeUndefined();
    expect(await reader.get({ kind: 'contact', id: 'c' })).toBeUndefined();
  });

  test('is not a 404 with another code', async () => {
    const { reader } = await readerOn(() => problem(404, 'gone-fishing'));
    expect(await failureOf(reader.get({ kind: 'contact', id: 'c' }))).toMatchObject({
      code: 'gone-fishing',
      status: 404,
    });
  });
});

describe('messages and leads', () => {
  test.each(['message', 'lead'] as const)('one %s cannot be read', async (kind) => {
    const { reader, seen } = await readerOn(() => list([]));
    expect(await failureOf(reader.get({ kind, id: 'x' }))).toMatchObject({ code: 'object-not-readable' });
    expect(seen).toEqual([]);
  });

  test('messages are read by conversation, page by page', async () => {
    const message = { object: 'message', id: 'm', conversation_id: 'c', attachments: [] };
    const { reader, seen } = await readerOn(() => list([message], true));
    const page = await reader.messages('c', { limit: 50, startingAfter: 'n' });
    expect(page).toEqual({ data: [message], hasMore: true });
    expect(seen[0]?.path).toBe('/v1/conversations/c/messages');
    expect(Object.fromEntries(seen[0]?.query ?? [])).toEqual({ limit: '50', starting_after: 'n' });
  });

  test('a conversation that is not shown has no messages', async () => {
    const { reader } = await readerOn(() => problem(404, 'not-found'));
    expect(await reader.messages('c', { limit: 50 })).toEqual({ data: [], hasMore: false });
  });
});

describe('a project', () => {
  const visible = async (appointments: Reply, contacts: Reply) => {
    const { reader, seen } = await readerOn(({ path }) =>
      path.endsWith('appointments') ? appointments : contacts,
    );
    return { visible: await reader.isProjectVisible('p'), seen };
  };

  test('is visible when a list restricted to it is answered', async () => {
    const { visible: is, seen } = await visible(list([]), list([]));
    expect(is).toBe(true);
    expect(seen).toHaveLength(1);
    expect(Object.fromEntries(seen[0]?.query ?? [])).toEqual({ limit: '1', project_id: 'p' });
  });

  test('is visible to a key that has only the contacts', async () => {
    expect((await visible(problem(403, 'forbidden'), list([]))).visible).toBe(true);
  });

  test('is invisible when every list answers 403', async () => {
    expect((await visible(problem(403, 'forbidden'), problem(403, 'forbidden'))).visible).toBe(false);
  });

  test('is invisible, not unknown, while the scopes are remembered as missing', async () => {
    const { reader } = await readerOn(() => problem(403, 'forbidden'));
    await failureOf(reader.get({ kind: 'appointment', id: 'a' }));
    await failureOf(reader.get({ kind: 'contact', id: 'c' }));
    expect(await reader.isProjectVisible('p')).toBe(false);
  });

  test('stays unknown when the platform fails or a gateway says 403', async () => {
    const { reader } = await readerOn(() => ({ status: 403, text: '<html>' }));
    expect(await failureOf(reader.isProjectVisible('p'))).toMatchObject({ code: 'platform-bad-answer' });
  });
});

describe('a page that promises more and gives no new position', () => {
  type Read = (
    client: Awaited<ReturnType<typeof readerOn>>['client'],
    startingAfter: string,
  ) => Promise<unknown>;
  const reads: readonly (readonly [string, object, Read])[] = [
    ['the feed', event('last'), ({ reader }, after) => reader.eventPage({ limit: 50, startingAfter: after })],
    [
      'a list',
      contact('last'),
      ({ reader }, after) => reader.page('contact', { limit: 50, startingAfter: after }),
    ],
    [
      'messages',
      { object: 'message', id: 'last', conversation_id: 'c', attachments: [] },
      ({ reader }, after) => reader.messages('c', { limit: 50, startingAfter: after }),
    ],
  ];

  test.each(reads)(
    'P8: %s: the same page again is refused: a walk would never end',
    async (_, item, read) => {
      const { client } = await readerOn(() => list([item], true));
      await read(client, 'first');
      expect(await failureOf(read(client, 'last'))).toMatchObject({
        family: 'retryable',
        code: 'platform-bad-answer',
      });
    },
  );

  test.each(reads)('P8: %s: an empty page is refused: it is no end', async (_, _item, read) => {
    const { client } = await readerOn(() => list([], true));
    expect(await failureOf(read(client, 'first'))).toMatchObject({ code: 'platform-bad-answer' });
  });
});

describe('the feed', () => {
  test('gives events in the worker’s words, unknown types included', async () => {
    const { reader, seen } = await readerOn(() =>
      list([event('e1', { type: 'moon.risen' }), event('e2', { test: true })], true),
    );
    const page = await reader.eventPage({ limit: 50, startingAfter: 'e0', filters: { project_id: 'p' } });
    expect(page).toEqual({
      hasMore: true,
      data: [
        {
          id: 'e1',
          type: 'moon.risen',
          createdAt: '2026-03-02T09:00:00.123Z',
          projectId: 'p',
          test: false,
          object: contact('c'),
        },
        {
          id: 'e2',
          type: 'contact.created',
          createdAt: '2026-03-02T09:00:00.123Z',
          projectId: 'p',
          test: true,
          object: contact('c'),
        },
      ],
    });
    expect(Object.fromEntries(seen[0]?.query ?? [])).toEqual({
      limit: '50',
      starting_after: 'e0',
      project_id: 'p',
    });
  });

  test.each([[undefined], [null], [{}], [{ object: null }], [{ object: [1] }], ['text']])(
    'an event with data %j has no object',
    async (data) => {
      const { reader } = await readerOn(() => list([event('e', { data, project_id: undefined })]));
      const { data: events } = await reader.eventPage({ limit: 1 });
      expect(events[0]).toMatchObject({ id: 'e', object: undefined, projectId: undefined });
    },
  );

  test('an event without a moment is no event: coverage stands on it', async () => {
    const { reader } = await readerOn(() => list([event('e', { created_at: 'yesterday' })]));
    const error = await failureOf(reader.eventPage({ limit: 1 }));
    expect(error.message).toContain('events.list');
    expect(error.message).toContain('data.0.created_at');
    expect(error.message).not.toContain('yesterday');
  });
});

describe('the directory', () => {
  test('is read over all pages of the three lists', async () => {
    const { reader } = await readerOn(({ path, query }) => {
      if (path.endsWith('/branches')) {
        return query.get('starting_after') === null ? list([branch('b1')], true) : list([branch('b2')]);
      }
      if (path.endsWith('/resources'))
        return list([{ object: 'resource', id: 'r', project_id: 'p', branch_id: 'b1', name: 'Anna' }]);
      return list([{ object: 'service', id: 's', project_id: 'p', name: 'Haircut' }]);
    });
    const directory = await reader.directory();
    expect([...directory.branches.keys()]).toEqual(['b1', 'b2']);
    expect(directory.branches.get('b1')).toEqual({
      id: 'b1',
      projectId: 'p',
      name: 'Branch b1',
      timezone: 'Asia/Omsk',
    });
    expect(directory.resources.get('r')).toEqual({ id: 'r', projectId: 'p', branchId: 'b1', name: 'Anna' });
    expect(directory.services.get('s')).toEqual({ id: 's', projectId: 'p', name: 'Haircut' });
  });

  test('names the operation and the field when a list breaks the document', async () => {
    const { reader } = await readerOn(({ path }) =>
      path.endsWith('/branches') ? list([{ ...branch('b'), timezone: null }]) : list([]),
    );
    const error = await failureOf(reader.directory());
    expect(error.message).toContain('branches.list');
    expect(error.message).toContain('data.0.timezone is not of type string');
  });
});

describe('webhook endpoints', () => {
  const endpoint = (more: object = {}) => ({
    object: 'webhook_endpoint',
    id: 'w',
    url: 'https://x.example/hook',
    description: null,
    enabled_events: ['*'],
    project_ids: null,
    status: 'enabled',
    disabled_reason: null,
    disabled_at: null,
    created_at: '2026-03-02T09:00:00Z',
    updated_at: '2026-03-02T09:00:00Z',
    ...more,
  });
  const known = {
    id: 'w',
    url: 'https://x.example/hook',
    enabledEvents: ['*'],
    projectIds: null,
    status: 'enabled',
    disabledReason: null,
    disabledAt: null,
    updatedAt: '2026-03-02T09:00:00Z',
  };

  test('are listed over all pages', async () => {
    const { endpoints } = await readerOn(({ query }) =>
      query.get('starting_after') === null
        ? list([endpoint()], true)
        : list([endpoint({ id: 'w2', project_ids: [] })]),
    );
    expect(await endpoints.list()).toEqual([known, { ...known, id: 'w2', projectIds: [] }]);
  });

  test('are created with the key, and give their secret', async () => {
    const { endpoints, seen } = await readerOn(() => ({ status: 201, body: endpoint({ secret: 's3cret' }) }));
    const made = await endpoints.create({
      url: 'https://x.example/hook',
      description: 'd',
      enabledEvents: ['*'],
      idempotencyKey: 'k',
    });
    expect(made).toEqual({ ...known, secret: 's3cret' });
    expect(seen[0]?.headers['idempotency-key']).toBe('k');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      url: 'https://x.example/hook',
      description: 'd',
      enabled_events: ['*'],
    });
  });

  test('a creation without a secret is refused, and the secret is never quoted', async () => {
    const { endpoints } = await readerOn(() => ({
      status: 201,
      body: endpoint({ secret: { v1: 's3cret' } }),
    }));
    const create = endpoints.create({
      url: 'https://x',
      description: 'd',
      enabledEvents: ['*'],
      idempotencyKey: 'k',
    });
    const error = await failureOf(create);
    expect(error.message).toContain('secret is not of type string');
    expect(error.message).not.toContain('s3cret');
  });

  test('only what is given is changed', async () => {
    const { endpoints, seen } = await readerOn(() => ({ status: 200, body: endpoint() }));
    expect(await endpoints.change('w', { status: 'enabled' })).toEqual(known);
    expect(seen[0]).toMatchObject({
      method: 'PATCH',
      path: '/v1/webhook_endpoints/w',
      body: '{"status":"enabled"}',
    });
  });
});
