import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CalendarServer,
  removeFolder,
  serverFolder,
  startChild,
  untilAnswers,
} from '@slotbridge/rehearsal/demo/caldav/server';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { startPostgres, userOf } from './postgres.ts';

const PEOPLE = ['anna', 'boris'];

/** A groupware server, asked directly and not through a web server. */
export async function startSogo(): Promise<CalendarServer> {
  const folder = serverFolder('sogo');
  const database = await startPostgres(folder);
  await database.sql('postgres', "create role sogo login password 'sogo'");
  await database.sql('postgres', 'create database sogo owner sogo');
  await database.sql('sogo', `set role sogo; ${PEOPLE_SQL}`);
  const home = ownFolder(folder, 'home', 'sogo');
  const socket = join(ownFolder(folder, 'cache', 'memcache'), 'socket');
  const memcached = startChild(['memcached', '-s', socket, '-a', '0777'], {
    ...userOf('memcache'),
    log: join(folder, 'cache', 'log'),
  });
  const port = await ownPort();
  const tables = `postgresql://sogo:sogo@127.0.0.1:${database.port}/sogo`;
  const sogod = startChild(['sogod', ...settings({ port, home, socket, tables })], {
    ...userOf('sogo'),
    // Asked to end, it waits half a minute for its workers.
    ...{ log: join(home, 'log'), cwd: home, env: { HOME: home }, signal: 'KILL' },
  });
  const url = `http://127.0.0.1:${port}/`;
  await untilAnswers(`${url}SOGo/dav/`);
  const account = (user: string) => ({ user, password: 'secret', home: `${url}SOGo/dav/${user}/Calendar/` });
  return {
    name: 'sogo',
    url,
    accounts: [account('anna'), account('boris')],
    async stop() {
      for (const each of [sogod, memcached, database]) await each.stop();
      removeFolder(folder);
    },
  };
}

function ownFolder(folder: string, name: string, user: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  const { uid, gid } = userOf(user);
  chownSync(path, uid, gid);
  return path;
}

const PEOPLE_SQL = `
create table people (c_uid varchar(60) primary key, c_name varchar(60), c_password varchar(60), c_cn varchar(60), mail varchar(60));
${PEOPLE.map((user) => `insert into people values ('${user}', '${user}', 'secret', '${user}', '${user}@shop.example');`).join('\n')}`;

function settings(of: {
  readonly port: number;
  readonly home: string;
  readonly socket: string;
  readonly tables: string;
}): readonly string[] {
  const people = `{type = sql; id = people; viewURL = "${of.tables}/people"; canAuthenticate = YES; isAddressBook = NO; userPasswordAlgorithm = plain;}`;
  const named = {
    WOPort: `127.0.0.1:${of.port}`,
    WOWorkersCount: '3',
    WONoDetach: 'YES',
    WOPidFile: join(of.home, 'pid'),
    WOLogFile: '-',
    SOGoTimeZone: 'UTC',
    SOGoMemcachedHost: of.socket,
    SOGoProfileURL: `${of.tables}/profile`,
    OCSFolderInfoURL: `${of.tables}/folders`,
    OCSSessionsFolderURL: `${of.tables}/sessions`,
    OCSEMailAlarmsFolderURL: `${of.tables}/alarms`,
    SOGoUserSources: `(${people})`,
  };
  return Object.entries(named).flatMap(([name, value]) => [`-${name}`, value]);
}
