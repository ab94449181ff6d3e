import type { BlockRule } from '../engine/block.ts';
import type { Feed } from '../engine/feed.ts';
import type { Mirror } from '../engine/mirror.ts';
import type { BookingSource } from '../engine/outside-booking.ts';
import type { KindSettings } from './calendar-kinds.ts';
import type { ConfigLines } from './problem.ts';
import type { toAlerts } from './schema/alerts.ts';
import type { toConsole } from './schema/console.ts';
import type { toGoogle } from './schema/google.ts';
import type { toPlatform } from './schema/platform.ts';
import type { toPrivacy } from './schema/privacy.ts';
import type { toRedis } from './schema/redis.ts';
import type { WrittenConfig } from './schema/root.ts';
import type { toHttp, toWorker } from './schema/worker.ts';

type Fixed<T> = T extends object ? { readonly [Key in keyof T]: Fixed<T[Key]> } : T;
type Made<To extends (...written: never) => unknown> = Fixed<ReturnType<To>>;

/**
 * The operator's settings, checked, with every default filled in. Times are milliseconds, sizes are bytes. The sections in `schema/`
 * document each setting and its values.
 */
export interface Config extends Fixed<KindSettings> {
  readonly platform: Made<typeof toPlatform>;
  readonly google: Made<typeof toGoogle>;
  readonly redis: Made<typeof toRedis>;
  readonly http: Made<typeof toHttp>;
  readonly worker: Made<typeof toWorker>;
  readonly log: Fixed<WrittenConfig['log']>;
  readonly alerts: Made<typeof toAlerts>;
  readonly console: Made<typeof toConsole>;
  readonly privacy: Made<typeof toPrivacy>;
  /** At least one, in the order of the file. */
  readonly mirrors: readonly Mirror[];
  /** Where people book outside, in the order of the file. If two entries match an event, the first one takes it. */
  readonly bookings: readonly BookingSource[];
  /** In the order of the file. */
  readonly feeds: readonly Feed[];
  /** Rules that keep the time of private events unbookable, in the order of the file. */
  readonly blocks: readonly BlockRule[];
  /** Absent for settings that no file has. */
  readonly lines?: ConfigLines;
}

export type Language = Config['worker']['language'];
export type ConsoleConfig = Config['console'];
export type OidcConfig = NonNullable<ConsoleConfig['oidc']>;
