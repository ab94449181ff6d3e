import type { Company } from '../../sandbox/platform/company.ts';
import type { Random } from '../../sandbox/platform/random.ts';
import type { PlatformSandbox } from '../../sandbox/platform/sandbox.ts';
import type { Api } from './api.ts';
import type { Notebook } from './notebook.ts';

/** Everything that an act of the day uses. */
export interface Cast {
  readonly platform: PlatformSandbox;
  readonly company: Company;
  readonly api: Api;
  readonly notebook: Notebook;
  readonly random: Random;
}

/** One act. It makes its changes on the platform, or gives up silently when the time is taken. */
export type Act = (cast: Cast) => Promise<void> | void;
