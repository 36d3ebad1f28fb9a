import { join } from 'node:path'
import { ensureBuilt } from './launch/build.mjs'

/** Builds the dashboard before the tests as `npm start` does, also for runs that `npm test` does not start. */
export default async function setUp(): Promise<void> {
  await ensureBuilt(join(import.meta.dirname, '..'), process.execPath, ['dashboard'], () => {})
}
