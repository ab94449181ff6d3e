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
  const google = program.command('google').description("the worker's access to Google");
  google
    .command('login')
    .description('sign a person in at Google, and keep that for the worker')
    .requiredOption('--client <file>', 'JSON of an OAuth client of the type "Desktop app"')
    .option('--out <file>', 'where to keep the sign-in', './data/google-user.json')
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
  io.stdout.write(`Open this address in a browser, sign in and agree:\n\n  ${address}\n\n`);
  io.stdout.write(
    `The browser has to reach this machine. If it runs on another one, first: ssh -L ${port}:127.0.0.1:${port} <this machine>\n`,
  );
  await keepIn(out);
  io.stdout.write(`\nThe sign-in is kept in ${out}. Let google.credentials of the YAML name it.\n`);
  io.stdout.write('A worker that uses this file already takes it up by itself.\n');
  io.stdout.write(
    'Mind: while the consent screen is in "Testing", Google ends every sign-in after seven days. Publish it ("In production"), or make it "Internal".\n',
  );
}
