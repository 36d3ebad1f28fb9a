import type { ConfigurationKind, ErrorDetail, IdKind } from '@vedette/shared'
import type { TSchema } from 'typebox'
import {
  type Access,
  allows,
  type Caller,
  type Configured,
  type ManyChanges,
  type Principal,
  type Resource,
  type ResourceDeps,
  type Schemas,
  type Spec,
  type Tenant,
} from '../../access/auth/index.ts'
import { identityEncrypter, providerResource } from '../../access/identity-providers/index.ts'
import { sourceResource } from '../../alerting/alert-sources/index.ts'
import { ruleResource, windowResource } from '../../alerting/alerts/index.ts'
import { serverResource } from '../../hosts/servers/index.ts'
import { monitorEncrypter, monitorResource } from '../../monitoring/monitors/index.ts'
import { sloResource } from '../../monitoring/slos/index.ts'
import { policyResource } from '../../notifying/escalation/index.ts'
import { channelEncrypter, channelResource } from '../../notifying/notifications/index.ts'
import { icalEncrypter, scheduleResource } from '../../notifying/on-call/index.ts'
import { createPageKeys, pageResource } from '../../pages/status-pages/index.ts'
import type { Db, ManagedTable } from '../../platform/db/index.ts'
import type { InstallationSecrets } from '../../platform/crypto/installation-secrets.ts'
import { notFound } from '../../platform/errors.ts'
import { decodeId } from '../../platform/ids.ts'

/** What change sets do with the resources of one kind. Ids are stored ones. */
export interface Kind {
  kind: ConfigurationKind
  idKind: IdKind
  /** Without an article. */
  noun: string
  table: ManagedTable
  access: Record<'read' | 'create' | 'change' | 'delete', Access>
  /** Of a spec. */
  schema: TSchema
  /** Fields that a change may have. */
  changeable: ReadonlySet<string>
  /** Dotted paths. */
  secretsIn(spec: Spec): readonly string[]
  /** Servers register themselves. */
  isRegistered: boolean
  ownFaults(spec: Spec): readonly ErrorDetail[]
  complete(spec: Spec, before: Spec | undefined): Spec
  keepOmitted(spec: Spec, before: Spec): Spec
  mask(spec: Spec, principal: Principal): Spec
  toPatch(before: Spec, patch: Spec): Spec
  again(spec: Spec): Spec
  read(db: Db, tenant: Tenant, ids?: readonly string[]): Promise<Configured[]>
  lock(db: Db, organization: number, id: string): Promise<unknown>
  /** What the change needs that must not hold a transaction. */
  prepareCreate(spec: Spec): Promise<unknown>
  preparePatch(principal: Principal, id: string, patch: Spec): Promise<unknown>
  create(db: Db, actor: Caller, spec: Spec, prepared: unknown): Promise<string>
  patch(db: Db, actor: Caller, id: string, patch: Spec, prepared: unknown): Promise<unknown>
  delete(db: Db, actor: Caller, id: string): Promise<void>
  /** Undefined: one after the other. */
  changeMany: ((db: Db, actor: Caller, changes: ManyChanges) => Promise<string[]>) | undefined
  /** Throws not_found for what cannot be restored any more. */
  restore(db: Db, actor: Caller, id: string): Promise<unknown>
}

/** The resource without its types: what is given to it has been validated by its schemas. */
interface Untyped
  extends Omit<
    Resource<ResourceDeps, { details: TSchema } & Record<'params' | 'query' | 'list' | 'patch', TSchema>, unknown>,
    'schemas' | 'create'
  > {
  schemas: { create?: TSchema; patch: TSchema & { properties: object } }
  create?(deps: object, actor: Caller, spec: Spec, prepared: unknown): Promise<{ id: string }>
}

