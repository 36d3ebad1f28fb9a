import { expect, it } from 'vitest'
import { FUNCTIONS as EVALUATED } from '../../backend/src/querying/promql/syntax/functions.ts'
import { parseQuery } from '../../backend/src/querying/promql/index.ts'
import { AGGREGATIONS, FUNCTIONS, GROUPINGS, KEYWORDS } from '../src/features/explore/language.ts'

it('the completion offers the functions that the backend evaluates, and no others', () =>
  expect([...FUNCTIONS].toSorted()).toEqual([...EVALUATED.keys()].toSorted()))

it('the completion offers aggregations and keywords that the backend understands', () => {
  const withParameter = new Set(['bottomk', 'count_values', 'limitk', 'quantile', 'topk'])
  const queries = [
    ...[...AGGREGATIONS].map((name) => `${name}(${name === 'count_values' ? '"x", ' : withParameter.has(name) ? '1, ' : ''}a)`),
    ...[...GROUPINGS].map((name) =>
      name === 'by' || name === 'without'
        ? `sum ${name} (x) (a)`
        : `a * ${name.startsWith('group') ? 'on (x) ' : ''}${name} (y) b`,
    ),
    ...[...KEYWORDS].map((name) => ({ bool: 'a > bool b', offset: 'a offset 5m' })[name] ?? `a ${name} b`),
  ]
  for (const query of queries) expect(() => parseQuery(query), query).not.toThrow()
})
