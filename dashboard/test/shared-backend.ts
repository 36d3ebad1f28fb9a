import { startTestBackend, type TestBackend } from '../../backend/test/harness.ts'

let shared: Promise<TestBackend> | undefined

/**
 * One backend for the test files of this process that need an organization of their own and nothing else: they move no clock, run no job
 * and change nothing of the installation. It ends with the process.
 */
export const sharedBackend = (): Promise<TestBackend> => (shared ??= startTestBackend({ startMs: Date.now() }))
