// The vocabulary of a chaos plan: plain data, so that a plan can be kept in a file, read by people, and made smaller.
import type { SilentSwitches } from '@slotbridge/sandbox/platform/options';

export const PEOPLE = ['anna', 'boris', 'vera'] as const;
export type Person = (typeof PEOPLE)[number];
/** Her calendar is on a CalDAV server; only where the plan has one. */
export const GALINA = 'galina';
export type Anybody = Person | typeof GALINA;

/** Where events can stand: `home` is a calendar of somebody's own that the worker never sees. */
export type Place = Person | 'room' | 'team' | 'home';

/** Which of its events is meant, where it is not the one of the person. */
export interface InOther {
  readonly inRoom?: boolean;
  readonly inTeam?: boolean;
}

/** A call of the worker that an act waits for: the act is done right before the call is performed. */
export type Moment =
  | ('calendar-read' | 'calendar-write' | 'sheet-read' | 'sheet-write' | 'platform-write')
  | ('caldav-read' | 'caldav-write');

export const MIRROR_TABS = ['Visits', 'Contacts'] as const;
export type MirrorTab = (typeof MIRROR_TABS)[number];
export type TabName = MirrorTab | 'Intake';

/**
 * What is done. `as` names something new, `who` something that an earlier act named: the act is skipped when that does not exist, so a
 * plan stays a plan when acts are taken out of it. A `slot` is an hour that no other act of the plan uses.
 */
