import { join } from 'node:path'
import { ensureDashboard } from './launch/dashboard.mjs'

/** Before the tests: the page as `npm start` would build it, also where they are not run by `npm test`. */
export default async function setUp(): Promise<void> {
  await ensureDashboard(join(import.meta.dirname, '..'), process.execPath, () => {})
}
