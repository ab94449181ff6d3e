import type { Config } from '../config/config.ts';
import { type Directory, NO_DIRECTORY } from '../domain/directory.ts';
import { type EntityKey, formatKey } from '../domain/entity.ts';
import { filtersByCustomer } from '../domain/mirror.ts';
import type { Claim } from '../domain/work.ts';
import type { CustomerOf } from '../mirrors/filter/customers.ts';
import { placesOf } from '../mirrors/sheet/tab/places.ts';
import type { ExplainParts } from '../ops/explain.ts';
import type { Outbox } from '../ports/rows.ts';
import { opinionsOf } from './opinions.ts';

/** The parts of an object's story, for the command and for the console. */
export function storyParts(
  parts: Pick<ExplainParts, 'view' | 'history' | 'deadLetters' | 'clock'> & {
    readonly config: Config;
    readonly outbox: Pick<Outbox, 'waits'>;
    /** The platform's lists; ids replace names that they do not have. */
    readonly directory: () => Promise<Directory>;
    readonly customerOf: CustomerOf;
    /** Objects that no mirror shows. */
    readonly isHidden: (claim: Claim) => boolean;
  },
): ExplainParts {
  const { view, history, deadLetters, clock, config, outbox, directory, customerOf, isHidden } = parts;
  return {
    ...{ view, history, deadLetters, clock },
    async waitingRows({ kind, id }: EntityKey) {
      const key = formatKey({ kind, id });
      const sheets = config.mirrors.filter((mirror) => mirror.kind === 'sheet' && mirror.from === kind);
      const rows = sheets
        .flatMap((mirror) => (mirror.kind === 'sheet' ? placesOf(mirror) : []))
        .map(({ name, spreadsheetId, tab }) => ({ mirror: name, spreadsheetId, tab }));
      const waits = await Promise.all(rows.map((row) => outbox.waits({ ...row, key })));
      return rows.filter((_, at) => waits[at]);
    },
    /** Leads, contacts and conversations need no names from the platform's lists. */
    async opinions(claim: Claim) {
      if (isHidden(claim)) return config.mirrors.flatMap(hiddenFrom(claim));
      const hasNames = claim.key.kind === 'appointment' || claim.key.kind === 'class';
      const lists = hasNames ? await directory() : NO_DIRECTORY;
      const isAsked = filtersByCustomer(config.mirrors) && hasNames;
      const customer =
        isAsked && claim.snapshot ? await customerOf(claim.snapshot).catch(() => undefined) : undefined;
      return opinionsOf({ ...claim, customer }, { config, directory: lists, nowMs: clock.now() });
    },
  };
}

/** The opinion of every mirror that would take the kind. */
function hiddenFrom({ key }: Claim) {
  const because = 'no mirror shows blocks, or the contact that they are booked for';
  return ({ name: mirror, from }: Config['mirrors'][number]) =>
    from === key.kind ? [{ mirror, taken: false, rule: 'blocks', because }] : [];
}
