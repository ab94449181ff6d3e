import type { Company } from '@slotbridge/sandbox/platform/company';
import type { Random } from '@slotbridge/sandbox/platform/random';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
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
