import type { ErrorDetail, IdKind } from '@vedette/shared'
import type { Static, TSchema } from 'typebox'
import type { Db, DeletedResources, PageRequest } from '../../platform/db/index.ts'
import type { IsRefused, OwnFaults } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Configuration } from './configured.ts'
import type { Access, Caller, Principal, Tenant } from './principal.ts'

/** What the routes of a resource answer and take. `details` is the answer of all but the list. */
export interface Schemas {
  params: TSchema
  query: TSchema
  list: TSchema
  details: TSchema
  create?: TSchema
  patch: TSchema
}

/** What all routes of a resource need. */
export interface ResourceDeps {
  db: Db
  clock: Clock
}

type Texts = Record<'list' | 'get' | 'update' | 'delete', string> & { create?: string }

export type CreateBody<Kind extends Schemas> = Static<NonNullable<Kind['create']>>

type Create<Deps, Kind extends Schemas, Prepared> = (
  deps: Deps,
  actor: Caller,
  body: CreateBody<Kind>,
  prepared: Prepared,
) => Promise<Static<Kind['details']> & { id: string }>

/** What is created has a body, a text and a function; one alone does not compile. */
export type Created<Deps, Kind extends Schemas, Prepared> = Kind['create'] extends TSchema
  ? { create: Create<Deps, Kind, Prepared>; texts: { create: string } }
  : { create?: never; texts: { create?: never } }

/** A resource of an organization that is listed, created, read, changed and deleted by its id. Servers register: they have no `create`. */
export interface Resource<Deps extends ResourceDeps, Kind extends Schemas, Prepared = undefined> {
  kind: IdKind
  /** `/v1/slos` */
  path: string
  /** In the ids of operations: `['Slo', 'Slos']`. */
  operation: readonly [one: string, many: string]
  /** In texts, with the article: `['an SLO', 'SLOs']`. */
  noun: readonly [one: string, many: string]
  tags: string[]
  /** Who may read it and who may change it. */
  access: { read: Access; change: Access; create?: Access; delete?: Access }
  schemas: Kind
  /** Descriptions of the routes. */
  texts: Texts
  /** Summaries that are not the usual ones. */
  summaries?: Partial<Texts>
  /** Its answers have sentences of the server, in the language of the reader. */
  speaks?: boolean
  /** Its lists are written without looking at each value; see `writeWithoutSchema`. */
  hasLongList?: boolean
  /** The answer to a creation has a secret, which a repeat of the request does not get. */
  createsSecret?: boolean
  /** Fields that measurements change: a PATCH may send them back whatever they are now. */
  measured?: readonly string[]
  /** Dotted fields that differ at each reading, whatever was measured. */
  moving?: readonly string[]
  /** Further statuses with their reasons. */
  refuses?: Partial<Record<keyof Texts, Record<number, string>>>
  /** Of a body of a creation; see `ownFaults` of a route. */
  ownFaults?: OwnFaults
  /** The same of a change, which depends on what is stored; none where that is not found. */
  ownChangeFaults?(
    deps: Deps,
    principal: Principal,
    id: string,
    body: Static<Kind['patch']>,
    isRefused: IsRefused,
  ): Promise<readonly ErrorDetail[]>
  /** What a creation or a change needs that must not hold a transaction. */
  prepare?: {
    create(body: CreateBody<Kind>): Promise<Prepared>
    patch(deps: Deps, principal: Principal, id: string, body: Static<Kind['patch']>): Promise<Prepared>
  }
  /** Locks its row until the transaction ends. */
  lock(db: Db, organization: number, id: string): Promise<unknown>
  /** These throw not_found across organizations; the changing ones join the transaction of `deps.db`. */
  list(
    deps: Deps,
    tenant: Tenant,
    query: Static<Kind['query']> & PageRequest,
    principal: Principal,
  ): Promise<Static<Kind['list']>>
  get(deps: Deps, tenant: Tenant, id: string, principal: Principal): Promise<Static<Kind['details']>>
  create?: Create<Deps, Kind, Prepared>
  patch(deps: Deps, actor: Caller, id: string, body: Static<Kind['patch']>, prepared: Prepared): Promise<Static<Kind['details']>>
  delete(deps: Deps, actor: Caller, id: string): Promise<void>
  /** Of one that can be restored after its deletion. */
  restore?: Restore<Deps, Kind>
  /** How it is part of the configuration, whose changes can be taken back. */
  configuration?: Configuration<Deps>
}

/** How a resource comes back after its deletion. */
export interface Restore<Deps, Kind extends Schemas> {
  /** Changes nothing of one that is not deleted; throws not_found for one that does not exist, or was deleted too long ago. */
  restore(deps: Deps, actor: Caller, id: string): Promise<Static<Kind['details']>>
  /** The description of the route. */
  text: string
  /** Statuses with their reasons. */
  refuses: Record<number, string>
  /** Those that can be restored; with a schema where more than their names is listed. */
  deleted: Pick<DeletedResources, 'list'> | DeletedReading<Deps>
}

export interface DeletedReading<Deps> {
  schema: TSchema
  read(deps: Deps, tenant: Tenant, page: PageRequest): Promise<unknown>
}
