import { configureGlobal } from 'fast-check'
import { afterAll, vi } from 'vitest'

// In the gate property tests and dealt matrices use a fixed seed, so that a failure comes from the change and not from chance. All other
// runs use a new seed each time, or that of `TEST_SEED`; `npm run test:nightly` searches longest.
const seed = process.env['TEST_SEED'] ?? (process.env['TEST_REQUIRE_ALL'] === '1' ? '20261122' : undefined)
if (seed !== undefined) configureGlobal({ seed: Number(seed) })

// The next file of this process waits by real timers.
afterAll(() => void vi.useRealTimers())
