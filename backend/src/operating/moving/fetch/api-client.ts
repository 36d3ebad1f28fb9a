import { SourceFault } from '../files.ts'
import type { ApiClient, ApiOf, FetchCounts, FetchPlatform } from '../api.ts'
import type { FetchLimits } from './limits.ts'
import { createTransport, prefixOf } from './transport.ts'

const MISSING_STATUS: ReadonlySet<number> = new Set([402, 403, 404, 410])
/** Opsgenie answers 422 to what has not the form of a key. */
const REFUSED_STATUS: ReadonlySet<number> = new Set([401, 403, 422])
const isOk = (status: number): boolean => status >= 200 && status < 300

/** Reads an API, within the limits. Links to another origin are refused, as redirects are. */
export function createApiClient(
  base: URL,
  api: ApiOf,
  credentials: readonly string[],
  limits: FetchLimits,
  platform: FetchPlatform,
): { client: ApiClient; counts: FetchCounts } {
  const counts: FetchCounts = { requests: 0, bytes: 0, missed: [] }
  const read = createTransport(base, api, credentials, limits, platform, counts)
  const prefix = prefixOf(base)

  const faultOf = (path: string, status: number): SourceFault => {
    const other = api.otherUrl === undefined ? '' : ` (or the account is at ${api.otherUrl}: name it with --url)`
    if (REFUSED_STATUS.has(status))
      return new SourceFault(`GET ${path}: is refused (${status}): the token is wrong, or may not read it${other}`)
    return new SourceFault(`GET ${path}: answers ${status}`)
  }

  const parse = (path: string, text: string): unknown => {
    try {
      return JSON.parse(text)
    } catch (error) {
      // The message of the parser quotes the answer, which may hold secrets.
      throw new SourceFault(`GET ${path}: answers no JSON; is ${base.href} the address of the API?`, { cause: error })
    }
  }

  const miss = (what: string, why: string) => void counts.missed.push({ what, why })
  const client: ApiClient = {
    maxPages: limits.pages,
    get: async (path) => {
      const { status, text } = await read(path)
      if (!isOk(status)) throw faultOf(path, status)
      return parse(path, text)
    },
    find: async (path) => {
      const { status, text } = await read(path)
      if (isOk(status)) return parse(path, text)
      if (!MISSING_STATUS.has(status)) throw faultOf(path, status)
      miss(path.replace(/\?.*$/, ''), `answers ${status}`)
      return undefined
    },
    forEach: async (items, work) => {
      const rest = items.values()
      const failures: unknown[] = []
      const worker = async () => {
        // One iterator: each item is taken by one of them.
        for (const item of rest) {
          if (failures.length > 0) return
          await work(item).catch((error: unknown) => failures.push(error))
        }
      }
      await Promise.all(Array.from({ length: api.atOnce }, worker))
      if (failures.length > 0) throw failures[0]
    },
    miss,
    pathOf: (link) => {
      const url = URL.parse(link, base)
      // Behind a proxy some of them name http:// though they are reached by https://.
      if (url?.host !== base.host) throw new SourceFault(`A next page is at ${url?.host ?? link}; the token is not sent there`)
      const path = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : url.pathname
      return `${path}${url.search}`
    },
  }
  return { client, counts }
}
