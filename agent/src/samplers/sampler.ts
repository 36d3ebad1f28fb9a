import type { Filesystem, NetworkInterface, SampleValues } from '@vedette/shared'

/** What one reading of all groups gave, rounded to the wire's precision; what could not be measured is absent. */
export interface Reading {
  values: SampleValues
  /** Newest state, told once per batch; absent where the platform cannot give it. */
  filesystems?: Filesystem[]
  interfaces?: NetworkInterface[]
}

/** Reads the host. It owns the baselines of its rates, so a process has one and calls it from one place. */
export interface Sampler {
  /** Takes the baselines only: a reading about a second later has rates. */
  prime(): void
  /** Reads all groups. Rates whose baseline is older than `maxGapMs` are left out. Never throws, never waits long. */
  read(maxGapMs: number): Promise<Reading>
  /** Mounts whose last call has not come back: their figures are left out until it does. */
  staleMounts(): string[]
  /** A call to the system has not come back: Node's own exit would wait for it, for ever if need be. */
  hasCallOut(): boolean
  close(): void
}
