import type { Filesystem, NetworkInterface, SampleValues } from '@vedette/shared'

/** One reading of all groups, rounded to the wire's precision; what could not be measured is absent. */
export interface Reading {
  values: SampleValues
  /** Latest state, sent once per batch; absent if the platform does not provide it. */
  filesystems?: Filesystem[]
  interfaces?: NetworkInterface[]
}

/** Reads the host. Owns the baselines of its rates, so a process has one sampler and reads it from one place. */
export interface Sampler {
  /** Takes only the baselines: a reading about a second later has rates. */
  prime(): void
  /** Reads all groups. Rates whose baseline is older than `maxGapMs` are left out. Never throws, never waits long. */
  read(maxGapMs: number): Promise<Reading>
  /** Mounts whose last call has not returned: they are left out until it does. */
  staleMounts(): string[]
  /** A system call has not returned: Node's exit would wait for it, possibly for ever. */
  hasPendingCall(): boolean
  close(): void
}

/** The values of a sample without the groups that could not be measured. */
export function toValues(groups: { [G in keyof SampleValues]: SampleValues[G] | undefined }): SampleValues {
  // Removing the undefined entries turns the one type into the other.
  return Object.fromEntries(Object.entries(groups).filter(([, group]) => group !== undefined)) as SampleValues
}
