import { counted } from '../engine/counts.ts';
import { TerminalError } from '../engine/errors.ts';
import type { Config } from '../mapping/config.ts';
import { ConfigError } from '../mapping/problem.ts';
import { statusVerdict } from '../operate/verdict.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';
import { askWorker } from './status.ts';

/** What `slotbridge` without a command can find. */
export type Situation =
  | { readonly state: 'no-config'; readonly file: string }
  | { readonly state: 'invalid'; readonly problems: number; readonly first: string }
  | { readonly state: 'unregistered'; readonly publicUrl: string }
  | { readonly state: 'stopped'; readonly isReachable: boolean }
  | { readonly state: 'running'; readonly isWell: boolean; readonly line: string };

/** `slotbridge` alone: prints the state of the worker and the command to run next. Changes nothing. */
export async function tellNextStep(parts: {
  readonly io: Console;
  readonly checks: LoadChecks;
  readonly hasSecret: (config: Config) => Promise<boolean>;
}): Promise<void> {
  const { lines, next } = nextStep(await look(parts));
  const text = [
    ...lines,
    '',
    'Next:',
    ...next.map((each) => `  ${each}`),
    '',
    'All commands: slotbridge --help',
  ];
  parts.io.stdout.write(`${text.join('\n')}\n`);
}

/** The first step towards a running worker that is not done yet. */
export function nextStep(situation: Situation): { lines: readonly string[]; next: readonly string[] } {
  switch (situation.state) {
    case 'no-config':
      return {
        lines: [`${situation.file} does not exist yet.`],
        next: [
          'slotbridge init       asks questions and writes it',
          'slotbridge sandbox    runs a local platform and Google, to try it without accounts',
        ],
      };
    case 'invalid':
      return {
        lines: [
          `The configuration cannot be used: ${counted(situation.problems, 'problem')}. The first:`,
          situation.first,
        ],
        next: ['slotbridge check    lists all of them, with their lines'],
      };
    case 'unregistered':
      return {
        lines: [
          'The configuration is valid.',
          `The platform does not send events to ${situation.publicUrl} yet: no webhook secret is known.`,
        ],
        next: ['slotbridge webhook register    creates the endpoint and saves its secret'],
      };
    case 'stopped':
      return {
        lines: [
          'The configuration is valid. No worker runs here.',
          ...(situation.isReachable ? [] : [NO_ADDRESS]),
        ],
        next: [
          'slotbridge check --live    asks the platform and Google whether the mapping can work',
          'slotbridge plan            shows what would change; nothing is written',
          'slotbridge start           runs the worker',
        ],
      };
    case 'running':
      return {
        lines: [`The worker runs: ${situation.line}`],
        next: situation.isWell
          ? ['slotbridge explain <what>    shows the story of an appointment, a contact, an event or a row']
          : ['slotbridge status            shows what needs a person, and what to do'],
      };
  }
}

const NO_ADDRESS =
  'platform.webhook.public_url is not set: without an endpoint on the platform the event feed stays empty.';

async function look(parts: Parameters<typeof tellNextStep>[0]): Promise<Situation> {
  const file = CONFIG_OPTION[2];
  let config: Config;
  try {
    config = await readConfig(file, { env: parts.io.env, checks: parts.checks });
  } catch (error) {
    if (error instanceof ConfigError) {
      const { problems } = error;
      return {
        state: 'invalid',
        problems: problems.length,
        first: error.format().split('\n').slice(0, 2).join('\n'),
      };
    }
    const code =
      error instanceof TerminalError ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
    if (code === 'ENOENT') return { state: 'no-config', file };
    throw error;
  }
  const report = await askWorker(config);
  if (report === 'silent') return { state: 'running', isWell: false, line: 'the worker does not answer' };
  if (report !== 'not-running') {
    const { mood, line } = statusVerdict(report);
    return { state: 'running', isWell: mood !== 'wrong', line };
  }
  const { publicUrl } = config.platform.webhook;
  if (publicUrl !== undefined && !(await parts.hasSecret(config)))
    return { state: 'unregistered', publicUrl };
  return { state: 'stopped', isReachable: publicUrl !== undefined };
}
