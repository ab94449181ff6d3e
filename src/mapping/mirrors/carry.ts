import type { Mirror } from '../../engine/domain/mirror.ts';
import { foldedText } from '../../engine/domain/plain-text.ts';
import { CARRIED_FIELDS } from '../../engine/domain/row-edit.ts';
import type { Path } from '../path.ts';
import type { Advice } from '../problem.ts';
import { carriedField } from '../schema/sheet.ts';
import type { MirrorSketch } from './sketch.ts';

type Say = (path: Path, advice: Advice) => void;

/** Checks what `edited: carry` requires and excludes. */
export function checkCarry(sketch: MirrorSketch, say: Say): void {
  const { path, from, edited, cancel, archive } = sketch;
  const sheet = [...path, 'sheet'];
  if (edited !== 'carry') return;
  if (cancel !== undefined && from === 'contact')
    say([...sheet, 'cancel'], {
      what: 'is for appointments: contacts are not cancelled',
      fix: 'remove it',
    });
  if (from !== undefined && from !== 'contact' && from !== 'appointment') {
    say([...sheet, 'edited'], {
      what: `${from}s cannot be changed in a sheet, only contacts and appointments`,
      fix: 'write edited: restore or leave',
    });
    return;
  }
  if (archive !== undefined)
    say([...sheet, 'archive'], {
      what: 'cannot be combined with edited: carry: the worker cannot tell a row that moves from one that people changed',
      fix: 'remove one of the two',
    });
  if (from === 'appointment') checkStart(sketch, say);
  else checkFields(sketch, say);
  checkAdded(sketch, say);
}

function checkFields({ path, columns }: MirrorSketch, say: Say): void {
  if (columns.some(({ template, as }) => carriedField('contact', template, as) !== undefined)) return;
  say([...path, 'sheet', 'edited'], {
    what: 'nothing can be carried: no column shows a field unchanged',
    fix: `add a column that is exactly ${CARRIED_FIELDS.map((field) => `{{ ${field} }}`).join(', ')}`,
  });
}

/** An id alone proves nothing: a row must also show the start and another field, whether people move rows or only cancel. */
function checkStart({ path, columns }: MirrorSketch, say: Say): void {
  const fields = columns.map(({ template, as }) => carriedField('appointment', template, as));
  const starts = columns.filter((_, at) => fields[at] === 'start');
  const edited = [...path, 'sheet', 'edited'];
  if (starts.length === 0)
    say(edited, {
      what: 'nothing can be carried: no column shows the start as a date with a time',
      fix: `add a column such as Start: { value: "{{ starts_at }}", as: datetime }`,
    });
  const [, second] = starts;
  if (second !== undefined)
    say(second.path, {
      what: 'shows the start a second time: the worker could not tell which one counts',
      fix: 'leave one column with { value: "{{ starts_at }}", as: datetime }',
    });
  const isId = (template = '') => /^\s*\{\{-?\s*id\s*-?\}\}\s*$/.test(template);
  const telling = columns.filter(({ template }, at) => fields[at] === 'shown' && !isId(template));
  if (telling.length === 0)
    say(edited, {
      what: 'no column besides the id and the start shows whose row it is',
      fix: 'add a column such as Name: "{{ customer_name }}"',
    });
}

/** Checks the columns that the worker adds. */
function checkAdded({ path, answers, cancel, columns }: MirrorSketch, say: Say): void {
  const sheet = [...path, 'sheet'];
  const isTaken = (name: string) => columns.some(({ header }) => foldedText(header) === foldedText(name));
  const taken = {
    what: 'is the header of a column of the mirror',
    fix: 'name another column, which the worker adds',
  };
  if (answers === undefined)
    say([...sheet, 'answers'], {
      what: 'is missing: people must see the result of a change',
      fix: 'name the column for it, for example answers: Answer',
    });
  else if (isTaken(answers)) say([...sheet, 'answers'], taken);
  if (cancel === undefined) return;
  if (isTaken(cancel)) say([...sheet, 'cancel'], taken);
  else if (foldedText(cancel) === foldedText(answers ?? ''))
    say([...sheet, 'cancel'], {
      what: 'is the column of the answers',
      fix: 'name another column, for example cancel: Cancel',
    });
}

/** Warnings for `check`: settings that are allowed, but may carry less than their author expects. */
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
          `${at}.columns.${header}: changes of its cells are put back. Only a column that shows a field unchanged can be carried: {{ name }}, without a filter and as text.`,
      ),
      ...(telling.length > 1
        ? []
        : [
            `${at}.columns: a change counts only if another of name, phone and e-mail stays unchanged. With only one such column, it can never be changed.`,
          ]),
    ];
  });
}
