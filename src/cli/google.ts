import type { Command } from 'commander';
import type { Config } from '../mapping/config.ts';
import { type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';
import { type InviteParts, inviteCommand, readAddress } from './google-invite.ts';
import { type OperatorOptions, operatorCommand, say } from './operator-command.ts';

export interface GoogleWiring {
  /** Reads the client file and waits on loopback for the browser. Stores nothing yet. */
  readonly beginLogin: (clientFile: string) => Promise<StartedLogin>;
  /** Throws when the file cannot store a sign-in, or contains something else. */
  readonly assertCredentialFileIsFree: (file: string) => Promise<void>;
}

export interface StartedLogin {
  readonly address: string;
  readonly port: number;
  /** Writes the sign-in into the file, readable by its owner only, once the person has agreed. */
  keepIn(file: string): Promise<void>;
}

/** `slotbridge google login`, `slotbridge google invite` and `slotbridge google forget`. */
export function addGoogle(
  program: Command,
  parts: {
    readonly io: Console;
    readonly wiring: GoogleWiring;
    readonly invite: Omit<InviteParts & ForgetConsentParts, 'io'>;
  },
): void {
  const { io, wiring, invite } = parts;
  const google = program.command('google').description("set up the worker's access to Google");
  google
    .command('login')
    .description('sign a person in to Google, and save the sign-in for the worker')
    .requiredOption('--client <file>', 'JSON file of an OAuth client of type "Desktop app"')
    .option('--out <file>', 'file for the sign-in', './data/google-user.json')
    .action((options: { client: string; out: string }) => login(options, { io, wiring }));
  inviteCommand(google, { io, ...invite });
  forgetConsentCommand(google, { io, ...invite });
}

async function login(
  { client, out }: { readonly client: string; readonly out: string },
  { io, wiring }: { readonly io: Console; readonly wiring: GoogleWiring },
): Promise<void> {
  // Check this first, so that nobody goes through the consent page in vain.
  await wiring.assertCredentialFileIsFree(out);
  const { address, port, keepIn } = await wiring.beginLogin(client);
  io.stdout.write(`Open this address in a browser, sign in and consent:\n\n  ${address}\n\n`);
  io.stdout.write(
    `The browser must reach this machine. If it runs on another machine, first run: ssh -L ${port}:127.0.0.1:${port} <this machine>\n`,
  );
  await keepIn(out);
  io.stdout.write(`\nThe sign-in is saved in ${out}. Set google.credentials in the YAML to this path.\n`);
  io.stdout.write('A running worker that uses this file picks it up automatically.\n');
  io.stdout.write(
    'Note: while the consent screen is in "Testing", Google ends every sign-in after seven days. Publish it ("In production"), or make it "Internal".\n',
  );
}

interface ForgetConsentParts {
  readonly io: Console;
  readonly checks: LoadChecks;
  readonly openRemoval: (config: Config) => Promise<ConsentRemoval>;
}

interface ConsentRemoval {
  forget(address: string): Promise<Forgotten>;
  close(): Promise<void>;
}

interface Forgotten {
  readonly address: string;
  readonly removed: readonly { readonly account: string; readonly revoked: boolean }[];
  readonly links: number;
  readonly unreadable: readonly string[];
  readonly named: readonly string[];
}

/** `slotbridge google forget`. */
function forgetConsentCommand(google: Command, { io, checks, openRemoval }: ForgetConsentParts): void {
  operatorCommand(google.command('forget'))
    .description("revoke a person's consent at Google, and remove it")
    .argument('<address>', 'e-mail address of the person')
    .action(async (address: string, options: OperatorOptions) => {
      const person = readAddress(address);
      const config = await readConfig(options.config, { env: io.env, checks });
      const session = await openRemoval(config);
      try {
        const forgotten = await session.forget(person);
        say(io, options, { text: textOf(forgotten), json: forgotten });
      } finally {
        await session.close();
      }
    });
}

function textOf({ address, removed, links, unreadable, named }: Forgotten): string {
  const lines = removed.map(({ account, revoked }) =>
    revoked
      ? `The consent for ${account} is revoked at Google and removed.`
      : `The consent for ${account} is removed. Google no longer knew it, or it could not be read: ${address} can check at https://myaccount.google.com/connections`,
  );
  if (removed.length === 0) lines.push(`No consent of ${address} is stored.`);
  if (links > 0) lines.push(`Links that were sent and no longer work: ${links}.`);
  if (unreadable.length > 0)
    lines.push(
      `Nobody knows whose consent is stored for ${unreadable.join(', ')}: no key in google.consent.keys opens it, or an earlier version stored it.`,
    );
  if (named.length > 0)
    lines.push(
      `The YAML still names ${address} at ${named.join(', ')}. Its calendars wait for a new consent.`,
    );
  return lines.join('\n');
}
