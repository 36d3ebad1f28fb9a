import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillInstallation, contentsOf, makeDatabase, type FilledInstallation } from '../../../../test/filled-installation.ts'
import { startTestBackend, TEST_SECRET, type TestBackend } from '../../../../test/harness.ts'
import { checkArchive, exportInstallation, readLastExport } from '../../archive/index.ts'
import { createPool, type Pool } from '../../../platform/db/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { progressBar, withProgress } from '../progress.ts'
import type { CommandContext } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import type { Task } from '../command.ts'
import { callVedette, runVedette } from './run-vedette.ts'
import { bareEnvironment, VEDETTE } from '../../../../../scripts/test-tools.ts'

const KILLS = 3
const folder = mkdtempSync(join(tmpdir(), 'vdt-cli-archive-'))

let source: TestBackend
let scene: FilledInstallation
const databases: { drop(): Promise<void> }[] = []
beforeAll(async () => {
  source = await startTestBackend()
  scene = await fillInstallation(source, 12)
}, 120_000)
afterAll(async () => {
  await source.close()
  for (const { drop } of databases) await drop()
  rmSync(folder, { recursive: true, force: true })
})

async function newDatabase() {
  const database = await makeDatabase()
  databases.push(database)
  return { url: database.url, pool: createPool({ url: database.url, clock: source.clock, log: silentLog, max: 2 }) }
}

const settings = (url: string) => ({ DATABASE_URL: url, VEDETTE_DATA_DIR: join(folder, 'data') })

describe('vedette import', () => {
  it(`that is killed ${KILLS} times in the midst goes on and doubles nothing [ARCHIVE-02]`, { timeout: 120_000 }, async () => {
    const file = join(folder, 'small-frames')
    const { clock, pool: from } = source
    await exportInstallation({ pool: from, clock, version: '0.1.0', reportProgress: () => undefined, frameBytes: 500 }, file)
    const { url, pool } = await newDatabase()
    const stored = async () => {
      const { rows } = await pool.pg.query<{ stands: boolean }>(`select to_regclass('setting') is not null as stands`)
      if (!rows[0]?.stands) return -1
      const found = await pool.pg.query<{ frames: number }>(
        `select (value ->> 'frames')::int as frames from setting where name = 'import'`,
      )
      return found.rows[0]?.frames ?? -1
    }
    const stands: number[] = []
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = await stored()
      const env = { ...bareEnvironment(), ...settings(url) }
      const child = spawn(process.execPath, [VEDETTE, 'import', file], { env, cwd: '/', stdio: 'ignore' })
      const closed = once(child, 'close')
      while (child.exitCode === null && (await stored()) <= before + 1 + kill * 5) await pool.pg.query('select')
      child.kill('SIGKILL')
      await closed
      expect(child.signalCode).toBe('SIGKILL')
      stands.push(await stored())
    }
    const refused = await callVedette(['org', 'list', '--json'], settings(url))
    expect([refused.code, refused.json.error.message]).toEqual([
      1,
      expect.stringContaining('Run "vedette import" with the same file'),
    ])
    const served = await runVedette(['serve'], { ...settings(url), VEDETTE_PORT: '0' })
    expect([served.code, served.stderr]).toEqual([1, expect.stringContaining('was interrupted')])

    const last = await callVedette(['import', file, '--json'], settings(url))
    expect([last.code, last.json]).toMatchObject([0, { how: 'resumed', secret: 'missing', organization_id: null }])
    console.info(`figure: killed ${KILLS} times with ${stands.join(', ')} frames stored`)
    expect(await contentsOf(pool.pg)).toEqual(await contentsOf(source.pool.pg))
    await pool.end()
  })
})

