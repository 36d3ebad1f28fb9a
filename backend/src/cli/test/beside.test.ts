import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ADMIN, makeWorkbench, processesOf, readiness } from '../../../test/e2e/workbench.ts'
import { startTestBackend } from '../../../test/harness.ts'
import { runVedette } from './run.ts'

const bench = makeWorkbench()
afterAll(() => bench.cleanUp())
const MAIN = join(import.meta.dirname, '../../main.ts')

it('commands work beside an instance on its embedded database, and alone on it', { timeout: 180_000 }, async () => {
  const dataDir = join(bench.makeFolder(), 'data')
  const settings = { VEDETTE_DATA_DIR: dataDir }
  const instance = await bench.start({ dataDir, command: 'serve', environment: ADMIN })
  const beside = await runVedette(['key', 'create', '--name', 'beside', '--scopes', 'read', '--json'], settings)
  expect(beside).toMatchObject({ code: 0, json: { name: 'beside' } })
  const asked = await fetch(`${instance.url}/v1/servers`, { headers: { 'x-api-key': beside.json.key } })
  expect(asked.status).toBe(200)
  expect(await instance.stop()).toMatchObject({ code: 0 })

  const alone = await runVedette(['org', 'list', '--json'], settings)
  expect(alone).toMatchObject({ code: 0, json: { organizations: [{ plan: 'enterprise', members: 1 }] } })
  expect(processesOf(dataDir)).toEqual([])
  expect((await runVedette(['migrate', '--json'], settings)).json).toEqual({ applied: [] })
})

it('work keeps the partitions of the database, and ends in order [START-34]', { timeout: 180_000 }, async () => {
  const backend = await startTestBackend()
  const { pg } = backend.pool
  await pg.query(`do $$ declare part regclass; begin
    for part in select inhrelid from pg_inherits where inhparent = 'metric_push'::regclass loop
      execute 'drop table ' || part;
    end loop; end $$`)
  const environment = { DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(bench.makeFolder(), 'data') }
  const program = bench.run([process.execPath, MAIN, 'work'], environment)
  expect((await readiness(program)).url).toBe('work')
  const { rows } = await pg.query(`select from pg_inherits where inhparent = 'metric_push'::regclass`)
  expect(rows).toHaveLength(5)
  process.kill(program.pid, 'SIGTERM')
  expect(await program.ended).toMatchObject({ code: 0, output: expect.stringContaining('stopped') })
  await backend.close()
})

it('a service with --json says each thing as one document a line [START-34]', { timeout: 180_000 }, async () => {
  const backend = await startTestBackend()
  const environment = { DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(bench.makeFolder(), 'data'), VEDETTE_PORT: '0' }
  const program = bench.run([process.execPath, MAIN, 'serve', '--json'], { ...environment, VEDETTE_LOG_LEVEL: 'silent' })
  const lines = () =>
    program
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; text: string })
  await expect.poll(() => program.output(), { timeout: 60_000 }).toContain('"event":"ready"')
  expect(lines().find(({ event }) => event === 'ready')?.text).toMatch(/^http:\/\/127\.0\.0\.1:\d+/)
  process.kill(program.pid, 'SIGTERM')
  expect((await program.ended).code).toBe(0)
  expect(lines().at(-1)).toEqual({ event: 'stopped', text: '' })
  await backend.close()
})
