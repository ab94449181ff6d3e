import { expect } from 'vitest';
import { type Api, verdict } from '../stage/api.ts';
import { UNKNOWN_ID } from '../stage/company.ts';
import { needing, reading } from '../stage/fact.ts';

const BY_PROJECT = [
  '/contacts',
  '/conversations',
  '/appointments',
  '/services',
  '/resources',
  '/branches',
  '/events',
];
const LISTS = [...BY_PROJECT, '/webhook_endpoints'];

interface Listed {
  readonly id: string;
  readonly created_at: string;
}

async function walk(
  api: Api,
  path: string,
  onPage: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const join = path.includes('?') ? '&' : '?';
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await api.get(`${path}${cursor === '' ? '' : `${join}starting_after=${cursor}`}`);
    ids.push(...body.data.map((one: Listed) => one.id));
    if (!body.has_more) return ids;
    cursor = body.data.at(-1).id;
    await onPage();
  }
}

reading('[lists.1][lists.2] every list is object, data and has_more, and nothing else', async ({ api }) => {
  for (const path of LISTS) {
    const { status, body } = await api.get(path);
    expect([path, status, Object.keys(body).sort()]).toEqual([path, 200, ['data', 'has_more', 'object']]);
    expect([body.object, Array.isArray(body.data), typeof body.has_more]).toEqual(['list', true, 'boolean']);
  }
});

reading('[lists.3] every list but the feed has its newest object first', async ({ api }) => {
  // Skips the feed: it lists events in sending order, which may differ from `created_at`. Its own tests cover the
  // order.
  for (const path of LISTS.filter((one) => one !== '/events')) {
    const { body } = await api.get(`${path}?limit=100`);
    const moments = body.data.map((one: Listed) => Date.parse(one.created_at ?? ''));
    expect(moments, path).toEqual([...moments].sort((a, b) => b - a));
  }
});

reading('[lists.4] a list of more than twenty shows twenty', async (company) => {
  await company.some('/contacts?limit=21', 21);
  const { body } = await company.api.get('/contacts');
  expect([body.data.length, body.has_more]).toEqual([20, true]);
});

reading('[lists.5] limits of 1 and of 100 are taken, and no page is longer', async ({ api }) => {
  for (const path of LISTS) {
    expect((await api.get(`${path}?limit=1`)).body.data.length, path).toBeLessThanOrEqual(1);
    expect((await api.get(`${path}?limit=100`)).status, path).toBe(200);
  }
});

reading(
  '[lists.6] a limit of 0, 101, -1, 1.5 or a word is refused by every list, with the field named',
  async ({ api }) => {
    for (const path of LISTS) {
      for (const limit of ['0', '101', '-1', '1.5', 'all']) {
        expect([path, limit, verdict(await api.get(`${path}?limit=${limit}`))]).toEqual([
          path,
          limit,
          '422 validation',
        ]);
      }
    }
  },
);

reading('[lists.7] a page starts with what follows the cursor', async (company) => {
  const [first, second, third] = await company.some('/contacts?limit=3', 3);
  const { body } = await company.api.get(`/contacts?limit=2&starting_after=${first.id}`);
  expect(body.data.map((one: Listed) => one.id)).toEqual([second.id, third.id]);
});

reading('[lists.8] a starting_after that is no id is refused by every list', async ({ api }) => {
  for (const path of LISTS)
    expect([path, verdict(await api.get(`${path}?starting_after=abc`))]).toEqual([path, '422 validation']);
});

needing(
  'dashboard',
  '[lists.9] a cursor whose object was deleted still gives the page behind it',
  async (stage) => {
    for (const name of ['A', 'B', 'C']) await stage.contact({ name });
    const [, middle, oldest] = (await stage.api.get('/contacts')).body.data;
    await stage.staff('deleteContact', { id: middle.id });
    const { status, body } = await stage.api.get(`/contacts?starting_after=${middle.id}`);
    expect([status, body.data]).toEqual([200, [oldest]]);
  },
);

reading(
  '[lists.10] a walk in small pages meets the same objects as one large page, each once',
  async (company) => {
    const whole = await company.some('/contacts?limit=7', 5);
    const walked: string[] = [];
    let cursor = '';
    while (walked.length < whole.length) {
      const { body } = await company.api.get(`/contacts?limit=2${cursor}`);
      walked.push(...body.data.map((one: Listed) => one.id));
      if (!body.has_more) break;
      cursor = `&starting_after=${body.data.at(-1).id}`;
    }
    expect(walked.slice(0, whole.length)).toEqual(whole.map((one: Listed) => one.id));
  },
);

needing(
  'company',
  '[lists.11] has_more is false on the page that ends exactly with the last object',
  async (stage) => {
    for (const name of ['A', 'B', 'C', 'D']) await stage.contact({ name });
    const first = (await stage.api.get('/contacts?limit=2')).body;
    const last = (await stage.api.get(`/contacts?limit=2&starting_after=${first.data[1].id}`)).body;
    expect([first.has_more, last.data.length, last.has_more]).toEqual([true, 2, false]);
    expect((await stage.api.get('/contacts?limit=4')).body.has_more).toBe(false);
  },
);

needing('company', '[lists.12] contacts created while a walk goes on are not met by it', async (stage) => {
  const before: string[] = [];
  for (const name of ['A', 'B', 'C', 'D', 'E']) before.unshift((await stage.contact({ name })).body.id);
  const walked = await walk(stage.api, '/contacts?limit=2', () => stage.contact({ name: 'late' }));
  expect(walked).toEqual(before);
});

reading('[lists.13] project_id leaves only objects of that project', async (company) => {
  const projectId = await company.projectId();
  for (const path of BY_PROJECT) {
    const { status, body } = await company.api.get(`${path}?project_id=${projectId}`);
    expect([path, status]).toEqual([path, 200]);
    expect(body.data.filter((one: { project_id: string }) => one.project_id !== projectId)).toEqual([]);
  }
});

needing('keys', '[lists.13] of two projects project_id shows one', async (stage) => {
  const other = await stage.staff('createProject', { name: 'Other' });
  const mine = (await stage.contact()).body.id;
  const theirs = await stage.staff('createContact', { projectId: other, name: 'Ann' });
  const listed = async (query: string) =>
    (await stage.api.get(`/contacts${query}`)).body.data.map((one: Listed) => one.id);
  expect(await listed('')).toEqual([theirs, mine]);
  expect(await listed(`?project_id=${other}`)).toEqual([theirs]);
});

reading(
  '[lists.14] a project that is not in the key is forbidden in every list that filters by project',
  async ({ api }) => {
    for (const path of BY_PROJECT)
      expect([path, verdict(await api.get(`${path}?project_id=${UNKNOWN_ID}`))]).toEqual([
        path,
        '403 forbidden',
      ]);
  },
);

needing('company', '[lists.15] a filtered walk meets only what the filter lets through', async (stage) => {
  const wanted: string[] = [];
  for (const lifecycle of ['customer', 'sql', 'customer', 'lead', 'customer']) {
    const { body } = await stage.contact({ lifecycle });
    if (lifecycle === 'customer') wanted.unshift(body.id);
  }
  expect(await walk(stage.api, '/contacts?lifecycle=customer&limit=1')).toEqual(wanted);
});

reading('[lists.16] a project_id that is no id is refused', async ({ api }) => {
  for (const path of BY_PROJECT)
    expect([path, verdict(await api.get(`${path}?project_id=mine`))]).toEqual([path, '422 validation']);
});
