import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type CalendarServer,
  removeFolder,
  serverFolder,
  startChild,
  untilAnswers,
} from '@slotbridge/rehearsal/demo/caldav/server';
import { ownPort } from '@slotbridge/rehearsal/demo/own-port';
import { userOf } from './postgres.ts';

const PEOPLE = ['anna', 'boris'];
const ADMINISTRATOR = 'cyrus';
const FOLDERS = ['db', 'proc', 'msg', 'socket', 'lock', 'log', 'user', 'quota', 'ptclient'].map(
  (name) => `lib/${name}`,
);

/** A mail server that also keeps calendars. Who has a mailbox has a home for calendars. */
export async function startCyrus(): Promise<CalendarServer> {
  const folder = serverFolder('cyrus');
  const [web, imap] = [await ownPort(), await ownPort()];
  for (const each of [...FOLDERS, 'spool', 'run', 'sieve'])
    mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, 'imapd.conf'), settings(folder));
  writeFileSync(join(folder, 'cyrus.conf'), services(folder, { web, imap }));
  for (const user of [...PEOPLE, ADMINISTRATOR]) await setPassword(folder, user);
  ownAll(folder);
  const files = ['-C', join(folder, 'imapd.conf'), '-M', join(folder, 'cyrus.conf')];
  const child = startChild(['/usr/lib/cyrus/bin/master', ...files, '-p', join(folder, 'run/pid'), '-D'], {
    log: join(folder, 'cyrus.log'),
  });
  const url = `http://127.0.0.1:${web}/`;
  await untilAnswers(url);
  await makeMailboxes(imap);
  const account = (user: string) => ({
    ...{ user, password: 'secret' },
    home: `${url}dav/calendars/user/${user}/`,
  });
  return {
    name: 'cyrus',
    url,
    accounts: [account('anna'), account('boris')],
    async stop() {
      await child.stop();
      removeFolder(folder);
    },
  };
}

async function setPassword(folder: string, user: string): Promise<void> {
  const running = promisify(execFile)('saslpasswd2', [
    ...['-p', '-c', '-f', join(folder, 'passwords')],
    ...['-u', 'localhost', user],
  ]);
  running.child.stdin?.end('secret\n');
  await running;
}

function ownAll(folder: string): void {
  const { uid, gid } = userOf(ADMINISTRATOR);
  chownSync(folder, uid, gid);
  for (const each of readdirSync(folder, { recursive: true }))
    chownSync(join(folder, String(each)), uid, gid);
}

/** The four lines of IMAP that give people a mailbox. */
async function makeMailboxes(port: number): Promise<void> {
  const lines = [
    `a login ${ADMINISTRATOR} secret`,
    ...PEOPLE.map((user, at) => `b${at} create user/${user}`),
    'z logout',
  ];
  const socket = connect(port, '127.0.0.1');
  let answers = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answers += text;
  });
  socket.write(`${lines.join('\r\n')}\r\n`);
  await new Promise((done, fail) => socket.once('close', done).once('error', fail));
  const created = answers.match(/^b\d OK/gm) ?? [];
  if (created.length !== PEOPLE.length) throw new Error(`cyrus made no mailboxes: ${answers}`);
}

function settings(folder: string): string {
  return `configdirectory: ${folder}/lib
proc_path: ${folder}/run/proc
mboxname_lockpath: ${folder}/run/lock
defaultpartition: default
partition-default: ${folder}/spool
sievedir: ${folder}/sieve
unixhierarchysep: yes
admins: ${ADMINISTRATOR}
servername: localhost
httpmodules: caldav
allowplaintext: yes
sasl_mech_list: PLAIN
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: ${folder}/passwords
`;
}

function services(folder: string, ports: { readonly web: number; readonly imap: number }): string {
  const conf = `-C ${folder}/imapd.conf`;
  return `START {
  recover cmd="/usr/lib/cyrus/bin/ctl_cyrusdb ${conf} -r"
}
SERVICES {
  imap cmd="imapd ${conf}" listen="127.0.0.1:${ports.imap}" prefork=0
  http cmd="httpd ${conf}" listen="127.0.0.1:${ports.web}" prefork=2
}
EVENTS {
}
`;
}
