import { sql } from 'kysely'
import { binaryArray } from '../../../platform/db/index.ts'
import type { ServerHour, ServerKey } from './keys.ts'

/** Servers as rows `given (organization, server)` of a statement. */
export const given = (servers: readonly ServerKey[]) => sql`unnest(
  ${organizationsOf(servers)}::int4[], ${serversOf(servers)}::int4[]
) as given (organization, server)`
export const organizationsOf = (keys: readonly ServerKey[]): Buffer =>
  binaryArray.int4(keys.map(({ organization }) => organization))
export const serversOf = (keys: readonly ServerKey[]): Buffer => binaryArray.int4(keys.map(({ server }) => server))

/** The servers that are not among those. */
export function without(servers: readonly ServerKey[], those: readonly ServerKey[]): ServerKey[] {
  const nameOf = ({ organization, server }: ServerKey) => `${organization}/${server}`
  const names = new Set(those.map(nameOf))
  return servers.filter((key) => !names.has(nameOf(key)))
}

/** Hours of servers as rows `given (server, hour)`. */
export const pairsOf = (pairs: readonly ServerHour[]) => sql`unnest(
  ${pairs.map(({ server }) => server)}::int[], ${pairs.map(({ hour }) => hour)}::int[]
) as given (server, hour)`
