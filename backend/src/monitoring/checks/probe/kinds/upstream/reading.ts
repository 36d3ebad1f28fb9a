/** What a status page says, whatever its form. */

/** From the best to the worst. */
export const LEVELS = ['operational', 'maintenance', 'degraded', 'partial_outage', 'major_outage'] as const
export type Level = (typeof LEVELS)[number]

export interface PageComponent {
  name: string
  level: Level
}

export interface PageIncident {
  name: string
  level: Level
  updatedAt?: string | undefined
  /** Names of the components that it is about; all without them. */
  components?: readonly string[]
}

export interface Reading {
  components: readonly PageComponent[]
  /** Open ones, the newest first. */
  incidents: readonly PageIncident[]
  /** True where the page lists components; a page of incidents alone does not name those that work. */
  isComplete: boolean
  /** What the page itself makes of all its components. */
  overall?: Level | undefined
  updatedAt?: string | undefined
}

export const worstOf = (levels: readonly Level[]): Level =>
  LEVELS[Math.max(0, ...levels.map((level) => LEVELS.indexOf(level)))] ?? 'operational'

/** Of the chosen components, or of the page as a whole. */
export interface PageOutcome {
  level: Level
  /** Those that are not operational. */
  affected: readonly string[]
  incident: PageIncident | undefined
}

const keyOf = (name: string): string => name.trim().toLowerCase().replaceAll(/\s+/g, ' ')

/** The level of the chosen components by their names in any case; `missing` are those that the page does not have. Pure. */
export function outcomeOf(reading: Reading, chosen: readonly string[]): PageOutcome | { missing: readonly string[] } {
  const { components, incidents, isComplete, overall } = reading
  if (chosen.length === 0) {
    const affected = components.filter(({ level }) => level !== 'operational')
    const level = overall ?? worstOf([...components, ...incidents].map((one) => one.level))
    return { level, affected: affected.map(({ name }) => name), incident: worstIncident(incidents) }
  }
  const wanted = new Set(chosen.map(keyOf))
  const found = components.filter(({ name }) => wanted.has(keyOf(name)))
  const names = new Set(found.map(({ name }) => keyOf(name)))
  const missing = chosen.filter((name) => !names.has(keyOf(name)))
  if (isComplete && missing.length > 0) return { missing }
  const own = incidents.filter((one) => one.components?.some((name) => wanted.has(keyOf(name))) ?? true)
  // Where components are listed, their own state decides, and incidents only say why.
  const level = worstOf([...found, ...(isComplete ? [] : own)].map((one) => one.level))
  const affected = found.filter((one) => one.level !== 'operational').map(({ name }) => name)
  return { level, affected, incident: worstIncident(own) }
}

const worstIncident = (incidents: readonly PageIncident[]): PageIncident | undefined =>
  incidents.toSorted((one, other) => LEVELS.indexOf(other.level) - LEVELS.indexOf(one.level))[0]