export type Deed =
  // On the platform.
  | {
      readonly do: 'book';
      readonly as: string;
      readonly slot: number;
      readonly service: 'haircut' | 'massage';
      readonly with: Anybody;
    }
  | { readonly do: 'reschedule'; readonly who: string; readonly slot: number; readonly with?: Anybody }
  | { readonly do: 'cancel'; readonly who: string }
  | { readonly do: 'contact'; readonly as: string }
  | { readonly do: 'rename-contact'; readonly who: string; readonly to: string }
  | { readonly do: 'merge-contacts'; readonly who: string; readonly into: string }
  | { readonly do: 'delete-contact'; readonly who: string }
  // Hands in the calendars.
  | ({ readonly do: 'drag'; readonly who: string; readonly slot: number } & InOther)
  | ({ readonly do: 'hand-over'; readonly who: string; readonly to: Place } & InOther)
  | { readonly do: 'copy-event'; readonly who: string }
  | ({ readonly do: 'delete-event'; readonly who: string } & InOther)
  | { readonly do: 'restore-event'; readonly who: string }
  | { readonly do: 'retitle'; readonly who: string; readonly inTeam?: boolean }
  | { readonly do: 'all-day'; readonly who: string; readonly inTeam?: boolean }
  | {
      readonly do: 'recolour';
      readonly who: string;
      readonly color: string;
      readonly inTeam?: boolean;
    }
  | {
      readonly do: 'remind';
      readonly who: string;
      readonly minutes: number;
      readonly inTeam?: boolean;
    }
  | { readonly do: 'own-event'; readonly as: string; readonly in: Person; readonly slot: number }
  | {
      readonly do: 'drop';
      readonly as: string;
      readonly in: Person;
      readonly slot: number;
      readonly onto?: string;
    }
  | {
      readonly do: 'invite';
      readonly as: string;
      readonly in: Person;
      readonly slot: number;
      readonly asBooking: boolean;
      readonly editable: boolean;
      readonly phoneOf?: string;
    }
  | { readonly do: 'unshare-calendar'; readonly in: Exclude<Place, 'home'> }
  | { readonly do: 'share-calendar'; readonly in: Exclude<Place, 'home'> }
  // What Galina does on her phone.
  | { readonly do: 'phone-drag'; readonly who: string; readonly slot: number }
  | { readonly do: 'phone-delete'; readonly who: string }
  | { readonly do: 'phone-retitle'; readonly who: string }
  | { readonly do: 'phone-recolour'; readonly who: string }
  | { readonly do: 'phone-remind'; readonly who: string; readonly minutes: number }
  | { readonly do: 'phone-copy'; readonly who: string }
  | { readonly do: 'phone-own'; readonly as: string; readonly slot: number }
  // Hands in the spreadsheet.
  | {
      readonly do: 'type-row';
      readonly as: string;
      readonly slot: number;
      readonly with: Person;
      readonly ready: boolean;
      readonly onto?: string;
    }
  /** Many at once, all of them ready. */
  | { readonly do: 'paste-rows'; readonly rows: readonly PastedRow[] }
  | { readonly do: 'tick-ready'; readonly who: string }
  | { readonly do: 'tick-cancel'; readonly who: string }
  | { readonly do: 'change-start'; readonly who: string; readonly slot: number }
  | { readonly do: 'change-person'; readonly who: string; readonly with: Person }
  | { readonly do: 'empty-id'; readonly who: string }
  | { readonly do: 'copy-row'; readonly who: string }
  | {
      readonly do: 'type-over';
      readonly who: string;
      readonly as: string;
      readonly slot: number;
      readonly which: 'upper' | 'lower';
    }
  | { readonly do: 'delete-row'; readonly who: string }
  | { readonly do: 'sort'; readonly tab: TabName; readonly column: string; readonly descending: boolean }
  | { readonly do: 'insert-row'; readonly tab: TabName; readonly row: number }
  | { readonly do: 'delete-line'; readonly tab: MirrorTab; readonly nth: number }
  | { readonly do: 'overtype'; readonly tab: MirrorTab; readonly nth: number }
  | { readonly do: 'note'; readonly who: string; readonly word: string }
  // The same in tabs that carry changes back to the platform.
  | { readonly do: 'type-appointment'; readonly who: string; readonly slot: number }
  | { readonly do: 'tick-appointment'; readonly who: string }
  | { readonly do: 'type-name'; readonly who: string; readonly to: string }
  | {
      readonly do: 'sort-column';
      readonly tab: MirrorTab;
      readonly column: string;
      readonly descending: boolean;
    }
  | { readonly do: 'fill-down'; readonly tab: MirrorTab; readonly nth: number; readonly over: number }
  | { readonly do: 'cut'; readonly tab: MirrorTab; readonly nth: number; readonly to: number }
  | { readonly do: 'rename-header'; readonly tab: TabName; readonly column: string }
  | { readonly do: 'header-back'; readonly tab: TabName; readonly column: string }
  | { readonly do: 'unshare-sheet' }
  | { readonly do: 'share-sheet' }
  // Faults of the two sides.
  | {
      readonly do: 'fault';
      readonly side: Side;
      readonly fault: FaultName;
      readonly share: number;
      readonly times: number;
      readonly ms: number;
      readonly on?: Moment;
    }
  | { readonly do: 'lift'; readonly side: Side }
  | {
      readonly do: 'deliveries';
      readonly lose: number;
      readonly double: number;
      readonly delayMs: number;
      readonly hold?: boolean;
    }
  | { readonly do: 'release-deliveries' }
  | { readonly do: 'endpoint-off' }
  | { readonly do: 'expire-sync'; readonly in: Exclude<Place, 'home'> }
  | { readonly do: 'revoke-tokens' }
  | { readonly do: 'revoke-grants' }
  | { readonly do: 'restore-grants' }
  | { readonly do: 'tighten-quotas'; readonly of: 'google' | 'platform' }
  | { readonly do: 'loosen-quotas' }
  // Machines. `worker` counts from 0.
  | { readonly do: 'restart'; readonly worker: number; readonly downMs: number }
  | { readonly do: 'kill'; readonly worker: number; readonly downMs: number }
  | { readonly do: 'freeze'; readonly worker: number; readonly ms: number }
  /** The worker's wall clock is ahead by so much, or behind if negative, and then set right. */
  | {
      readonly do: 'set-clock';
      readonly worker: number;
      readonly aheadMs: number;
      readonly forMs: number;
    }
  /** The worker's wall clock is set to a moment before the lists are due, and its process stands still until they were. */
  | { readonly do: 'freeze-over-due'; readonly worker: number; readonly ms: number }
  | { readonly do: 'redis-kill'; readonly loseBytes: number; readonly downMs: number }
  | { readonly do: 'redis-wipe' }
  | { readonly do: 'redis-full'; readonly ms: number }
  | { readonly do: 'redis-freeze'; readonly ms: number }
  /** Nothing passes between one worker and Redis, and no connection is closed. `isLost`: those of then never work again. */
  | { readonly do: 'cut-off'; readonly worker: number; readonly ms: number; readonly isLost: boolean };

