import { isHiddenBy } from '../blocks/hidden.ts';
import type { Config } from '../config/config.ts';
import { type Directory, NO_DIRECTORY } from '../domain/directory.ts';
import { type EntityKey, formatKey } from '../domain/entity.ts';
import { asksForCustomers } from '../domain/mirror.ts';
import type { Claim } from '../domain/work.ts';
import { createCustomers } from '../mirrors/filter/customers.ts';
import { placesOf } from '../mirrors/sheet/tab/places.ts';
import { opinionsOf } from '../operator/opinions.ts';
import type { ExplainParts } from '../ops/explain.ts';
import type { PlatformReader } from '../ports/platform.ts';
import type { Clock } from '../ports/runtime.ts';
import type { Store } from './stores.ts';

/** What the story of an object is told from, by a command and by the console. Whoever looks stores nothing. */
export function explainParts(parts: {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  /** The platform's lists; ids stand for what they do not have. */
  readonly directory: () => Promise<Directory>;
  /** Asked for customers of whom nothing sure is known here. */
  readonly reader: Pick<PlatformReader, 'get'>;
}) {
  const { config, store, clock, directory, reader } = parts;
  const customerOf = createCustomers({ view: store.ledger, reader });
  const isHidden = isHiddenBy(config);
  return {
    ...{ view: store.ledger, history: store.history, deadLetters: store.deadLetters, clock },
    async waitingRows({ kind, id }: EntityKey) {
      const key = formatKey({ kind, id });
      const sheets = config.mirrors.filter((mirror) => mirror.kind === 'sheet' && mirror.from === kind);
      const rows = sheets
        .flatMap((mirror) => (mirror.kind === 'sheet' ? placesOf(mirror) : []))
        .map(({ name, spreadsheetId, tab }) => ({ mirror: name, spreadsheetId, tab }));
      const waits = await Promise.all(rows.map((row) => store.outbox.waits({ ...row, key })));
      return rows.filter((_, at) => waits[at]);
    },
    /** Leads, contacts and chats are taken without names of the platform's lists. */
    async opinions(claim: Claim) {
      if (isHidden(claim)) return config.mirrors.flatMap(hiddenFrom(claim));
      const hasNames = claim.key.kind === 'appointment' || claim.key.kind === 'class';
      const lists = hasNames ? await directory() : NO_DIRECTORY;
      const isAsked = asksForCustomers(config.mirrors) && hasNames;
      const customer =
        isAsked && claim.snapshot ? await customerOf(claim.snapshot).catch(() => undefined) : undefined;
      return opinionsOf({ ...claim, customer }, { config, directory: lists, nowMs: clock.now() });
    },
  } satisfies ExplainParts;
}

/** Said of every mirror that would take the kind. */
function hiddenFrom({ key }: Claim) {
  const because = 'no mirror shows blocks or the contact that they are booked for';
  return ({ name: mirror, from }: Config['mirrors'][number]) =>
    from === key.kind ? [{ mirror, taken: false, rule: 'blocks', because }] : [];
}
