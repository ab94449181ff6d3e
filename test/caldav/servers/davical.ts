import { join } from 'node:path';
import {
  type CalendarServer,
  removeFolder,
  serverFolder,
  startChild,
  untilAnswers,
} from '@slotbridge/rehearsal/demo/caldav/server';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { startPostgres } from './postgres.ts';

const CODE = '/usr/share/davical';
const PEOPLE = ['anna', 'boris'];

/** PHP's own server takes several requests at once, as a web server would. */
export async function startDavical(): Promise<CalendarServer> {
  const folder = serverFolder('davical');
  const database = await startPostgres(folder);
  await database.run(`${CODE}/dba/create-database.sh`, ['davical', 'administrator']);
  await database.sql('davical', PEOPLE.map(personSql).join('\n'));
  const port = await ownPort();
  const include = ['-d', 'display_errors=0', '-d', 'include_path=.:/usr/share/awl/inc'];
  const serve = ['-S', `127.0.0.1:${port}`, '-t', `${CODE}/htdocs`];
  const php = startChild(['php', ...include, ...serve], {
    log: join(folder, 'php.log'),
    env: { ...database.env, PHP_CLI_SERVER_WORKERS: '4' },
  });
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswers(`${url}caldav.php/`);
  const account = (user: string) => ({ user, password: 'secret', home: `${url}caldav.php/${user}/` });
  return {
    name: 'davical',
    url,
    accounts: [account('anna'), account('boris')],
    async stop() {
      await php.stop();
      await database.stop();
      removeFolder(folder);
    },
  };
}

/** Two stars: the password as it is. */
function personSql(user: string): string {
  return `
insert into usr (username, password, fullname, email, active) values ('${user}', '**secret', '${user}', '${user}@shop.example', true);
insert into principal (type_id, user_no, displayname, default_privileges)
  select 1, user_no, fullname, 0::bit(24) from usr where username = '${user}';`;
}
