import { expect, it } from 'vitest'
import { AGGREGATIONS, FUNCTIONS, GROUPINGS, KEYWORDS } from '../src/features/explore/language.ts'
import { sharedBackend } from './shared-backend.ts'

const PARAMETERS: Readonly<Record<string, string>> = { bottomk: '1', count_values: '"x"', limitk: '1', quantile: '1', topk: '1' }
const groupedBy = (name: string) => (name.startsWith('group') ? `a * on (x) ${name} (y) b` : `a * ${name} (x) b`)

it('the completion of a query offers words that the backend understands', async () => {
  const backend = await sharedBackend()
  const as = await backend.member(await backend.organization(), 'viewer')
  const faultOf = async (query: string): Promise<string> => {
    const path = `/v1/prometheus/api/v1/parse_query?${String(new URLSearchParams({ query }))}`
    return (await backend.call('GET', path, { as })).body.error ?? ''
  }
  const queries = [
    ...[...AGGREGATIONS].map((name) => `${name}(${PARAMETERS[name] === undefined ? '' : `${PARAMETERS[name]}, `}a)`),
    ...[...GROUPINGS].map((name) => (name === 'by' || name === 'without' ? `sum ${name} (x) (a)` : groupedBy(name))),
    ...[...KEYWORDS].map((name) => ({ bool: 'a > bool b', offset: 'a offset 5m' })[name] ?? `a ${name} b`),
  ]
  for (const query of queries) expect(await faultOf(query), query).toBe('')
  // Without arguments, which most of them need.
  for (const name of FUNCTIONS) expect(await faultOf(`${name}()`)).not.toMatch(/unknown function|not supported/)
})