// The schemas of a resource are those of its own bodies: what is given to it has been validated by them.
function bind<Deps extends ResourceDeps, Of extends Schemas, Prepared>(resource: Resource<Deps, Of, Prepared>, deps: Deps): Kind {
  const { kind: idKind, noun, access, schemas, configuration, prepare, ...own } = resource as unknown as Untyped
  if (!configuration) throw new Error(`${idKind} is no part of the configuration`)
  const { changeMany } = configuration
  const within = (db: Db): ResourceDeps => ({ ...deps, db })
  return {
    kind: configuration.kind,
    idKind,
    noun: noun[0].replace(/^an? /, ''),
    table: configuration.table,
    access: {
      read: access.read,
      create: access.create ?? access.change,
      change: access.change,
      delete: access.delete ?? access.change,
    },
    schema: schemas.create ?? schemas.patch,
    changeable: new Set(Object.keys(schemas.patch.properties)),
    secretsIn: (spec) => configuration.secretsIn?.(spec) ?? [],
    isRegistered: own.create === undefined,
    ownFaults: (spec) => own.ownFaults?.(spec, () => false) ?? [],
    complete: (spec, before) => configuration.complete(spec, before, deps),
    keepOmitted: (spec, before) => configuration.keepOmitted?.(spec, before) ?? spec,
    mask: (spec, principal) => configuration.mask?.(spec, principal) ?? spec,
    toPatch: (before, patch) => configuration.toPatch?.(before, patch) ?? patch,
    again: (spec) => configuration.again?.(spec) ?? spec,
    read: (db, tenant, ids) => configuration.read(within(db), tenant, ids),
    lock: (db, organization, id) => own.lock(db, organization, id),
    prepareCreate: async (spec) => prepare?.create(spec),
    preparePatch: async (principal, id, patch) => prepare?.patch(deps, principal, id, patch),
    async create(db, actor, spec, prepared) {
      const created = await own.create?.(within(db), actor, spec, prepared)
      if (!created) throw notFound()
      return decodeId(idKind, created.id)
    },
    patch: (db, actor, id, patch, prepared) => own.patch(within(db), actor, id, patch, prepared),
    delete: (db, actor, id) => own.delete(within(db), actor, id),
    changeMany: changeMany && ((db, actor, changes) => changeMany(within(db), actor, changes)),
    async restore(db, actor, id) {
      if (!own.restore) throw notFound()
      return own.restore.restore(within(db), actor, id)
    },
  }
}

export type Kinds = ReadonlyMap<ConfigurationKind, Kind>

/** The kinds that a caller may read. */
export const readableBy = (kinds: Kinds, principal: Principal): Kinds =>
  new Map([...kinds].filter(([, { access }]) => allows(principal, access.read)))

/** What the functions of a resource need. */
type DepsOf<Of> = Of extends Resource<infer Deps, infer _Kind extends Schemas, infer _Prepared> ? Deps : never

/** What those of all resources need. */
export type KindContext = DepsOf<typeof policyResource> &
  DepsOf<typeof serverResource> &
  DepsOf<typeof ruleResource> &
  DepsOf<typeof sloResource> &
  DepsOf<typeof sourceResource> &
  DepsOf<typeof windowResource> &
  Omit<
    DepsOf<typeof scheduleResource> &
      DepsOf<typeof channelResource> &
      DepsOf<typeof providerResource> &
      DepsOf<typeof monitorResource>,
    'encrypter'
  > &
  Omit<DepsOf<typeof pageResource>, 'keys'> & { secrets: InstallationSecrets }

/** All kinds, in the order in which they are created. */
export function createKinds(context: KindContext): Kinds {
  const { secrets } = context
  const kinds = [
    bind(channelResource, { ...context, encrypter: channelEncrypter(secrets) }),
    bind(scheduleResource, { ...context, encrypter: icalEncrypter(secrets) }),
    bind(policyResource, context),
    bind(providerResource, { ...context, encrypter: identityEncrypter(secrets) }),
    bind(serverResource, context),
    bind(monitorResource, { ...context, encrypter: monitorEncrypter(secrets) }),
    bind(ruleResource, context),
    bind(sloResource, context),
    bind(sourceResource, context),
    bind(windowResource, context),
    bind(pageResource, { ...context, keys: createPageKeys(secrets) }),
  ]
  return new Map(kinds.map((kind) => [kind.kind, kind]))
}