describe('vedette export', () => {
  it('an export and its import transfer everything and report the state of the secret [ARCHIVE-09]', {
    timeout: 120_000,
  }, async () => {
    const file = join(folder, 'all')
    const made = await runVedette(['export', file], settings(source.databaseUrl))
    expect(made).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/rows, .*It does not contain the secret of the installation/),
    })
    expect(readFileSync(file).includes(TEST_SECRET)).toBe(false)
    const twice = await callVedette(['export', file, '--json'], settings(source.databaseUrl))
    expect([twice.code, twice.json.error.message]).toEqual([1, `${file} exists already: name another file`])

    const checked = await callVedette(['import', file, '--check'], {
      ...settings('postgres://127.0.0.1:1/nobody'),
      VEDETTE_SECRET_KEYS: TEST_SECRET,
    })
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/: intact\. everything of .*rows\n$/) })
    const { url, pool } = await newDatabase()
    const damaged = join(folder, 'damaged')
    writeFileSync(damaged, readFileSync(file).subarray(0, -5))
    const refused = await callVedette(['import', damaged], settings(url))
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/damaged is cut off at byte \d+, in its end/),
    })

    const done = await runVedette(['import', file], {
      ...settings(url),
      VEDETTE_SECRET_KEYS: 'quite another secret of more than 32 bytes',
    })
    expect(done).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/imported.*\nThe secret of VEDETTE_SECRET_KEYS differs/),
    })
    expect(await contentsOf(pool.pg)).toEqual(await contentsOf(source.pool.pg))
    await pool.end()
  })

  it('export --server writes the samples of one server [ARCHIVE-08]', { timeout: 120_000 }, async () => {
    const file = join(folder, 'samples.csv')
    const done = await callVedette(
      ['export', file, '--server', scene.server, '--format', 'csv', '--json'],
      settings(source.databaseUrl),
    )
    expect([done.code, done.json]).toMatchObject([
      0,
      { samples: scene.samples.size, format: 'csv', sha256: expect.stringMatching(/^[\da-f]{64}$/) },
    ])
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(scene.samples.size + 2)
    const unknown = await callVedette(
      ['export', `${file}2`, '--server', 'srv_01h455vb4pex5vsknk084sn02q', '--format', 'csv'],
      settings(source.databaseUrl),
    )
    expect([unknown.code, unknown.stderr, existsSync(`${file}2`)]).toEqual([
      1,
      expect.stringContaining('There is no server'),
      false,
    ])
  })
})

describe('vedette backup', () => {
  it('writes a verified export named by its instant, keeps the newest, and removes no other files', async () => {
    const to = join(folder, 'backups')
    mkdirSync(to)
    const [oldest, older] = ['vedette-2020-01-01T00-00-00Z.vedette', 'vedette-2021-01-01T00-00-00Z.vedette']
    for (const name of [oldest, older, 'notes.txt', 'vedette-2019.vedette']) writeFileSync(join(to, name), name)
    const done = await callVedette(['backup', '--to', to, '--keep', '2', '--json'], settings(source.databaseUrl))
    expect(done).toMatchObject({ code: 0, json: { removed: [join(to, oldest)], rows: { organization: expect.any(Number) } } })
    const made = basename(done.json.file)
    expect(made).toMatch(/^vedette-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.vedette$/)
    expect(readdirSync(to).toSorted()).toEqual(['notes.txt', 'vedette-2019.vedette', older, made])
    const { rows } = await checkArchive(done.json.file, () => undefined)
    expect(rows).toEqual(done.json.rows)
  })

  it('lets the database know of it, as an export of the whole installation does, and of one organization does not', async () => {
    const { db, pg } = source.pool
    const noted = async (...command: string[]) => {
      await pg.query(`delete from setting where name = 'last_export'`)
      const { code } = await callVedette(command, settings(source.databaseUrl))
      return [code, (await readLastExport(db)) !== undefined]
    }
    const to = join(folder, 'noted')
    mkdirSync(to)
    expect(await noted('backup', '--to', to)).toEqual([0, true])
    expect(await noted('export', join(to, 'all'))).toEqual([0, true])
    const { json } = await callVedette(['org', 'list', '--json'], settings(source.databaseUrl))
    expect(await noted('export', join(to, 'one'), '--organization', json.organizations[0].id)).toEqual([0, false])
  })

  it('is as good on a database that only reads', async () => {
    const to = join(folder, 'of-read-only')
    mkdirSync(to)
    const { pg } = source.pool
    const name = new URL(source.databaseUrl).pathname.slice(1)
    await pg.query(`alter database "${name}" set default_transaction_read_only = on`)
    const done = await callVedette(['backup', '--to', to, '--json'], settings(source.databaseUrl))
    await pg.query(`alter database "${name}" reset default_transaction_read_only`)
    expect(done).toMatchObject({ code: 0, json: { file: expect.any(String) } })
    expect(readdirSync(to)).toHaveLength(1)
  })

  it.each([
    ['0', 2, '--keep must be a number of backups from 1 to 1000'],
    ['1', 1, 'There is no folder /nowhere.'],
    ['1000', 1, 'There is no folder /nowhere.'],
    ['1001', 2, '--keep must be a number of backups from 1 to 1000'],
    ['1.5', 2, '--keep must be a number of backups from 1 to 1000'],
  ])('--keep %s ends with exit code %i', async (keep, code, message) => {
    const done = await callVedette(['backup', '--to', '/nowhere', '--keep', keep, '--json'], settings(source.databaseUrl))
    expect([done.code, done.json.error.message]).toEqual([code, message])
  })
})

