// Rows of which nothing is known here, and that may stand in the tab all the same: Redis was lost (case 33).
import { afterEach, expect, it } from 'vitest';
import { contact, id, line, type Stand, startStand } from './stand.ts';

const HEADER = ['ID', 'Name', 'Phone'];
const sought = (n: number, name: string) => ({ ...contact(n, name), onlyIfThere: true as const });

let stand: Stand;
afterEach(() => stand.close());

it('writes the row where it stands, and remembers of the others that there is none', async () => {
  stand = await startStand({ tabs: [{ title: 'Contacts', values: [HEADER, line(1), line(2)] }] });
  stand.put(sought(1, 'New 1'), sought(7, 'New 7'));
  expect(await stand.flush()).toEqual({ written: 2, remaining: 0 });
  expect(stand.values()).toEqual([HEADER, line(1, 'New 1'), line(2)]);
  expect(stand.outbox.link(`contact/${id(1)}`, 'contacts')?.hash).toBe(contact(1, 'New 1').hash);
  expect(stand.outbox.link(`contact/${id(7)}`, 'contacts')).toMatchObject({ hash: 'cleared' });
});

it('writes nothing at all into a tab without it, not even a header', async () => {
  stand = await startStand();
  stand.put(sought(1, 'New 1'));
  expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
  expect(stand.values()).toEqual([]);
  expect(stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate']).toBeUndefined();
});

it('waits while the tab cannot be read', async () => {
  stand = await startStand({ tabs: [{ title: 'Contacts', values: [['Notes'], ['x']] }] });
  stand.put(sought(1, 'New 1'));
  await expect(stand.flush()).rejects.toMatchObject({ code: 'header-missing' });
  expect(await stand.waiting()).toEqual([id(1)]);
});
