import { isPattern, type Matcher } from '../../../../querying/promql/index.ts'
import { invalid } from '../../../../platform/errors.ts'

const MATCHER = /^\s*([a-zA-Z_][\w.:-]{0,255})\s*(=~|!~|!=|=)\s*(.*?)\s*$/s
const MAX_FILTERS = 64
const MAX_FILTER_LENGTH = 4_096

/** `severity="critical"`, `team=~"a|b"`, without quotes too. Throws validation_error. Pure. */
export function parseFilters(filters: readonly string[]): Matcher[] {
  if (filters.length > MAX_FILTERS) throw invalid({ path: 'filter', message: `must be at most ${MAX_FILTERS} matchers` })
  return filters.map((filter) => {
    const [, label = '', op = '', sent = ''] = (filter.length <= MAX_FILTER_LENGTH && MATCHER.exec(filter)) || []
    if (label === '')
      throw invalid({ path: 'filter', message: 'must be a matcher of up to 4,096 characters, as severity="critical"' })
    const value = sent.startsWith('"') ? unquote(sent) : sent
    if (op.endsWith('~') && !isPattern(value))
      throw invalid({ path: 'filter', message: `must be a regular expression of RE2 for ${label}` })
    return { label, op: op as Matcher['op'], value }
  })
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    throw invalid({ path: 'filter', message: 'must have quotes around the whole value' })
  }
}

/** Whether a name matches a pattern as a whole; without one it does. Throws validation_error. */
export function isReceiver(pattern: string | undefined, name: string): boolean {
  if (pattern === undefined || pattern === '') return true
  if (!isPattern(pattern)) throw invalid({ path: 'receiver', message: 'must be a regular expression of RE2' })
  return isPattern(pattern, name)
}
