import { join } from 'node:path'
import { ensureDashboard } from './launch/dashboard.mjs'

/** Builds the dashboard before the tests as `npm start` does, also for runs that `npm test` does not start. */
export default async function setUp(): Promise<void> {
  await ensureDashboard(join(import.meta.dirname, '..'), process.execPath, () => {})
}
