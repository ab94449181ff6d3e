import { classOf, showsClass } from '../calendar/class-target.ts';
import { classIdOf } from '../engine/class-slot.ts';
import { type Directory, filtersByCustomer, type Mirror, NO_DIRECTORY } from '../engine/mirror.ts';
import { type EntityKey, formatKey } from '../engine/object.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Claim } from '../engine/work.ts';
import type { Config, Language } from '../mapping/config.ts';
import type { CustomerOf } from '../mapping/filter-lines.ts';
import { resolveCalendars } from '../mapping/route.ts';
import type { Opinion } from '../mapping/shown-kind.ts';
import { placesOf } from '../sheet/tab-survey.ts';
import { WHY } from './codes/codes.ts';
import type { ExplainParts, MirrorOpinion } from './explain.ts';
import { opinionOf } from './why.ts';

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
    async opinions(claim: Claim, language: Language) {
      if (isHidden(claim)) return config.mirrors.flatMap(hiddenFrom(claim, language));
      const hasNames = claim.key.kind === 'appointment' || claim.key.kind === 'class';
      const lists = hasNames ? await directory() : NO_DIRECTORY;
      const isAsked = filtersByCustomer(config.mirrors) && hasNames;
      const customer =
        isAsked && claim.snapshot ? await customerOf(claim.snapshot).catch(() => undefined) : undefined;
      const around = { config, directory: lists, nowMs: clock.now(), language };
      return opinionsOf({ ...claim, customer }, around);
    },
  };
}

/** The opinion of every mirror that would take the kind. */
function hiddenFrom({ key }: Claim, language: Language) {
  const because = WHY[language].blocked;
  return ({ name: mirror, from }: Config['mirrors'][number]) =>
    from === key.kind ? [{ mirror, taken: false, rule: 'blocks', because }] : [];
}

interface Parts {
  readonly config: Config;
  readonly directory: Directory;
  readonly nowMs: number;
  readonly language: Language;
}

/** What every mirror of the object's kind says about it, by the mapping that is in the file now. */
function opinionsOf(claim: Claim, parts: Parts): readonly MirrorOpinion[] {
  const isClass = claim.key.kind === 'class';
  return parts.config.mirrors
    .filter(({ from, kind }) => (isClass ? kind === 'calendar' : from === claim.key.kind))
    .map((mirror) => ({
      mirror: mirror.name,
      ...(isClass ? ofClass(mirror, claim, parts) : ofObject(mirror, claim, parts)),
    }));
}

function ofObject(mirror: Mirror, claim: Claim, { directory, nowMs, language }: Parts): Opinion {
  const around = { directory, nowMs, words: WHY[language] };
  if (mirror.kind !== 'calendar') return opinionOf(mirror, claim, { ...around, resolved: new Map() });
  const { resolved } = resolveCalendars(mirror, directory);
  const opinion = opinionOf(mirror, claim, { ...around, resolved });
  const slot = opinion.taken ? classOf([mirror.classes], claim, directory) : undefined;
  if (slot === undefined) return opinion;
  const because = WHY[language].inClass(classIdOf(slot));
  return { taken: true, rule: `mirrors.${mirror.name}.classes.services`, because };
}

function ofClass(mirror: Mirror, claim: Claim, { directory, language }: Parts): Opinion {
  const taken = mirror.kind === 'calendar' && showsClass(mirror, claim, { current: () => directory });
  const because = WHY[language].shownAsClass(taken);
  return { taken, rule: `mirrors.${mirror.name}.classes`, because };
}
