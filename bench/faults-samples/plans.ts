import type { Plan } from './cases.ts'
import type { Chaos } from './chaos.ts'

const AGENTS = 20

async function times(count: number, strike: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; index < count; index += 1) await strike(index)
}

/** All parts in turn. */
function any(chaos: Chaos, index: number): Promise<void> {
  const strikes = [
    () => chaos.killBackend(),
    () => chaos.killPostgres(),
    () => chaos.killStartingBackend(),
    () => chaos.restartPostgres(),
  ]
  return (strikes[index % strikes.length] as () => Promise<void>)()
}

/** The cases of the catalogue with their counts, or a share of them. */
export function plansOf(share: number): Plan[] {
  const some = (count: number) => Math.max(1, Math.ceil(count * share))
  const plan = { agents: AGENTS, samples: some(300_000), habits: {}, compacts: true }
  return [
    { ...plan, name: 'F2 backend killed', strike: (chaos) => times(some(100), () => chaos.killBackend()) },
    { ...plan, name: 'F3 Postgres killed', strike: (chaos) => times(some(50), () => chaos.killPostgres()) },
    { ...plan, name: 'F3 Postgres restarted', strike: (chaos) => times(some(20), () => chaos.restartPostgres()) },
    {
      ...plan,
      name: 'F7 twice at once and out of order',
      compacts: false,
      habits: { twice: 0.5, again: 0.3, pauseMs: 20 },
      strike: () => Promise.resolve(),
    },
    { ...plan, name: 'F2 and F3 in turn', strike: (chaos) => times(some(20), (index) => any(chaos, index)) },
  ]
}
