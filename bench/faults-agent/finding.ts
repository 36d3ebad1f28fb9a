import type { Account } from './account.ts'

/** What a case found; every figure in addition to the account has its unit in its name. */
export type Finding = Account & Record<string, number>

const SUMMED = new Set(['taken', 'stored', 'lost', 'lostAtKill', 'doubled', 'wrong', 'agents', 'kills', 'runs', 'jumps', 'tries'])
const SUMMED_ENDS = ['Samples', 'Accepted']

/** The same case with several agents at once: counts are added up, of a time the worst stands. */
export async function combine(runs: readonly Promise<Finding>[]): Promise<Finding> {
  const found = await Promise.all(runs)
  const names = new Set(found.flatMap((one) => Object.keys(one)))
  const merged = [...names].map((name) => [
    name,
    merge(
      name,
      found.map((one) => one[name]).filter((value) => value !== undefined),
    ),
  ])
  return { agents: found.length, ...(Object.fromEntries(merged) as Finding) }
}

function merge(name: string, values: readonly number[]): number {
  if (SUMMED.has(name) || SUMMED_ENDS.some((end) => name.endsWith(end))) return values.reduce((sum, value) => sum + value, 0)
  return name.startsWith('shortest') ? Math.min(...values) : Math.max(...values)
}

/** So many agents, each with its number. */
export function each(agents: number, run: (agent: number) => Promise<Finding>): Promise<Finding> {
  return combine(Array.from({ length: agents }, (_, agent) => run(agent)))
}

/** What must be 0, whatever the fault. */
export function faultsOf({ lost, doubled, wrong, oldTokenAccepted = 0, droppedOutOfOrder = 0 }: Finding): number {
  return lost + doubled + wrong + oldTokenAccepted + droppedOutOfOrder
}
