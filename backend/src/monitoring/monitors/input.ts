import {
  validateAssertions,
  type CreateMonitorBody,
  type Dependency,
  validateDefinition,
  type ErrorDetail,
  type PatchMonitorBody,
} from '@vedette/shared'
import type { Tenant } from '../../access/auth/index.ts'
import { optionPatternFaults, validatePatterns } from '../checks/index.ts'
import { resolveDependencies } from '../dependencies/index.ts'
import { lockReferences } from '../../operating/references/index.ts'
import { invalid } from '../../platform/errors.ts'
import { certainFaults, type IsRefused, type OwnFaults } from '../../platform/http/index.ts'
import { parseId } from '../../platform/ids.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { findRegionNumbers } from '../regions/index.ts'
import { activeHoursFaults } from './active-hours.ts'
import { membersIn, resolveMemberIds } from './composite.ts'
import { foreignFieldFaults } from './composite-fields.ts'
import { applyPatch, type Definition, crossFieldFaults, movedSecretFaults, withDefaults } from './definition.ts'
import type { MonitorDeps } from './deps.ts'

/** The body of a request for one monitor, and its path in the request: '' or `create.3.`. */
export interface MonitorInput<Body = CreateMonitorBody | PatchMonitorBody> {
  path: string
  body: Body
}

/** A request with the complete definition it leads to. */
export interface ResolvedInput {
  input: MonitorInput
  definition: Definition
  /** Of a stored monitor. */
  before?: Definition
}

/** Faults reported at once. */
const MAX_FAULTS = 20

/** What the requests refer to. */
export interface InputReferences {
  /** Stored ids of servers by the given text; malformed, unknown and foreign ids are absent. */
  servers: ReadonlyMap<string, string>
  /** Dependencies with stored ids, by the path of the request. */
  dependencies: ReadonlyMap<string, Dependency[]>
  /** The options of composites with stored ids in their members, by the path of the request. */
  options: ReadonlyMap<string, Record<string, unknown>>
}

/**
 * Reads what the requests refer to, and locks the servers that monitors run on, so that none is deleted before the transaction ends.
 * Throws validation_error for dependencies that are unknown.
 */
export async function readReferences(
  deps: Pick<MonitorDeps, 'db'>,
  tenant: Tenant,
  inputs: readonly MonitorInput[],
): Promise<InputReferences> {
  const given = inputs.flatMap(({ path, body: { depends_on } }) => (depends_on ? [{ path, depends_on }] : []))
  const resolved = await resolveDependencies(
    deps.db,
    tenant.number,
    given.map(({ path, depends_on }) => ({ path: `${path}depends_on`, depends_on })),
  )
  const dependencies = new Map(given.map(({ path }, index) => [path, resolved[index] as Dependency[]]))
  const options = new Map<string, Record<string, unknown>>()
  for (const { path, body } of inputs)
    if (body.options && membersIn(body.options).length > 0)
      options.set(path, await resolveMemberIds(deps.db, tenant.number, path, body.options))
  return { servers: await lockNamedServers(deps, tenant, inputs), dependencies, options }
}

async function lockNamedServers(
  deps: Pick<MonitorDeps, 'db'>,
  tenant: Tenant,
  inputs: readonly MonitorInput[],
): Promise<Map<string, string>> {
  const named = inputs.flatMap(({ body }): [string, string][] => {
    const id = body.server_id && parseId('server', body.server_id)
    return body.server_id && id ? [[body.server_id, id]] : []
  })
  const ids = named.map(([, id]) => id)
  const locked = await lockReferences(deps.db, 'server', tenant.number, ids)
  return new Map(named.filter(([, id]) => locked.has(id)))
}

/** The body with the stored ids of what it refers to. */
export function withReferences<Body extends MonitorInput['body']>(
  { path, body: given }: MonitorInput<Body>,
  { servers, dependencies, options: resolved }: InputReferences,
): Body {
  const depends_on = dependencies.get(path)
  const options = resolved.get(path)
  const body = { ...given, ...(depends_on && { depends_on }), ...(options && { options }) }
  if (body.server_id === undefined || body.server_id === null) return body
  const server_id = servers.get(body.server_id)
  if (server_id === undefined) throw invalid({ path: `${path}server_id`, message: 'must be a server of this organization' })
  return { ...body, server_id }
}

