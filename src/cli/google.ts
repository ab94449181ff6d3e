import type { Command } from 'commander';
import type { Console } from './console.ts';
import { type InviteParts, inviteCommand } from './google-invite.ts';

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

/** `slotbridge google login` and `slotbridge google invite`. */
export function addGoogle(
  program: Command,
  parts: { readonly io: Console; readonly wiring: GoogleWiring; readonly invite: Omit<InviteParts, 'io'> },
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
