/** Request quotas per minute, shared by all processes that use one credential. */
export interface Budget {
  /** Takes `cost` from the budget named `name`. Rejects with `DeferredError` (`quota-spent`) when it is spent for now. */
  spend(name: string, cost?: number): Promise<void>;
}
