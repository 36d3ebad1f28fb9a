import type { EntityKindName } from '@vedette/shared'

/** What a finding may be about: an entity, or a part of the host that is none. */
export type ThingKind = EntityKindName | 'filesystem' | 'host' | 'agent'

/** One thing of a host as it was last measured. What was not measured is absent. */
export interface Thing {
  kind: ThingKind
  name: string
  /** Of an entity that is stored. */
  entityId: string | null
  attributes: Readonly<Record<string, string>>
  values: Readonly<Record<string, number>>
}
