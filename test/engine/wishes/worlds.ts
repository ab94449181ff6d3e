/** The worlds in which wishes are made. */

export interface Closing {
  closeWorlds(): Promise<void>;
  close(): Promise<void>;
}

export function closing(stands: Closing): Closing {
  return { closeWorlds: () => stands.closeWorlds(), close: () => stands.close() };
}

/** One world for all wishes until it is closed: to start one takes longer than a wish. */
export function sharing<World>(stands: Closing, start: () => Promise<World>) {
  let world: Promise<World> | undefined;
  return {
    world: () => {
      world ??= start();
      return world;
    },
    async closeWorlds() {
      world = undefined;
      await stands.closeWorlds();
    },
    close: () => stands.close(),
  };
}

/** A world for each wish: rows that say the same, and blocks that stand, have to do with each other. */
export function alone<World>(stands: Closing, start: () => Promise<World>) {
  return {
    async world() {
      await stands.closeWorlds();
      return start();
    },
    ...closing(stands),
  };
}
