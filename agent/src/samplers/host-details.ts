import type { HostState, Process } from '@vedette/shared'

/** What people look at first on a host in addition to samples; unknown parts are absent. */
export interface HostDetails {
  /** Empty if the config excludes them. */
  processes?: Process[]
  host?: HostState
}

/** Reads what is too expensive for every sample, once before each push. */
export interface HostDetailsReader {
  /** Takes the baseline of CPU times: a read about a second later has CPU percentages. */
  prime(): Promise<void>
  /** Never throws, takes at most some seconds, and never blocks the event loop for long. */
  read(): Promise<HostDetails>
}
