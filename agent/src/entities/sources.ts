import type { Clock } from '../clock.ts'
import type { AgentConfig } from '../config-settings.ts'
import { LimitSource } from './kernel-limits.ts'
import { PressureSource } from './pressure.ts'
import type { EntitySource } from './source.ts'

/** The sources of this system, one a line. */
export function createEntitySources(clock: Clock, platform: NodeJS.Platform, config: AgentConfig): EntitySource[] {
  if (platform !== 'linux') return []
  const { hostRoot = '' } = config
  const procRoot = `${hostRoot}/proc`
  return [new PressureSource(clock, procRoot), new LimitSource({ procRoot, hasNetwork: hostRoot === '' })]
}
