import type { Clock } from '../clock.ts'
import type { HostWatch } from './host-watch.ts'
import { createLinuxSampler } from './linux/sampler.ts'
import { createLinuxWatch } from './linux/watch.ts'
import { createPortableSampler } from './portable.ts'
import type { Sampler } from './sampler.ts'

/** The sampler of this system; throws a message for people where there is none yet. */
export function createSampler(clock: Clock, platform: NodeJS.Platform): Sampler {
  if (platform === 'linux') return createLinuxSampler(clock)
  if (platform === 'darwin') return createPortableSampler(clock)
  throw new Error(`this agent cannot read ${platform} yet: it runs on Linux, and with fewer figures on macOS`)
}

/** What is looked at once a push; undefined where there is nothing of the kind yet. */
export function createHostWatch(clock: Clock, platform: NodeJS.Platform, tellsProcesses: boolean): HostWatch | undefined {
  return platform === 'linux' ? createLinuxWatch(clock, tellsProcesses) : undefined
}
