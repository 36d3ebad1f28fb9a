import type { ConfigurationKind, Managed } from '@vedette/shared'
import type { Db, ManagedTable } from '../../platform/db/index.ts'
import type { Caller, Principal, Tenant } from './principal.ts'

/** A resource in the form in which it is created: a body of POST with all its fields, secrets in plain. */
export type Spec = Record<string, unknown>

/** A resource as the configuration has it. */
export interface Configured {
  /** As it is stored. */
  id: string
  name: string
  /** Further texts that a file may call it by. */
  aliases?: readonly string[]
  managed: Managed | null
  spec: Spec
  /** Dotted paths of what no configured secret decrypts: the spec does not have it. */
  lost?: readonly string[]
}

/** How a resource is part of the configuration. */
export interface Configuration<Deps> {
  kind: ConfigurationKind
  table: ManagedTable
  /** All of the organization, or those with these stored ids. */
  read(deps: Deps, tenant: Tenant, ids?: readonly string[]): Promise<Configured[]>
  /** A valid body with all its defaults. Pure. */
  complete(spec: Spec, before: Spec | undefined, deps: Deps): Spec
  /** The body with those secrets of `before` that it leaves out. Pure. */
  keepOmitted?(spec: Spec, before: Spec): Spec
  /** The spec as a caller sees it. Without it there are no secrets. Pure. */
  mask?(spec: Spec, principal: Principal): Spec
  /** The body that creates a deleted one again, with what nobody knows any more. */
  again?(spec: Spec): Spec
  /** Dotted paths of the secrets in it, which a change to another origin must send again. Pure. */
  secretsIn?(spec: Spec): string[]
  /** The body of a change that has the fields that differ. Pure. */
  toPatch?(before: Spec, patch: Spec): Spec
  /** Creates and deletes many at once, which do not refer to each other; the stored ids of the new ones, in their order. */
  changeMany?(deps: Deps, actor: Caller, changes: ManyChanges): Promise<string[]>
}

export interface ManyChanges {
  /** `path`: where faults are named. */
  create: readonly { path: string; spec: Spec }[]
  /** Stored ids. */
  delete: readonly string[]
}

/** What a person changed by hand of one resource. */
export interface HandChange {
  kind: ConfigurationKind
  before: Configured | undefined
  after: Configured | undefined
  /** A deleted one came back. */
  isRestored?: boolean
}

/** Stores changes by hand in the transaction of the changes, so that they can be taken back together. */
export type RecordHandChange = (db: Db, caller: Caller, changes: readonly HandChange[]) => Promise<void>

/** The fields of a schema. Pure. */
export const pickFields = (schema: object, details: object): Spec => {
  const { properties } = schema as { properties: Record<string, unknown> }
  return Object.fromEntries(Object.entries(details).filter(([name]) => Object.hasOwn(properties, name)))
}

/** What every kind reads of a row. Pure. */
export const toConfigured = (
  { id, name, managed }: { id: string; name: string; managed: Managed | null },
  spec: Spec,
  lost: readonly string[] = [],
): Configured => ({ id, name, managed, spec, ...(lost.length > 0 && { lost }) })
