import { consolePlugin } from '../console/plugin.ts';
import type { StatusSource } from '../ops/status.ts';
import type { Core } from './core.ts';

/** The web console over the stores of a worker; none when it is switched off. */
export function consolePlugins(
  core: Core,
  about: { readonly status: StatusSource; readonly version: string },
) {
  const { config, store, clock, log } = core;
  if (!config.console.isEnabled) return [];
  return [
    consolePlugin({
      ...{ settings: config.console, hosts: config.http.hosts, language: config.worker.language },
      ...{ access: store.consoleAccess, acts: store.acts, clock, log },
      ...about,
    }),
  ];
}
