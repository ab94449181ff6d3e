/** The company as staff set it up: projects, branches, resources, services. These changes send no events. */

import type { Collection } from '../collection.ts';
import type { Core } from '../core.ts';
import { assignChanged } from '../desks/desk.ts';
import type { Stamped, WeekSchedule } from '../records.ts';
import type {
  BranchChange,
  BranchInput,
  ResourceChange,
  ResourceInput,
  ServiceChange,
  ServiceInput,
} from './inputs.ts';

const DEFAULT_TIMEZONE = 'Europe/Moscow';
const DEFAULT_MINUTES = 60;
const DEFAULT_SLOT_STEP_MIN = 30;

export class Catalogue {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  createProject(input: { name: string; id?: string }): string {
    const id = input.id ?? this.#core.world.newId();
    this.#core.world.projects.set(id, { id, name: input.name, callbackConfigured: true });
    return id;
  }

  /**
   * Deletes a project. Its objects no longer exist for any key, and an endpoint that has lost all its
   * projects is disabled.
   */
  deleteProject(id: string): void {
    if (!this.#core.world.projects.delete(id)) throw new RangeError('no such project');
    this.#core.endpoints.forgetProject(id);
  }

  createBranch(input: BranchInput): string {
    const { world } = this.#core;
    if (!world.projects.has(input.projectId)) throw new RangeError('no such project');
    return world.branches.add({
      ...world.stamp(input.projectId, input.id),
      name: input.name,
      address: input.address ?? '',
      phone: input.phone ?? '',
      timezone: input.timezone ?? DEFAULT_TIMEZONE,
      schedule: input.schedule ?? everyDay('09:00', '21:00'),
      daysOff: input.daysOff ?? [],
      active: true,
    }).id;
  }

  createResource(input: ResourceInput): string {
    const { world } = this.#core;
    const branch = demand(world.branches, input.branchId);
    return world.resources.add({
      ...world.stamp(branch.projectId, input.id),
      branchId: branch.id,
      kind: input.kind ?? 'person',
      name: input.name,
      positionTitle: input.positionTitle ?? null,
      capacity: input.capacity ?? 1,
      schedule: input.schedule ?? null,
      daysOff: input.daysOff ?? [],
      active: true,
    }).id;
  }

  createService(input: ServiceInput): string {
    const { world } = this.#core;
    if (!world.projects.has(input.projectId)) throw new RangeError('no such project');
    const isInterval = input.bookingMode === 'interval';
    return world.services.add({
      ...world.stamp(input.projectId, input.id),
      name: input.name,
      description: input.description ?? null,
      bookingMode: input.bookingMode ?? 'fixed',
      durationMin: isInterval ? null : (input.durationMin ?? DEFAULT_MINUTES),
      minDurationMin: isInterval ? (input.minDurationMin ?? DEFAULT_MINUTES) : null,
      maxDurationMin: isInterval ? (input.maxDurationMin ?? 8 * DEFAULT_MINUTES) : null,
      durationStepMin: isInterval ? (input.durationStepMin ?? DEFAULT_MINUTES / 2) : null,
      maxGuests: isInterval ? (input.maxGuests ?? null) : null,
      priceAmount: input.priceAmount ?? null,
      priceCurrency: input.priceCurrency ?? (input.priceAmount ? 'RUB' : null),
      // The document does not show the allowed values.
      priceUnit: input.priceUnit ?? (isInterval ? 'hour' : 'service'),
      onlineBookable: input.onlineBookable ?? true,
      bufferBeforeMin: input.bufferBeforeMin ?? 0,
      bufferAfterMin: input.bufferAfterMin ?? 0,
      slotStepMin: input.slotStepMin ?? DEFAULT_SLOT_STEP_MIN,
      resourceIds: [...input.resourceIds],
      secondResourceIds: [...(input.secondResourceIds ?? [])],
      active: true,
    }).id;
  }

  changeBranch(id: string, change: BranchChange): void {
    this.#change(this.#core.world.branches, id, change);
  }

  changeResource(id: string, change: ResourceChange): void {
    this.#change(this.#core.world.resources, id, change);
  }

  changeService(id: string, change: ServiceChange): void {
    this.#change(this.#core.world.services, id, change);
  }

  /** Appointments of the service can still be read and cancelled, but not moved. */
  switchOffService(id: string): void {
    this.changeService(id, { active: false });
  }

  #change<T extends Stamped>(collection: Collection<T>, id: string, change: Partial<NoInfer<T>>): void {
    const record = demand(collection, id);
    if (assignChanged<T>(record, change)) this.#core.world.touch(record);
  }
}

export function demand<T extends { readonly id: string; readonly projectId: string }>(
  collection: Collection<T>,
  id: string,
): T {
  const record = collection.get(id);
  if (!record) throw new RangeError(`no object with the id ${id}`);
  return record;
}

export function everyDay(from: string, to: string): WeekSchedule {
  return Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((weekday) => [String(weekday), [[from, to]]]));
}
