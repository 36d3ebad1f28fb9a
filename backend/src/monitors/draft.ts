import {
  assertionFaults,
  type CreateMonitorBody,
  definitionFaults,
  type ErrorDetail,
  type PatchMonitorBody,
} from '@vedette/shared'
import type { Tenant } from '../auth/index.ts'
import { compileFaults, protocolsOf } from '../checks/index.ts'
import { invalid } from '../platform/errors.ts'
import { parseId } from '../platform/ids.ts'
import { nextTurn } from '../platform/turn.ts'
import { findRegionNumbers } from '../regions/index.ts'
import { holdServers } from '../servers/index.ts'
import { type Definition, crossFaults } from './definition.ts'
import type { MonitorDeps } from './deps.ts'

/** What a request wants to be of a monitor, and where in the body that stands: '' or `create.3.`. */
export interface Wish<Body = CreateMonitorBody | PatchMonitorBody> {
  path: string
  body: Body
}

/** A definition as it would be, of a wish. */
export interface Draft {
  wish: Wish
  definition: Definition
}

/** Enough of them to mend a body by. */
const MOST_FAULTS = 20

/**
 * Stored ids of the servers that the wishes name, by the text that names them; until the transaction ends none of them is
 * deleted. What is malformed, unknown or another organization's is absent.
 */
export async function holdNamedServers(deps: MonitorDeps, tenant: Tenant, wishes: readonly Wish[]): Promise<Map<string, string>> {
  const named = wishes.flatMap(({ body }): [string, string][] => {
    const id = body.server_id && parseId('server', body.server_id)
    return body.server_id && id ? [[body.server_id, id]] : []
  })
  if (named.length === 0) return new Map()
  const held = await holdServers(
    deps.db,
    tenant.number,
    named.map(([, id]) => id),
  )
  return new Map(named.filter(([, id]) => held.has(id)))
}

/** The wish with the stored id of its server in place of the one that clients know. */
export function withServer<Body extends Wish['body']>({ path, body }: Wish<Body>, servers: ReadonlyMap<string, string>): Body {
  if (body.server_id === undefined || body.server_id === null) return body
  const server_id = servers.get(body.server_id)
  if (server_id === undefined) throw invalid({ path: `${path}server_id`, message: 'is no server of this organization' })
  return { ...body, server_id }
}

/**
 * Throws validation_error for patterns and paths that cannot be used. Before the transaction: compiling may take 50 ms each, in
 * which nobody should wait for a lock, and others get their turn in between.
 */
export async function proveAssertions(wishes: readonly Wish[]): Promise<void> {
  const faults: ErrorDetail[] = []
  for (const { path: place, body } of wishes) {
    if (!body.assertions || body.assertions.length === 0) continue
    const forms = assertionFaults(body.assertions)
    const own = forms.length > 0 ? forms : compileFaults(body.assertions)
    faults.push(...own.map(({ path, message }) => ({ path: `${place}${path}`, message })))
    if (faults.length >= MOST_FAULTS) break
    await nextTurn()
  }
  refuse(faults)
}

function refuse(faults: readonly ErrorDetail[]): void {
  if (faults.length > 0) throw invalid(...faults.slice(0, MOST_FAULTS))
}

/** The surrogates of all regions of these drafts, by id. Throws validation_error with all that is wrong with any of them. */
export async function proveDrafts({ db }: Pick<MonitorDeps, 'db'>, drafts: readonly Draft[]): Promise<Map<string, number>> {
  const ids = [...new Set(drafts.flatMap(({ definition }) => definition.regions))]
  const regions = ids.length === 0 ? new Map<string, number>() : await findRegionNumbers(db, ids)
  const faults = drafts.flatMap(({ wish, definition }) =>
    faultsOf(definition, wish, regions).map(({ path, message }) => ({ path: `${wish.path}${path}`, message })),
  )
  refuse(faults)
  return regions
}

function faultsOf(definition: Definition, { body }: Wish, regions: ReadonlyMap<string, number>): ErrorDetail[] {
  const own = crossFaults(definition, body)
  const told = new Set(own.map(({ path }) => path))
  const unknown = definition.regions.flatMap((id, index) =>
    regions.has(id) ? [] : [{ path: `regions.${index}`, message: 'is no region that is known here' }],
  )
  return [...own, ...definitionFaults(definition, protocolsOf(definition.type)).filter(({ path }) => !told.has(path)), ...unknown]
}
