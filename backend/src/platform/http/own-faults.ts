import type { ErrorDetail } from '@vedette/shared'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What the schema of the body cannot say and the handler would refuse, so that a body that the schema refuses is answered with all
     * of its faults. `body` is what the schema accepts of it; `isRefused`: whether the schema refuses a field, on whose value others may
     * depend. One that depends on the body alone is pure; that of a change may read what is stored.
     */
    ownFaults?: (...given: [...Parameters<OwnFaults>, FastifyRequest]) => readonly ErrorDetail[] | Promise<readonly ErrorDetail[]>
  }
}

export type OwnFaults = (body: Record<string, unknown>, isRefused: IsRefused) => readonly ErrorDetail[]

export type IsRefused = (field: string) => boolean

/** Throws validation_error with all faults of a body that its schema accepts. */
export function requireNoFaults(ownFaults: OwnFaults, body: Record<string, unknown>): void {
  const faults = ownFaults(body, () => false)
  if (faults.length > 0) throw invalid(...faults.slice(0, MAX_DETAILS))
}

/** Those that depend on no refused field; `dependsOn`: the other fields on which a fault depends, by its path. Pure. */
export const certainFaults = (
  faults: readonly ErrorDetail[],
  dependsOn: Readonly<Record<string, readonly string[]>>,
  isRefused: IsRefused,
): ErrorDetail[] => faults.filter(({ path }) => !(dependsOn[path] ?? []).some(isRefused))

/** As many as the schema reports. */
const MAX_DETAILS = 20

/** The faults of the schema, and those of the rest of the body. Where the type is refused nothing is said about fields that depend on it. */
export async function withOwnFaults(
  details: readonly ErrorDetail[],
  body: unknown,
  ownFaults: (...given: Parameters<OwnFaults>) => readonly ErrorDetail[] | Promise<readonly ErrorDetail[]>,
): Promise<ErrorDetail[]> {
  const paths = details.map(({ path }) => path)
  if (typeof body !== 'object' || body === null || paths.some((path) => path === '' || path === 'type')) return [...details]
  const accepted = paths.reduce((rest, path) => without(rest, path.split('.')), body as Record<string, unknown>)
  const isRefused = (field: string) => paths.some((path) => isWithin(path, field) || isWithin(field, path))
  const own = await ownFaults(accepted, isRefused)
  return [...details, ...own.filter(({ path }) => !isRefused(path))].slice(0, MAX_DETAILS)
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`)

/** A copy without what is at the path; of a list without the list, whose positions are in other paths. */
function without(value: Record<string, unknown>, [name = '', ...rest]: readonly string[]): Record<string, unknown> {
  const { [name]: inner, ...others } = value
  const isKept = rest.length > 0 && typeof inner === 'object' && inner !== null && !Array.isArray(inner)
  return isKept ? { ...others, [name]: without(inner as Record<string, unknown>, rest) } : others
}
