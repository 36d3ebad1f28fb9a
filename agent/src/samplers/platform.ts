import { uptime } from 'node:os'
import type { Clock } from '../process/clock.ts'
import type { HostDetailsReader } from './host-details.ts'
import { createLinuxSampler } from './linux/sampler.ts'
import { createLinuxHostDetailsReader } from './linux/host-details.ts'
import { ProcessReader } from './linux/process-reader.ts'
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

/** The reader of all processes; undefined where systeminformation would read their arguments. */
export function createProcessReader(clock: Clock, platform: NodeJS.Platform, hostRoot = ''): ProcessReader | undefined {
  return platform === 'linux' ? new ProcessReader(clock, `${hostRoot}/proc`) : undefined
}

/** The reader of what is read once per push. `reader`: one that others read too. */
export function createHostDetailsReader(
  clock: Clock,
  platform: NodeJS.Platform,
  { processes = true, watchProcesses = [], hostRoot }: { processes?: boolean; watchProcesses?: string[]; hostRoot?: string },
  reader?: ProcessReader,
): HostDetailsReader {
  if (platform === 'linux')
    return createLinuxHostDetailsReader(clock, processes, watchProcesses, { root: hostRoot, processes: reader })
  // systeminformation reads the arguments of processes to list them: therefore no processes here,
  // and none is watched.
  return {
    prime: () => Promise.resolve(),
    read: () => Promise.resolve({ host: { uptime_seconds: Math.floor(uptime()) } }),
  }
}