export interface PastedRow {
  readonly as: string;
  readonly slot: number;
  readonly with: Person;
}

export type Side = 'google' | 'platform' | 'caldav';

export const FAULTS = {
  google: [
    ...(['503', '500', 'reset', 'hang', 'delay', 'commit-then-reset', 'commit-then-500'] as const),
    ...([
      'user-rate-limit',
      'too-many',
      'sheets-too-many',
      'expired-token',
      'full-sync',
      'conflict',
    ] as const),
  ],
  platform: ['503', '500', 'reset', 'hang', 'delay', 'commit-then-reset', 'commit-then-500', '429'],
  caldav: ['503', '500', 'reset', 'hang', 'delay', 'commit-then-reset', 'commit-then-500'],
} as const;
export type FaultName = (typeof FAULTS)[Side][number];

/** When it is done, milliseconds after the worker came to rest for the first time; below 0: before it is started. */
export type Act = Deed & { readonly at: number; readonly before?: Moment };

/** What an act makes: the names of new things, and the hours that it uses. */
export function madeBy(act: Act): { readonly names: readonly string[]; readonly slots: readonly number[] } {
  const rows = act.do === 'paste-rows' ? act.rows : [act];
  return {
    names: rows.flatMap((each) => ('as' in each ? [each.as] : [])),
    slots: rows.flatMap((each) => ('slot' in each ? [each.slot] : [])),
  };
}

/** How the worker is set up. */
export interface Settings {
  readonly workers: 1 | 2;
  readonly redis: 'private' | 'shared';
  /** Each of two workers has a proxy of its own before the shared Redis, which cuts it off in silence. */
  readonly cuts?: boolean;
  readonly edits: {
    readonly moved: 'reschedule' | 'revert';
    readonly deleted: 'cancel' | 'restore';
    readonly conflict: 'platform' | 'staff' | 'latest';
    readonly graceS: number;
  };
  /** A calendar of a team beside those of the resources. Absent: there is none. */
  readonly team?: {
    readonly by: 'all' | 'branch' | 'service';
    /** Whether it is a mirror of its own, or lines of the staff's mirror. */
    readonly isOwn: boolean;
    readonly isBusy: boolean;
    /** In a mirror of its own. */
    readonly moved: 'reschedule' | 'revert';
  };
  /** Whether the mirrored tabs carry what the office changes in them. */
  readonly carries?: boolean;
  /** Whether there is Galina, whose calendar is on a CalDAV server. */
  readonly caldav?: boolean;
  readonly notify: boolean;
  readonly google: {
    readonly reviveAnswers403?: boolean;
    readonly tombstonesMinimal?: boolean;
    readonly emptyPages?: boolean;
  };
  readonly platform: Partial<
    Pick<SilentSwitches, 'timestamps' | 'updatedAt' | 'feedTies' | 'feedWhileDisabled'>
  >;
}

export interface Plan {
  readonly seed: number;
  /** How long acts go on. */
  readonly spanMs: number;
  readonly settings: Settings;
  readonly acts: readonly Act[];
}
