/** For `check --live` of a YAML without accounts of people: it must not look for what they agreed to. */
export const noConsents = (): Promise<never> => {
  throw new Error('Redis was asked for consents that the YAML does not have');
};
