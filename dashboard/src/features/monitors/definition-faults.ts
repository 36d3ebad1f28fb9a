import type { ErrorDetail } from '@vedette/shared'
import type { MonitorInput } from './input.ts'
import type * as PlainFaults from './plain-faults.ts'

type Checks = Pick<typeof PlainFaults, 'definitionFaults' | 'withPlainFaults'>

/** Without what is loaded, as when the network is away, the API alone says what it refuses. */
let checks: Checks = { definitionFaults: () => [], withPlainFaults: (error) => error }

/** Loads the validation of the backend, and its words for people, once an input is to be checked. Never rejects. */
export async function loadPlainFaults(): Promise<Checks> {
  try {
    checks = await import('./plain-faults.ts')
  } catch {
    // The next call tries again.
  }
  return checks
}

/** Faults of a monitor that its schema does not show; none before they are loaded. */
export const definitionFaults = (input: MonitorInput): ErrorDetail[] => checks.definitionFaults(input)
