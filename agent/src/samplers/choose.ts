import { uptime } from 'node:os'
import type { Clock } from '../clock.ts'
import type { HostWatch } from './host-watch.ts'
import { createLinuxSampler } from './linux/sampler.ts'
import { createLinuxWatch } from './linux/watch.ts'
import { loadLibrary } from './portable/library.ts'
import { createPortableSampler } from './portable/sampler.ts'
import type { Sampler } from './sampler.ts'

/** The sampler of this system; throws a message for people where there is none yet. */
export function createSampler(clock: Clock, platform: NodeJS.Platform): Sampler {
  if (platform === 'linux') return createLinuxSampler(clock)
  if (platform === 'darwin' || platform === 'win32') return createPortableSampler({ clock, platform, load: loadLibrary })
  throw new Error(`this agent cannot read ${platform} yet: it runs on Linux, and with fewer figures on macOS and Windows`)
}

/** What is looked at once a push. */
export function createHostWatch(clock: Clock, platform: NodeJS.Platform, tellsProcesses: boolean): HostWatch {
  if (platform === 'linux') return createLinuxWatch(clock, tellsProcesses)
  // The library reads arguments to learn of processes, which is not done here.
  return {
    prime: () => Promise.resolve(),
    look: () => Promise.resolve({ host: { uptime_seconds: Math.floor(uptime()) } }),
  }
}
