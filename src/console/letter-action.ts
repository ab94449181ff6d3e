import { type LetterFilter, toQuery } from './letter-filter.ts';

export const LETTER_ACTIONS = ['retry', 'discard'] as const;
export type LetterAction = (typeof LETTER_ACTIONS)[number];

/** The result of an action that has just ended. A reload of the page shows it again. */
export interface Ended {
  readonly action: LetterAction;
  readonly done: number;
  readonly of: number;
}

export function endedQuery(filter: LetterFilter, { action, done, of }: Ended): string {
  const query = new URLSearchParams(toQuery(filter));
  for (const [name, value] of Object.entries({ ended: action, done, of })) query.set(name, String(value));
  return query.toString();
}

export function endedIn(query: URLSearchParams): Ended | undefined {
  const action = LETTER_ACTIONS.find((each) => each === query.get('ended'));
  const [done, of] = [Number(query.get('done')), Number(query.get('of'))];
  return action === undefined || !Number.isSafeInteger(done) || !Number.isSafeInteger(of)
    ? undefined
    : { action, done, of };
}
