import { READ_ONLY } from '@slotbridge/rehearsal/demo/caldav/radicale';
import { Requests } from '@slotbridge/rehearsal/demo/caldav/requests';
import { expect, test } from 'vitest';
import { eventText } from './event-text.ts';
import { describeOn } from './servers/describe.ts';

describeOn('radicale', (start) => {
  test('knows passwords, keeps people apart, and has calendars that can only be read', async () => {
    const server = await start();
    try {
      const [anna, boris] = server.accounts;
      const requests = new Requests(anna);
      const calendar = await requests.makeCalendar('visits');
      expect(await requests.put(`${calendar}a.ics`, eventText('a'))).toMatchObject({ status: 201 });
      const wrong = new Requests({ ...anna, password: 'wrong' });
      expect(await wrong.get(`${calendar}a.ics`)).toMatchObject({ status: 401 });
      if (boris === undefined) throw new Error('two people');
      expect(await new Requests(boris).get(`${calendar}a.ics`)).toMatchObject({ status: 403 });
      const locked = `${anna.home}${READ_ONLY}/`;
      expect(await requests.put(`${locked}a.ics`, eventText('a'))).toMatchObject({ status: 403 });
      expect(await requests.list(calendar)).toEqual([`${calendar}a.ics`]);
      expect(await requests.list(locked)).toEqual([]);
    } finally {
      await server.stop();
    }
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });
});
