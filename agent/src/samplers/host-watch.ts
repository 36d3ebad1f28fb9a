import type { HostState, Process } from '@vedette/shared'

/** What people look for first on a host, beside samples; what could not be learnt is left out. */
export interface HostNews {
  /** Empty where the host keeps them to itself. */
  processes?: Process[]
  host?: HostState
}

/** Looks at what is too dear for every sample; once before each push. */
export interface HostWatch {
  /** Takes the baseline of CPU times: a look about a second later has shares. */
  prime(): Promise<void>
  /** Never throws, takes some seconds at most, and never holds the event loop for long. */
  look(): Promise<HostNews>
}
