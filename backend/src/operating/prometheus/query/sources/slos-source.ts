import { readBudgets, readSlos, type SloRow } from '../../../../monitoring/slos/index.ts'
import { encodeId } from '../../../../platform/ids.ts'
import { matches, type SeriesData } from '../../../../querying/promql/index.ts'
import type { Family } from '../../export/format.ts'
import { requireWithinBounds } from './bounds.ts'
import { isNamed } from './names.ts'
import type { Labels, Scope, SeriesSource, Wanted } from './source.ts'
import { type Step, stepSamples, stepSeries } from './steps.ts'

const gauge = (name: string, help: string): Family => ({ name, type: 'gauge', help })
const FAMILIES = {
  left: gauge(
    'vedette_slo_budget_remaining_ratio',
    'What is left of the error budget, 1 for all of it; negative when it is exceeded.',
  ),
  objective: gauge('vedette_slo_objective_ratio', 'The share of good checks that the SLO promises.'),
} as const

/** Until then a budget is the one of now: clients round to the last step. */
const NOW_MS = 300_000

/** What is left of the budgets of SLOs. */
export function slosSource(): SeriesSource {
  return {
    families: Object.values(FAMILIES),
    mayHave: (matchers) => Object.values(FAMILIES).some(({ name }) => isNamed(matchers)(name)),
    list: async (scope, wanted) => (await chooseSlos(scope, wanted)).flatMap(({ series }) => series.map(({ labels }) => labels)),
    read,
  }
}

interface ChosenSlo {
  slo: SloRow
  series: { family: Family; labels: Labels }[]
}

async function chooseSlos({ from, organization }: Scope, { matchers }: Wanted): Promise<ChosenSlo[]> {
  const isWanted = isNamed(matchers)
  const slos = await readSlos(from.db, organization)
  return slos
    .map((slo) => {
      const own = { slo: slo.name, slo_id: encodeId('slo', slo.id) }
      const series = Object.values(FAMILIES).map((family) => ({ family, labels: { __name__: family.name, ...own } }))
      return { slo, series: series.filter(({ family, labels }) => isWanted(family.name) && matches(matchers, labels)) }
    })
    .filter(({ series }) => series.length > 0)
}

async function read(scope: Scope, wanted: Wanted): Promise<{ series: SeriesData[] }> {
  const { from, nowMs } = scope
  const chosen = await chooseSlos(scope, wanted)
  requireWithinBounds({ series: 2 * chosen.length, samples: 2 * chosen.length * stepSamples(wanted) })
  const withBudget = chosen.filter(({ series }) => series.some(({ family }) => family === FAMILIES.left))
  const withNow = wanted.toMs > nowMs - NOW_MS
  const slos = withBudget.map(({ slo }) => slo)
  const budgets = slos.length === 0 ? undefined : await readBudgets(from.db, scope, slos, wanted, withNow)
  const stepsOf = (family: Family, slo: SloRow): Step[] =>
    // An objective of before is not stored.
    family === FAMILIES.objective
      ? [{ atMs: 0, value: Math.round(slo.objective * 1e6) / 1e8 }]
      : (budgets?.get(slo.id) ?? []).map(({ atMs, leftPercent }) => ({
          atMs: Math.min(atMs, wanted.toMs),
          value: leftPercent === undefined ? undefined : leftPercent / 100,
        }))
  return {
    series: chosen.flatMap(({ slo, series }) =>
      series.flatMap(({ family, labels }) => stepSeries(labels, stepsOf(family, slo), wanted, scope) ?? []),
    ),
  }
}
