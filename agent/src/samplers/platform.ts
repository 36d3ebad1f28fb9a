import { uptime } from 'node:os'
import type { Clock } from '../clock.ts'
import type { HostDetailsReader } from './host-details.ts'
import { createLinuxSampler } from './linux/sampler.ts'
import { createLinuxHostDetailsReader } from './linux/host-details.ts'
import { loadSystemInformation } from './portable/systeminformation.ts'
import { createPortableSampler } from './portable/sampler.ts'
import type { Sampler } from './sampler.ts'

/** The sampler of this system; throws a readable message for unsupported systems. */
export function createSampler(clock: Clock, platform: NodeJS.Platform, hostRoot?: string): Sampler {
  if (platform === 'linux') return createLinuxSampler(clock, { hostRoot })
  if (platform === 'darwin' || platform === 'win32')
    return createPortableSampler({ clock, platform, load: loadSystemInformation })
  throw new Error(`the agent does not support ${platform}: it runs on Linux, and with fewer metrics on macOS and Windows`)
}

/** The reader of what is read once per push. */
export function createHostDetailsReader(
  clock: Clock,
  platform: NodeJS.Platform,
  { processes = true, watchProcesses = [], hostRoot }: { processes?: boolean; watchProcesses?: string[]; hostRoot?: string },
): HostDetailsReader {
  if (platform === 'linux') return createLinuxHostDetailsReader(clock, processes, watchProcesses, { root: hostRoot })
  // systeminformation reads the arguments of processes to list them: therefore no processes here,
  // and none is watched.
  return {
    prime: () => Promise.resolve(),
    read: () => Promise.resolve({ host: { uptime_seconds: Math.floor(uptime()) } }),
  }
}
