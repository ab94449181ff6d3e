import { InvalidArgumentError } from 'commander';

/** An option that takes a whole number from 0 up. */
export function wholeNumberOption(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('write a whole number.');
}
