/** A template that fails for each object, through the whole worker. */
import { afterEach, expect, test, vi } from 'vitest';
import { ANNA, MIRRORS, startWorld, type World } from '../stand/world.ts';

let world: World;
afterEach(() => world.close());

/** Liquid stops at its bound of memory. */
const ENDLESS = "{% if name contains 'Bad' %}{% for i in (1..100000000) %}{{ i }}{% endfor %}{% endif %}";
const NOTE = `Note: "${ENDLESS}"`;

const soon = (what: () => void | Promise<void>) => vi.waitFor(what, { timeout: 200_000, interval: 200 });

test('P1: one template that fails for each object stops its mirror and no other; nothing is lost, and a success or a reload resumes it', async () => {
  let written = '';
  const options = {
    mirrors: MIRRORS.replace('Phone: "{{ phone }}" }', `Phone: "{{ phone }}",\n      ${NOTE} }`),
    rewrite: (yaml: string) => {
      written = yaml;
      return yaml;
    },
  };
  world = await startWorld(options);
  const port = await world.door();
  await world.subscribe(port);
  const worker = await world.startWorker(port);
  const create = (name: string) =>
    world.platform.dashboard.createContact({
      projectId: world.company.projectId,
      name,
      phone: '+74950001101',
    });
  const ids = Array.from({ length: 30 }, (_, at) => create(`Bad ${at}`));
  const problems = async () =>
    (await world.status(worker.url)).problems.filter(({ code }) => code === 'mirror-stopped');
  await soon(async () => expect(await problems()).toHaveLength(1));
  const line = written.split('\n').findIndex((text) => text.includes('Note:')) + 1;
  const [problem] = await problems();
  expect(problem).toMatchObject({
    target: 'mirror:contacts',
    message: expect.stringContaining(`mirrors.contacts.columns.Note, line ${line} (template-failed)`),
    names: ['mirrors.contacts.columns.Note', 'template-failed'],
  });
  const zoe = create('Zoe');
  const appointment = world.book();
  await soon(() =>
    expect(world.google.truth.events(ANNA).map(({ id }) => id)).toContain(
      `sb${appointment.replaceAll('-', '')}`,
    ),
  );
  const letters = (await world.status(worker.url)).dead_letters.count;
  expect(letters).toBeGreaterThanOrEqual(20);
  expect(letters).toBeLessThan(30);
  const rows = () => world.rows('Contacts').map(([id]) => String(id));
  expect(rows()).not.toContain(zoe);
  expect((await world.status(worker.url)).pending.objects).toBeGreaterThan(0);

  // One of those that failed is put right, and the mirror continues for all that waited.
  world.platform.dashboard.changeContact(ids[0] ?? '', { name: 'Good' });
  await soon(() => expect(rows()).toEqual(expect.arrayContaining([zoe, ids[0] ?? ''])));
  await world.stopWorker(worker);
  options.mirrors = MIRRORS;
  const next = await world.startWorker(port);
  await soon(() => expect(rows()).toEqual(expect.arrayContaining([zoe, ...ids])));
  await world.untilIdle(next.url);
  const { dead_letters, problems: left } = await world.status(next.url);
  expect([dead_letters.count, left]).toEqual([0, []]);
});
