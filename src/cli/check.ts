import type { Command } from 'commander';
import { warnOfBookings } from '../config/bookings/warnings.ts';
import type { Config } from '../config/config.ts';
import type { LiveReport } from '../domain/live-finding.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';
import { formatLiveReport } from './live-report.ts';

/** `slotbridge check`: validates the YAML. It calls no remote side, except with `--live`. */
export function addCheck(
  program: Command,
  parts: {
    readonly io: Console;
    readonly checks: LoadChecks;
    /** Throws for a secret file that `start` would refuse. */
    readonly checkSecrets: (config: Config) => Promise<void>;
    readonly checkLive: (config: Config) => Promise<LiveReport>;
    /** Called when something cannot work. */
    readonly onBroken: () => void;
  },
): void {
  const { io, checks } = parts;
  program
    .command('check')
    .description('list every error in the YAML, with its line and how to fix it')
    .option(...CONFIG_OPTION)
    .option('--live', 'also ask the platform and Google whether the mapping can work')
    .option('--json', 'print the configuration as JSON with secrets masked; with --live also the findings')
    .action(async (options: { config: string; json?: boolean; live?: boolean }) => {
      const config = await readConfig(options.config, { env: io.env, checks });
      await parts.checkSecrets(config);
      const { summarizeConfig } = await import('../config/summary.ts');
      const summary = summarizeConfig(config);
      const live = options.live === true ? await parts.checkLive(config) : undefined;
      if (live?.ok === false) parts.onBroken();
      const { openSecretFiles } = await import('../config/secret-files.ts');
      const open = openSecretFiles(config).map(
        (path) => `other users of this machine may read ${path}: run chmod 600 on it`,
      );
      const { warnOfCarry } = await import('../config/mirrors/carry.ts');
      const warnings = [...warnOfBookings(config.bookings), ...warnOfCarry(config.mirrors), ...open];
      if (options.json === true) {
        const told = warnings.length === 0 ? summary : { ...summary, warnings };
        io.stdout.write(`${JSON.stringify(live === undefined ? told : { ...told, live })}\n`);
        return;
      }
      const { mirrors, platform, redis } = summary;
      io.stdout.write(`${options.config} is valid.\n`);
      io.stdout.write(
        `  platform   ${platform.baseUrl}, webhook secrets ${platform.webhook.secrets}, file ${platform.webhook.secretFile}\n`,
      );
      io.stdout.write(
        `  redis      ${redis.url === 'private' ? `private, in ${redis.dataDir}` : redis.url}\n`,
      );
      io.stdout.write(
        `  mirrors    ${mirrors.total}: ${mirrors.calendars} calendars, ${mirrors.tabs} tabs in ${mirrors.spreadsheets} spreadsheets\n`,
      );
      for (const warning of warnings) io.stdout.write(`  warning    ${warning}\n`);
      if (live !== undefined) io.stdout.write(formatLiveReport(live));
    });
}
