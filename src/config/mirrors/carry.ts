import type { Mirror } from '../../domain/mirror.ts';
import { CARRIED_FIELDS } from '../../domain/row-edit.ts';
import type { Path } from '../path.ts';
import type { Advice } from '../problem.ts';
import { carriedField } from '../schema/sheet.ts';
import type { MirrorSketch } from './sketch.ts';

type Say = (path: Path, advice: Advice) => void;

/** What `edited: carry` needs and excludes. */
export function checkCarry({ path, from, edited, answers, archive, columns }: MirrorSketch, say: Say): void {
  const sheet = [...path, 'sheet'];
  if (edited !== 'carry') return;
  if (from !== undefined && from !== 'contact') {
    say([...sheet, 'edited'], {
      what: `${from}s cannot be changed in a sheet, only contacts`,
      fix: 'write edited: restore or leave',
    });
    return;
  }
  if (archive !== undefined)
    say([...sheet, 'archive'], {
      what: 'does not go with edited: carry: a row that moves cannot be told from one that people changed',
      fix: 'take out one of the two',
    });
  if (columns.every(({ template, as }) => carriedField(template, as) === undefined))
    say([...sheet, 'edited'], {
      what: 'there is nothing to carry: no column shows a field as it is',
      fix: `add a column that is exactly ${CARRIED_FIELDS.map((field) => `{{ ${field} }}`).join(', ')}`,
    });
  if (answers === undefined)
    say([...sheet, 'answers'], {
      what: 'is missing: people have to read what became of a change',
      fix: 'name the column for it, for example answers: Answer',
    });
  else if (columns.some(({ header }) => header.toLowerCase() === answers.toLowerCase()))
    say([...sheet, 'answers'], {
      what: 'is the header of a column of the mirror',
      fix: 'name another column, which the worker adds',
    });
}

/** What is allowed in a file, and may carry less than its author thinks; for `check`. */
export function warnOfCarry(mirrors: readonly Mirror[]): readonly string[] {
  return mirrors.flatMap((mirror) => {
    if (mirror.kind !== 'sheet' || mirror.from !== 'contact' || mirror.carry === undefined) return [];
    const at = `mirrors.${mirror.name}`;
    const { carry } = mirror;
    const isOwn = (header: string) => header === mirror.keyHeader || header === carry.answerHeader;
    const others = mirror.columns.filter(
      ({ header, template }) =>
        !isOwn(header) &&
        CARRIED_FIELDS.some((field) => template.includes(field)) &&
        !carry.columns.some((column) => column.header === header),
    );
    const telling = carry.columns.filter(({ field }) => field !== 'lifecycle');
    return [
      ...others.map(
        ({ header }) =>
          `${at}.columns.${header}: changes of its cells are put back. Only a column that shows a field as it is can be carried: {{ name }}, without a filter and as text.`,
      ),
      ...(telling.length > 1
        ? []
        : [
            `${at}.columns: a change counts only beside a name, phone or e-mail that stayed as it was. With one such column, that column can never be changed.`,
          ]),
    ];
  });
}
