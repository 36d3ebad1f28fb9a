import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { systemClock } from '../src/platform/clock.ts'
import { createPool, migrate } from '../src/platform/db/index.ts'
import { startEmbeddedPostgres } from '../src/platform/db/postgres/index.ts'
import { silentLog } from '../src/platform/log.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the test cluster's maintenance database. */
    postgresUrl: string
  }
}

export const TEMPLATE = 'vedette_template'

/**
 * One real cluster for the run, and in it one migrated template: each test file works on its own clone. `TEST_DATABASE_URL`
 * names another server to run the same tests against.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL']
  const folder = mkdtempSync(join(tmpdir(), 'vedette-test-'))
  // Nothing in these databases must survive the run: without fsync the clones are made several times faster.
  const postgres =
    given === undefined ? await startEmbeddedPostgres({ dataDir: folder, log: silentLog, fsync: false }) : undefined
  const url = postgres?.url ?? given ?? ''
  await makeTemplate(url)
  project.provide('postgresUrl', url)
  return async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`drop database if exists ${TEMPLATE}`)
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  const pool = createPool({ url: withDatabase(url, TEMPLATE), clock: systemClock, log: silentLog })
  await migrate(pool.db, silentLog)
  await pool.end()
}

export function withDatabase(url: string, database: string): string {
  const parsed = new URL(url)
  parsed.pathname = `/${database}`
  return parsed.href
}
