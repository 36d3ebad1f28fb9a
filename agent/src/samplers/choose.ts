import type { Clock } from '../clock.ts'
import { createLinuxSampler } from './linux/sampler.ts'
import { createPortableSampler } from './portable.ts'
import type { Sampler } from './sampler.ts'

/** The sampler of this system; throws a message for people where there is none yet. */
export function createSampler(clock: Clock, platform: NodeJS.Platform): Sampler {
  if (platform === 'linux') return createLinuxSampler(clock)
  if (platform === 'darwin') return createPortableSampler(clock)
  throw new Error(`this agent cannot read ${platform} yet: it runs on Linux, and with fewer figures on macOS`)
}
