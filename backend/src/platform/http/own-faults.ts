import type { ErrorDetail } from '@vedette/shared'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What the schema of the body cannot say and the handler would refuse, so that a body that the schema refuses is answered with all
     * of its faults. `body` is what the schema accepts of it; `isRefused`: whether the schema refuses a field, on whose value others may
     * depend. Pure.
     */
    ownFaults?: OwnFaults
  }
}

export type OwnFaults = (body: Record<string, unknown>, isRefused: (field: string) => boolean) => readonly ErrorDetail[]

/** As many as the schema reports. */
const MAX_DETAILS = 20

/** The faults of the schema, and those of the rest of the body. Where the type is refused nothing is said about fields that depend on it. Pure. */
export function withOwnFaults(details: readonly ErrorDetail[], body: unknown, ownFaults: OwnFaults): ErrorDetail[] {
  const paths = details.map(({ path }) => path)
  if (typeof body !== 'object' || body === null || paths.some((path) => path === '' || path === 'type')) return [...details]
  const accepted = paths.reduce((rest, path) => without(rest, path.split('.')), body as Record<string, unknown>)
  const isRefused = (field: string) => paths.some((path) => isWithin(path, field) || isWithin(field, path))
  const own = ownFaults(accepted, isRefused).filter(({ path }) => !isRefused(path))
  return [...details, ...own].slice(0, MAX_DETAILS)
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`)

/** A copy without what is at the path; of a list without the list, whose positions are in other paths. */
function without(value: Record<string, unknown>, [name = '', ...rest]: readonly string[]): Record<string, unknown> {
  const { [name]: inner, ...others } = value
  const isKept = rest.length > 0 && typeof inner === 'object' && inner !== null && !Array.isArray(inner)
  return isKept ? { ...others, [name]: without(inner as Record<string, unknown>, rest) } : others
}
