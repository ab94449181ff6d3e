import { expect, it } from 'vitest';
import { Corrections } from '../../demo/staff/corrections.ts';

const HEADER = ['ID', 'Name', 'Phone', 'Answer'];

function office() {
  const contacts = new Map<string, { name: string }>();
  let changed: (change: { kind: string; id: string }) => void = () => {};
  const platform = {
    observe: (observer: { changed: (change: never) => void }) => {
      changed = observer.changed as typeof changed;
    },
    truth: { contact: (id: string) => contacts.get(id) },
  };
  const corrections = new Corrections(platform as unknown as ConstructorParameters<typeof Corrections>[0]);
  const rename = (id: string, name: string) => {
    contacts.set(id, { name });
    changed({ kind: 'contact', id });
  };
  return { corrections, rename };
}

it('counts what the platform took, also where somebody else changed it later', () => {
  const { corrections, rename } = office();
  rename('a', corrections.next('a'));
  rename('a', 'Vera');
  expect(corrections.judge([HEADER, ['a', 'Vera', '', '']])).toEqual({ carried: 1, wrong: [] });
});

it('tells a name that was neither taken nor answered; of several for one contact the last one counts', () => {
  const { corrections, rename } = office();
  rename('a', corrections.next('a'));
  corrections.next('a');
  corrections.next('b');
  const rows = [HEADER, ['a', 'x', '', ''], ['b', 'y', '', 'Not changed: Name.']];
  const wrong = ['the name of contact a: neither carried nor answered'];
  expect(corrections.judge(rows)).toEqual({ carried: 1, wrong });
  expect(corrections.judge([HEADER])).toEqual({ carried: 1, wrong: [] });
});

it('takes no name for carried that another contact got', () => {
  const { corrections, rename } = office();
  rename('b', corrections.next('a'));
  expect(corrections.judge([HEADER, ['a', '', '', '']]).wrong).toHaveLength(1);
});
