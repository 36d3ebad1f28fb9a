import { join } from 'node:path'
import { ensureBuilt } from './launch/build.mjs'

/** Builds before the tests what `npm start` builds, also for runs that `npm test` does not start. */
export default async function setUp(): Promise<void> {
  await ensureBuilt(join(import.meta.dirname, '..'), process.execPath, ['dashboard', 'backend', 'agent'], () => {})
}
