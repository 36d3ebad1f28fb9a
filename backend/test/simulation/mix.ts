import type { Work } from './instance.ts'
import type { SeededRandom } from './random.ts'

/** Trouble next to the product's own work, as parts of its occasions. */
const TROUBLES = { statement: 0.06, commit: 0.4, lostAnswer: 0.15, receiver: 0.3, kill: 0.01, pause: 0.02, cut: 0.01 }
export type Trouble = keyof typeof TROUBLES
/** Who does something next, as parts. */
const ACTORS = { agent: 16, probe: 24, pinger: 4, weather: 5, person: 8, worker: 43 }
export type Actor = keyof typeof ACTORS
const EVEN: Readonly<Record<Work, number>> = {
  'missed pings': 1,
  'checks by rules': 1,
  signals: 1,
  'servers by rules': 1,
  suppressions: 1,
  reminders: 1,
  escalation: 1,
  deliveries: 1,
  'leased task': 1,
  samples: 1,
  checks: 1,
}
/** What may be sent in the quiet time, and the task that only one may do. */
export const QUIET_WORKS: Readonly<Record<Work, number>> = { ...EVEN, deliveries: 4, 'leased task': 2 }

/**
 * What a run is made of. Each seed draws a mix of its own: some kinds of trouble are absent and some strong, some actors and some work
 * come often. What hardly ever meets in an even mix meets in one of those.
 */
export interface Mix {
  troubles: Readonly<Record<Trouble, number>>
  actors: Readonly<Record<Actor, number>>
  works: Readonly<Record<Work, number>>
  /** How often all instances begin some work at the same instant. */
  together: number
  /** How often a probe keeps its results for later. */
  holds: number
  /** How often the time leaps. */
  leaps: number
}

export function drawMix(random: SeededRandom): Mix {
  // Some runs have no trouble at all: there each thing happens exactly once.
  const isCalm = random.chance(0.1)
  const draw = <Key extends string>(parts: Readonly<Record<Key, number>>, factor: () => number) =>
    Object.fromEntries(Object.entries<number>(parts).map(([key, part]) => [key, part * factor()])) as Record<Key, number>
  return {
    troubles: draw(TROUBLES, () => (isCalm || random.chance(0.35) ? 0 : 1.6 * random.fraction())),
    actors: draw(ACTORS, () => random.pick([0.5, 1, 1, 3])),
    works: draw(EVEN, () => random.pick([0, 1, 1, 4])),
    together: random.pick([0, 0.3, 0.8]),
    holds: random.pick([0, 0.3, 0.9]),
    leaps: random.pick([0.01, 0.02, 0.05]),
  }
}
