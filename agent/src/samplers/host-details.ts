import type { HostState, Process, SampleValues } from '@vedette/shared'
import { MAX_FAILED_UNITS } from '@vedette/shared/metrics/limits'
import { toGroup } from './numbers/precision.ts'

/** What people look at first on a host in addition to samples; unknown parts are absent. */
export interface HostDetails {
  /** Empty if the config excludes them. */
  processes?: Process[]
  host?: HostState
  /** The group `host` of the samples until the next reading. */
  gauges?: NonNullable<SampleValues['host']>
}

/** The state as it is sent, and its numbers for samples. */
export function toDetails(host: HostState): Pick<HostDetails, 'host' | 'gauges'> {
  const { failed_units: units, reboot_required: reboot, missing_processes: missing } = host
  const gauges = toGroup('host', {
    failed_units: units?.length,
    reboot_required: reboot === undefined ? undefined : Number(reboot),
    missing_processes: missing?.length,
  })
  return { host: { ...host, ...(units && { failed_units: units.slice(0, MAX_FAILED_UNITS) }) }, ...(gauges && { gauges }) }
}

/** Reads what is too expensive for every sample, once before each push. */
export interface HostDetailsReader {
  /** Takes the baseline of CPU times: a read about a second later has CPU percentages. */
  prime(): Promise<void>
  /** Never throws, takes at most some seconds, and never blocks the event loop for long. */
  read(): Promise<HostDetails>
}
