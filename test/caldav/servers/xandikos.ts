import { join } from 'node:path';
import {
  type CalendarServer,
  removeFolder,
  serverFolder,
  startChild,
  untilAnswers,
} from '@slotbridge/rehearsal/demo/caldav/server';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';

/** One person. The server asks for no password. */
export async function startXandikos(): Promise<CalendarServer> {
  const port = await ownPort();
  const folder = serverFolder('xandikos');
  const data = ['-d', join(folder, 'data'), '--defaults'];
  const child = startChild(['xandikos', ...data, '-l', '127.0.0.1', '-p', String(port)], {
    log: join(folder, 'xandikos.log'),
  });
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswers(url);
  return {
    name: 'xandikos',
    url,
    accounts: [{ user: 'user', password: 'any', home: `${url}user/calendars/` }],
    async stop() {
      await child.stop();
      removeFolder(folder);
    },
  };
}
