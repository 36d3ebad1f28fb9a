import type { EntityReading as WireReading, EntityEvent as WireEvent } from '@vedette/shared'
import type { OptionalSource } from '@vedette/shared/entities/sources'
import type { EntityEventType, EntityKindName } from '@vedette/shared/entities/kinds'

/** An entity as it is sent, with the names of its kind. */
export interface EntityReading extends WireReading {
  kind: EntityKindName
}

export interface EntityEvent extends WireEvent {
  kind: EntityKindName
  type: EntityEventType
}

/** Reads entities of one or several kinds. It owns the baselines of its rates. */
export interface EntitySource {
  /** For the log. */
  readonly name: string
  /** Where the backend can switch it off. */
  readonly optional?: OptionalSource
  /** Takes the baselines and opens what stays open: a read about a second later has rates. */
  prime?(): Promise<void> | void
  /**
   * All entities that are there now; rates whose baseline is older than `maxGapMs` are left out. It may throw, and it may hang: it is
   * not called again until it has returned. Attributes that changed are in another object than before.
   */
  read(maxGapMs: number): Promise<EntityReading[]>
  /** Called once, before `prime`: `report` takes what happened between two reads, at once. */
  watch?(report: (event: EntityEvent) => void): void
  /** At the end, and when it is switched off: a later `read` begins again. */
  close?(): void
}
