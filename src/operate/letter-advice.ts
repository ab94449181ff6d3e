import { tellCode } from './codes/codes.ts';

/** The next step for a dead letter in English. The advice of the error itself comes first. */
export function adviceFor({ code, advice }: { readonly code: string; readonly advice?: string }): string {
  return advice ?? tellCode(code, 'en').advice;
}
