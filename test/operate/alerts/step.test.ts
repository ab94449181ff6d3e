import { expect, test } from 'vitest';
import { type AlertBook, type AlertCondition, EMPTY_BOOK } from '../../../src/engine/alert.ts';
import { step } from '../../../src/operate/alerts/alerter.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-21T03:00:00Z');

function about(subject: string, text = 'wrong'): AlertCondition {
  return { alert: 'problem', subject, text, advice: 'Mend it.' };
}

/** Plays looks, one each half minute; a look is the list of what is wrong then. */
function play(looks: readonly (readonly AlertCondition[])[], book: AlertBook = EMPTY_BOOK): AlertBook {
  const damping = { raiseAfterMs: MINUTE, clearAfterMs: 2 * MINUTE };
  return looks.reduce(
    (before, seen, index) => step(before, seen, { ...damping, nowMs: START + (index * MINUTE) / 2 }),
    book,
  );
}

function told(book: AlertBook): string[] {
  return book.unsent.map((notice) => `${notice.what} ${notice.subject}`);
}

const A = [about('a')];
const NONE: readonly AlertCondition[] = [];

test('what stands for the time that was asked for is told, once', () => {
  expect(told(play([A, A]))).toEqual([]);
  expect(told(play([A, A, A]))).toEqual(['raised a']);
  expect(told(play(Array(50).fill(A)))).toEqual(['raised a']);
});

test('the all-clear comes once, when it has been gone for long enough, and says how long it stood', () => {
  const sent: AlertBook = { ...play([A, A, A]), unsent: [] };
  const at = (index: number) => ({
    ...{ raiseAfterMs: MINUTE, clearAfterMs: 2 * MINUTE },
    nowMs: START + (index * MINUTE) / 2,
  });
  const gone = [3, 4, 5, 6].reduce((book, index) => step(book, NONE, at(index)), sent);
  expect(told(gone)).toEqual([]);
  const book = step(gone, NONE, at(7));
  expect(told(book)).toEqual(['cleared a']);
  expect(book.unsent[0]).toMatchObject({ stoodMs: 1.5 * MINUTE });
  expect(book.standing).toEqual([]);
  expect(told(step(book, NONE, at(8)))).toEqual(['cleared a']);
});

test('what may stand for longer is told when it has, and again as soon as it may not', () => {
  const patient = [{ ...about('a'), toldAfterMs: 3 * MINUTE }];
  expect(told(play(Array(6).fill(patient)))).toEqual([]);
  expect(told(play(Array(7).fill(patient)))).toEqual(['raised a']);
  expect(told(play([patient, patient, patient, A]))).toEqual(['raised a']);
  // What was told stands on.
  expect(told(play([A, A, A, ...Array(6).fill(patient)]))).toEqual(['raised a']);
});

test('what comes and goes faster than it is raised is never told, and needs no all-clear', () => {
  expect(told(play([A, NONE, A, NONE, A, NONE, A, A, NONE]))).toEqual([]);
});

test('what is gone before its notice has left is no longer raised, only told as over', () => {
  const raised = [A, A, A];
  expect(told(play([...raised, NONE]))).toEqual(['raised a']);
  const book = play([...raised, ...Array(5).fill(NONE)]);
  expect(told(book)).toEqual(['cleared a']);
  expect(book.unsent[0]).toMatchObject({ stoodMs: 1.5 * MINUTE });
});

test('a problem that is found again and again is raised when it is found after its time, or when nobody looks for it', () => {
  const start = Date.parse('2026-11-21T03:00:00Z');
  const found = (...seconds: readonly number[]) =>
    seconds.map((second) => [{ ...about('a'), foundAtMs: start + second * 1_000 }]);
  expect(told(play(found(20, 20, 50)))).toEqual([]);
  expect(told(play(found(20, 20, 50, 80)))).toEqual(['raised a']);
  expect(told(play(found(20, 20, 50, 50)))).toEqual([]);
  expect(told(play(found(20, 20, 50, 50, 50)))).toEqual(['raised a']);
});

test('what was seen before a long time without looks has its time again, and what was raised stays raised', () => {
  const later = (book: AlertBook) =>
    step(book, A, { raiseAfterMs: MINUTE, clearAfterMs: 2 * MINUTE, nowMs: START + 60 * MINUTE });
  expect(told(later(play([A, A])))).toEqual([]);
  expect(told(later(play([A, A, A])))).toEqual(['raised a']);
  expect(later(play([A, A, A])).standing).toMatchObject([{ isRaised: true }]);
});

test('an alert that comes and goes is told once and stays until it is quiet', () => {
  const flapping = [A, A, A, NONE, A, NONE, NONE, A, NONE, NONE, NONE, A];
  expect(told(play(flapping))).toEqual(['raised a']);
  expect(play(flapping).standing).toMatchObject([{ subject: 'a', isRaised: true }]);
});

test('what is wrong again after its all-clear is told again', () => {
  const once = [A, A, A, NONE, NONE, NONE, NONE, NONE];
  expect(told(play([...once, A, A, A]))).toEqual(['cleared a', 'raised a']);
});

test('each subject is an alert of its own, and the same one twice in a look is one', () => {
  const both = [about('a'), about('b'), about('b')];
  expect(told(play([A, both, both, both]))).toEqual(['raised a', 'raised b']);
});

test('a text that changes while the alert stands is no news', () => {
  const growing = [1, 2, 3, 4, 5, 6].map((count) => [about('a', `${count} objects`)]);
  const book = play(growing);
  expect(told(book)).toEqual(['raised a']);
  expect(book.standing).toMatchObject([{ text: '6 objects' }]);
});

test('a clock that is put back delays nothing by more than the usual time', () => {
  const later = play([A], EMPTY_BOOK);
  const damping = { raiseAfterMs: MINUTE, clearAfterMs: MINUTE };
  const back = step(later, A, { ...damping, nowMs: START - 24 * 60 * MINUTE });
  expect(told(step(back, A, { ...damping, nowMs: START - 24 * 60 * MINUTE + MINUTE }))).toEqual(['raised a']);
});

test('notices that nobody takes are bounded, the newest stay, and the others are counted', () => {
  const many = Array.from({ length: 250 }, (_, index) => about(`s${index}`));
  const book = play([many, many, many]);
  expect(book.unsent).toHaveLength(200);
  expect(book.dropped).toBe(50);
  expect(book.unsent.at(-1)).toMatchObject({ subject: 's249' });
});
