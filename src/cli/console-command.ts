import type { Command } from 'commander';
import { TerminalError } from '../engine/errors.ts';
import { type Act, type ActLog, ROLES } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import type { ConsoleAccess } from '../operate/console-access.ts';
import { reachableHost } from '../operate/known-hosts.ts';
import {
  inSession,
  noteCommand,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
  userOf,
  WHO_CHARS_MAX,
} from './operator-command.ts';
import { UsageError } from './usage-error.ts';
import { wholeNumberOption } from './whole-number.ts';

export interface ConsoleCommandSession {
  readonly consoleAccess: ConsoleAccess;
  readonly acts: ActLog;
  close(): Promise<void>;
}

type Parts = OperatorParts<ConsoleCommandSession> & { readonly clock: Clock };

/** How long a link stays valid until a person uses it. */
const LINK_FOR_MS = 10 * 60_000;

/** `slotbridge console login`, `slotbridge console revoke`. */
export function addConsole(program: Command, parts: Parts): void {
  const console = program.command('console').description('control who can use the web console');
  operatorCommand(console.command('login').description('print a link that signs one person in once'))
    .requiredOption('--as <role>', `role of that person: ${ROLES.join(', ')}`)
    .option('--who <name>', 'name of that person in the audit log')
    .action((options: LoginOptions) => login(parts, options));
  operatorCommand(console.command('revoke').description('sign people out, and invalidate unused links'))
    .option('--who <name>', 'only this person (default: everybody)')
    .action((options: OperatorOptions & { readonly who?: string }) => revoke(parts, options));
}

type LoginOptions = OperatorOptions & { readonly as: string; readonly who?: string };

async function login(parts: Parts, options: LoginOptions): Promise<void> {
  const role = ROLES.find((each) => each === options.as);
  if (role === undefined) {
    throw new UsageError('role-unknown', 'unknown role', {
      advice: `Give one of ${ROLES.join(', ')}.`,
    });
  }
  const who = nameOf(options.who ?? userOf(parts.io.env) ?? role);
  await inSession(parts, options, async ({ consoleAccess, acts }, config) => {
    const address = addressOf(config);
    const code = await consoleAccess.offer({ role, who }, LINK_FOR_MS);
    const nowMs = parts.clock.now();
    await acts.note({
      ...{ id: `link-${nowMs}-${role}`, atMs: nowMs, role, who, what: 'link-made', why: '', about: {} },
    });
    const link = `${address}/console/sign-in#${code}`;
    const until = new Date(nowMs + LINK_FOR_MS).toISOString();
    const text = `${link}\nThe link signs ${who} in as ${role}, once, until ${until}. Anybody who has the link can use it.`;
    say(parts.io, options, { text, json: { link, role, who, until } });
  });
}

function nameOf(who: string): string {
  const name = who.trim();
  if (name !== '' && name.length <= WHO_CHARS_MAX) return name;
  throw new UsageError('who-unclear', `--who must have 1 to ${WHO_CHARS_MAX} characters`, {
    advice: 'Give the name that the audit log will show, such as anna.',
  });
}

function addressOf({ console, http }: Config): string {
  if (!console.isEnabled) {
    throw new TerminalError('console-off', 'the console is switched off', {
      target: 'mapping',
      advice: 'Set console.enabled: true and restart the worker.',
    });
  }
  if (console.address !== undefined) return console.address;
  if (http.port === 0) {
    throw new TerminalError(
      'console-address-unknown',
      "http.port is 0, so the command does not know the worker's port",
      {
        target: 'mapping',
        advice: 'Set http.port, or set console.address to the address at which people reach the worker.',
      },
    );
  }
  return `http://${reachableHost(http.host)}:${http.port}`;
}

async function revoke(parts: Parts, options: OperatorOptions & { readonly who?: string }): Promise<void> {
  await inSession(parts, options, async ({ consoleAccess, acts }) => {
    const ended = await consoleAccess.revoke(options.who);
    const about = options.who === undefined ? {} : { person: options.who };
    const what = 'access-revoked';
    if (ended > 0) await noteCommand(parts, acts, { what, about, chosen: ended, done: ended });
    const text = ended === 1 ? '1 session or link has ended.' : `${ended} sessions and links have ended.`;
    say(parts.io, options, { text, json: { ended } });
  });
}

interface ActsSession {
  readonly acts: ActLog;
  close(): Promise<void>;
}

/** `slotbridge acts`: who did what, when and why. */
export function addActs(program: Command, parts: OperatorParts<ActsSession>): void {
  operatorCommand(
    program
      .command('acts')
      .description('show who did what in the web console or by a command, when and why, newest first'),
  )
    .option('--limit <number>', 'most entries to print', wholeNumberOption, 50)
    .action((options: OperatorOptions & { readonly limit: number }) =>
      inSession(parts, options, async ({ acts }) => {
        const newest = await acts.newest(Math.max(1, options.limit));
        const text = newest.length === 0 ? 'No acts yet.' : newest.map(formatAct).join('\n');
        say(parts.io, options, { text, json: { acts: newest } });
      }),
    );
}

function formatAct({ atMs, who, role, what, why, about, chosen, done }: Act): string {
  const filter = Object.entries(about).map(([name, value]) => `${name} ${value}`);
  const count =
    chosen === undefined
      ? []
      : [done === undefined ? `${chosen} chosen, not finished` : `${done} of ${chosen}`];
  const told = [what, ...count, ...filter].join(', ');
  return `${new Date(atMs).toISOString()}  ${who} (${role})  ${told}${why === '' ? '' : `: ${why}`}`;
}
