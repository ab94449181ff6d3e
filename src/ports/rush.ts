/** A crowd of deliveries that wait for their answer: other work lets them go first, for a bounded time. */
export interface Rush {
  isOn(): boolean;
  /** Resolves when the rush is over, or when this caller's turn has come: turns go on during a rush, one after another. Never rejects. */
  giveWay(): Promise<void>;
}

export const noRush: Rush = { isOn: () => false, giveWay: () => Promise.resolve() };