/**
 * Faults of assertions, patterns and paths. Runs before the transaction: compiling may take 50 ms each, during which no lock should be
 * held, and yields in between.
 */
export async function inputFaults(inputs: readonly MonitorInput[]): Promise<ErrorDetail[]> {
  const faults: ErrorDetail[] = []
  for (const { path: prefix, body } of inputs) {
    if ((body.assertions ?? []).length === 0 && body.options === undefined) continue
    const forms = validateAssertions(body.assertions ?? [], body.type)
    const own = forms.length > 0 ? forms : [...validatePatterns(body.assertions ?? []), ...optionPatternFaults(body)]
    faults.push(...own.map(({ path, message }) => ({ path: `${prefix}${path}`, message })))
    if (faults.length >= MAX_FAULTS) break
    await yieldToEventLoop()
  }
  return faults
}

function refuse(faults: readonly ErrorDetail[]): void {
  if (faults.length > 0) throw invalid(...faults.slice(0, MAX_FAULTS))
}

/**
 * Validates all definitions and returns the surrogates of their regions by id. `found`: what `inputFaults` found; `seesRequest`: whether
 * the caller sees headers and bodies. Throws validation_error with all faults.
 */
export async function validateDefinitions(
  { db }: Pick<MonitorDeps, 'db'>,
  drafts: readonly ResolvedInput[],
  found: readonly ErrorDetail[],
  seesRequest: boolean,
): Promise<Map<string, number>> {
  const ids = [...new Set(drafts.flatMap(({ definition }) => definition.regions))]
  const regions = ids.length === 0 ? new Map<string, number>() : await findRegionNumbers(db, ids)
  const faults = drafts.flatMap(({ input, definition, before }) => {
    const moved = before ? movedSecretFaults(before, definition, input.body, seesRequest) : []
    const all = [...faultsOf(definition, input, regions), ...moved]
    return all.map(({ path, message }) => ({ path: `${input.path}${path}`, message }))
  })
  const paths = new Set(found.map(({ path }) => path))
  refuse([...found, ...faults.filter(({ path }) => !paths.has(path))])
  return regions
}

function faultsOf(definition: Definition, { body }: MonitorInput, regions: ReadonlyMap<string, number>): ErrorDetail[] {
  const unknown = definition.regions.flatMap((id, index) =>
    regions.has(id) ? [] : [{ path: `regions.${index}`, message: 'must be the id of a region' }],
  )
  return [...definitionFaults(definition, body), ...unknown]
}

function definitionFaults(definition: Definition, body: MonitorInput['body']): ErrorDetail[] {
  const own = [
    ...foreignFieldFaults(definition, body),
    ...crossFieldFaults(definition, body),
    ...activeHoursFaults(definition.active_hours),
  ]
  const reported = new Set(own.map(({ path }) => path))
  return [...own, ...validateDefinition(definition).filter(({ path }) => !reported.has(path))]
}

/** Fields whose faults follow from the value of another one as well. */
const DEPENDS_ON = {
  body: ['method'],
  interval: ['timeout'],
  timeout: ['interval'],
}

/** Of a change of a monitor, where the schema refuses a part of it. Pure. */
export function changeFaults(
  before: Definition,
  body: PatchMonitorBody,
  seesRequest: boolean,
  isRefused: IsRefused,
): ErrorDetail[] {
  const after = applyPatch(before, body)
  const faults = [...definitionFaults(after, body), ...movedSecretFaults(before, after, body, seesRequest)]
  return certainFaults(faults, DEPENDS_ON, isRefused)
}

/** Of a new monitor, where the schema refuses a part of it. */
export const ownMonitorFaults: OwnFaults = (body, isRefused) => {
  const given = body as CreateMonitorBody
  return certainFaults(definitionFaults(withDefaults(given, ''), given), DEPENDS_ON, isRefused)
}
