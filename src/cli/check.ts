import type { Command } from 'commander';
import type { ConfigChecks } from '../config/mirrors/check.ts';
import { summarizeConfig } from '../config/summary.ts';
import { CONFIG_OPTION, readConfig } from './config-file.ts';
import type { Console } from './console.ts';

/** `slotbridge check`: is the YAML right? Asks nobody; works without a network. */
export function addCheck(
  program: Command,
  parts: { readonly io: Console; readonly checks: ConfigChecks },
): void {
  const { io, checks } = parts;
  program
    .command('check')
    .description('say everything that is wrong with the YAML, each with its line and what to do (offline)')
    .option(...CONFIG_OPTION)
    .option('--json', 'print the masked configuration as JSON')
    .action((options: { config: string; json?: boolean }) => {
      const summary = summarizeConfig(readConfig(options.config, { env: io.env, checks }));
      if (options.json === true) {
        io.stdout.write(`${JSON.stringify(summary)}\n`);
        return;
      }
      const { mirrors, platform, redis } = summary;
      io.stdout.write(`${options.config} is in order.\n`);
      io.stdout.write(
        `  platform   ${platform.baseUrl}, webhook secrets ${platform.webhook.secrets}, file ${platform.webhook.secretFile}\n`,
      );
      io.stdout.write(
        `  redis      ${redis.url === 'private' ? `private, in ${redis.dataDir}` : redis.url}\n`,
      );
      io.stdout.write(
        `  mirrors    ${mirrors.total}: ${mirrors.calendars} calendars, ${mirrors.appointmentsToSheets + mirrors.contactsToSheets} tabs in ${mirrors.spreadsheets} spreadsheets\n`,
      );
    });
}
