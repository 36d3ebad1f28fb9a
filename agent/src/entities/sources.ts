import type { Clock } from '../process/clock.ts'
import type { AgentConfig } from '../config/config-settings.ts'
import type { Log } from '../process/log.ts'
import { loadSystemInformation } from '../samplers/portable/systeminformation.ts'
import type { ProcessReader } from '../samplers/linux/process-reader.ts'
import { ArraySource } from './arrays.ts'
import { BatterySource } from './batteries.ts'
import { createContainerSources } from './containers/create.ts'
import { DeviceFiles, DeviceFolders } from './device-files.ts'
import { GpuSource } from './gpus.ts'
import { LimitSource } from './kernel-limits.ts'
import { MemoryErrorSource } from './memory-errors.ts'
import { NvidiaSource } from './nvidia.ts'
import { OwnMetricsSource } from './own-metrics/source.ts'
import { createPortableSource, createServiceSource } from './portable.ts'
import { PressureSource } from './pressure.ts'
import { ProcessSource } from './processes.ts'
import { SensorSource } from './sensors.ts'
import { SmartSource } from './smart.ts'
import type { EntitySource } from './source.ts'
import { UpdateSource } from './updates/source.ts'
import { UpsSource } from './ups.ts'
import { UnitSource } from './units/source.ts'

export interface SourceDeps {
  clock: Clock
  log: Log
  platform: NodeJS.Platform
  config: AgentConfig
  processes: ProcessReader | undefined
  stateDir: string
}

/** The sources of this system, one a line. */
export function createEntitySources({ clock, log, platform, config, processes, stateDir }: SourceDeps): EntitySource[] {
  const { hostRoot = '', units = [], watchProcesses = [], ups = [], textfileDir, statsdListen } = config
  const everywhere = [
    ...ups.map((address) => new UpsSource(clock, address)),
    ...((textfileDir ?? statsdListen) === undefined ? [] : [new OwnMetricsSource(clock, log, config)]),
  ]
  if (platform === 'darwin' || platform === 'win32')
    return [
      ...everywhere,
      createPortableSource({ clock, platform, load: loadSystemInformation }),
      ...(units.length > 0 ? [createServiceSource({ clock, platform, units, load: loadSystemInformation })] : []),
    ]
  if (platform !== 'linux') return everywhere
  const procRoot = `${hostRoot}/proc`
  const sysRoot = `${hostRoot}/sys`
  const files = new DeviceFiles(clock)
  const { list } = new DeviceFolders(clock, sysRoot)
  return [
    ...everywhere,
    ...createContainerSources(clock, config),
    new PressureSource(clock, procRoot),
    new LimitSource({ procRoot, hasNetwork: hostRoot === '' }),
    new SensorSource(clock, sysRoot, files, list),
    new BatterySource(sysRoot, files, list),
    new MemoryErrorSource(sysRoot, list),
    new ArraySource({ procRoot, sysRoot }, list),
    ...(processes ? [new ProcessSource(clock, processes, watchProcesses, config.processes ?? true)] : []),
    new GpuSource(clock, sysRoot, files, list),
    new NvidiaSource({ procRoot }),
    // Of the host itself: a container has neither its package manager nor its libraries.
    ...(hostRoot === '' ? [new UpdateSource(clock, log, { root: '', stateFile: `${stateDir}/updates.json` })] : []),
    ...(config.smart ? [new SmartSource(clock, log, `${hostRoot}/run/vedette-smart`)] : []),
    ...(units.length > 0 ? [new UnitSource(clock, units, { root: hostRoot })] : []),
  ]
}