describe('a backup that does not verify', () => {
  it('is deleted, and no older one is', async () => {
    const to = join(folder, 'damaged-backups')
    mkdirSync(to)
    const older = 'vedette-2020-01-01T00-00-00Z.vedette'
    writeFileSync(join(to, older), older)
    let ticks = 0
    const world: CommandContext = {
      version: 'test',
      environment: settings(source.databaseUrl),
      processEnvironment: {},
      defaultDataDir: '/nowhere',
      // The bar is shown at most ten times a second.
      clock: { ...source.clock, now: () => source.clock.now() + 1_000 * (ticks += 1) },
      createLog: () => silentLog,
      readInput: async () => '',
      announce: () => undefined,
      // The disk loses the last bytes while the backup is read back.
      show: (line) => {
        const made = readdirSync(to).find((name) => name !== older)
        if (made !== undefined && line.endsWith('checking')) truncateSync(join(to, made), statSync(join(to, made)).size - 5)
      },
    }
    const command = COMMANDS.find(({ name }) => name === 'backup') as Task
    await expect(command.run({ parameters: {}, options: { to, keep: '1' } }, world)).rejects.toThrow(/is cut off at byte/)
    expect(readdirSync(to)).toEqual([older])
  })
})

describe('vedette restore', () => {
  const OTHER = 'quite another secret of more than 32 bytes'
  const files = {
    all: join(folder, 'to-restore'),
    damaged: join(folder, 'to-restore-damaged'),
    one: join(folder, 'one-organization'),
  }
  const secretFile = join(folder, 'saved-secret.key')
  beforeAll(async () => {
    await callVedette(['export', files.all], settings(source.databaseUrl))
    const { json } = await callVedette(['org', 'list', '--json'], settings(source.databaseUrl))
    const only = ['--organization', json.organizations[0].id]
    await callVedette(['export', files.one, ...only], settings(source.databaseUrl))
    writeFileSync(files.damaged, readFileSync(files.all).subarray(0, -5))
    writeFileSync(secretFile, TEST_SECRET)
  })
  const isUntouched = async (pool: Pool) =>
    (await pool.pg.query(`select to_regclass('organization') is null as untouched`)).rows[0]?.untouched as boolean

  it('fills an empty database and stores the secret, says what it did, and is refused afterwards', async () => {
    const { url, pool } = await newDatabase()
    const dataDir = join(folder, 'restored')
    const done = await callVedette(['restore', files.all, '--secret-file', secretFile], {
      DATABASE_URL: url,
      VEDETTE_DATA_DIR: dataDir,
    })
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout.split('\n')).toEqual([
      expect.stringMatching(/: verified, \d+ bytes of 20.*, by version /),
      expect.stringMatching(/^\d+ organizations, \d+ users, \d+ rows restored into the database of DATABASE_URL$/),
      `secret     stored in ${dataDir}/secret.key`,
      expect.stringMatching(/^next +start Vedette .* then run "vedette doctor"$/),
      '',
    ])
    expect([
      readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(),
      statSync(join(dataDir, 'secret.key')).mode & 0o777,
    ]).toEqual([TEST_SECRET, 0o600])
    expect(await contentsOf(pool.pg)).toEqual(await contentsOf(source.pool.pg))

    for (const file of [files.one, files.damaged]) {
      const again = await callVedette(['restore', file], { DATABASE_URL: url, VEDETTE_DATA_DIR: dataDir })
      expect([again.code, again.stderr]).toEqual([
        1,
        expect.stringMatching(file === files.one ? /contains an installation already/ : /is cut off/),
      ])
    }
    expect(await contentsOf(pool.pg)).toEqual(await contentsOf(source.pool.pg))
    await pool.end()
  })

  it.each([
    ['without the secret', [files.all], {}, /name its secret\.key by --secret-file/],
    ['with another secret in the settings', [files.all], { VEDETTE_SECRET_KEYS: OTHER }, /is that of another installation/],
    ['with a file of another secret', [files.all, '--secret-file', files.damaged], {}, /is not the secret of the installation/],
    ['of a damaged file', [files.damaged, '--secret-file', secretFile], {}, /is cut off at byte/],
    ['of a missing file', ['/nowhere/file'], {}, /cannot be read/],
    ['of a folder', ['/'], {}, /is not a regular file/],
  ] as const)('%s ends with the reason, and touches neither database nor data folder', async (_what, args, more, message) => {
    const { url, pool } = await newDatabase()
    const dataDir = join(folder, 'refused')
    const { code, json } = await callVedette(['restore', ...args, '--json'], {
      DATABASE_URL: url,
      VEDETTE_DATA_DIR: dataDir,
      ...more,
    })
    expect([code, json.error.message]).toEqual([1, expect.stringMatching(message)])
    expect([await isUntouched(pool), existsSync(dataDir)]).toEqual([true, false])
    await pool.end()
  })

  it('that was killed goes on with the same file', { timeout: 120_000 }, async () => {
    const file = join(folder, 'restore-small-frames')
    const { clock, pool: from } = source
    await exportInstallation({ pool: from, clock, version: '0.1.0', reportProgress: () => undefined, frameBytes: 500 }, file)
    const { url, pool } = await newDatabase()
    const env = { ...settings(url), VEDETTE_SECRET_KEYS: TEST_SECRET }
    const child = spawn(process.execPath, [VEDETTE, 'restore', file], {
      env: { ...bareEnvironment(), ...env },
      cwd: '/',
      stdio: 'ignore',
    })
    const closed = once(child, 'close')
    const frames = async () =>
      (
        await pool.pg
          .query(`select (value ->> 'frames')::int as frames from setting where name = 'import'`)
          .catch(() => ({ rows: [] }))
      ).rows[0]?.frames as number | undefined
    while (child.exitCode === null && ((await frames()) ?? 0) < 3);
    child.kill('SIGKILL')
    await closed
    expect(child.signalCode).toBe('SIGKILL')
    const done = await callVedette(['restore', file, '--json'], env)
    expect([done.code, done.json]).toMatchObject([0, { how: 'resumed', is_secret_stored: false }])
    expect(await contentsOf(pool.pg)).toEqual(await contentsOf(source.pool.pg))
    await pool.end()
  })
})

describe('the progress bar', () => {
  it('is never full before the end, and is shown only on a terminal', async () => {
    expect(progressBar(0, 0, 'a')).toMatch(/^\[\.{30}\] {2}0 % {2}a$/)
    expect(progressBar(5, 10, 'a')).toMatch(/^\[#{15}\.{15}\] 50 % {2}a$/)
    expect(progressBar(20, 10, 'a')).toMatch(/^\[#{29}\.\] 99 % {2}a$/)
    const shown: string[] = []
    const world = { clock: source.clock, show: (line: string) => void shown.push(line) } as unknown as CommandContext
    await withProgress(world, async (reportProgress) => {
      for (let done = 0; done < 100; done += 1) reportProgress(done, 100, 'rows')
    })
    // The clock stands still: one, and then it is taken away.
    expect(shown).toEqual([progressBar(0, 100, 'rows'), ''])
    expect(
      await withProgress({ ...world, show: undefined }, async (reportProgress) => reportProgress(1, 2, 'rows')),
    ).toBeUndefined()
  })
})
