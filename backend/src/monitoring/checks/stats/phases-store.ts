import { CHECK_PHASES, type CheckPhase } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { INCONCLUSIVE } from '../results/outcome-code.ts'
import { type CheckQuery, dayOf } from './store.ts'
import type { Window } from './window-plan.ts'

/** Mean milliseconds of each phase, one value per step; null for a step without a response. */
export type PhaseSeries = Record<`${CheckPhase}_ms`, (number | null)[]>

/**
 * The mean phases of the single checks with a response, by steps from the start of the window. A phase that did not happen, such as
 * connecting over a kept connection, counts as 0: the phases of a step add up to its mean response time.
 */
export async function readPhases(
  db: Db,
  { organization, monitors, region }: CheckQuery,
  { fromMs, toMs, points }: Window & { points: number },
  stepSeconds: number,
): Promise<PhaseSeries> {
  const means = CHECK_PHASES.map((phase) => sql`avg(coalesce(${sql.ref(`${phase}_us`)}, 0))::float8 as ${sql.ref(phase)}`)
  const { rows } = await sql<{ step: number } & Record<CheckPhase, number>>`
    select ((at - ${fromMs}) / ${stepSeconds * 1000})::int as step, ${sql.join(means)}
    from check_result
    where organization = ${organization} and monitor = any(${monitors}::int[]) and at >= ${fromMs} and at < ${toMs}
      and day >= ${dayOf(fromMs)} and day <= ${dayOf(toMs)}
      and response_us is not null and outcome <> ${INCONCLUSIVE}
      ${region === undefined ? sql`` : sql`and region = ${region}`}
    group by 1`.execute(db)
  const series = Object.fromEntries(
    CHECK_PHASES.map((phase) => [`${phase}_ms`, Array.from({ length: points }, (): number | null => null)]),
  ) as PhaseSeries
  for (const row of rows) for (const phase of CHECK_PHASES) series[`${phase}_ms`][row.step] = Math.round(row[phase]) / 1000
  return series
}
