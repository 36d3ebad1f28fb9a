import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ensureDashboard } from './launch/dashboard.mjs'

/** Before the tests: the page as `npm start` would build it, also where they are not run by `npm test`. */
export default async function setUp(project: TestProject): Promise<void> {
  if (!project.vitest.projects.some(({ name }) => name.startsWith('backend'))) return
  await ensureDashboard(join(import.meta.dirname, '..'), process.execPath, () => {})
}
