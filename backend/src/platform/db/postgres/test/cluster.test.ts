import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findRunningUrl, makeDataFolder } from '../index.ts'
import { makeBench, query } from './harness.ts'

const isRoot = process.getuid?.() === 0
const bench = makeBench()
afterAll(() => bench.cleanUp())

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}

test('from nothing to a database, private to its users [PUSH-02, START-16]', async () => {
  // Below folders that do not exist; what a killed initdb and a killed copy left behind is replaced.
  const dataDir = join(await bench.makeFolder(), 'a', 'data')
  const { account } = await makeDataFolder(dataDir)
  const halfDone = join(dataDir, 'postgres.unfinished.1')
  const halfCopied = join(dataDir, 'runtime', 'postgres-18.4.0-beta.17.unfinished')
  for (const folder of [halfDone, halfCopied]) {
    await mkdir(join(folder, 'bin'), { recursive: true })
    await writeFile(join(folder, 'PG_VERSION'), '18\n')
  }
  const previous = process.umask(0o077)
  const postgres = await bench.start(dataDir).finally(() => process.umask(previous))

  expect(postgres.major).toBe(18)
  expect(await findRunningUrl(dataDir)).toBe(postgres.url)
  expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.owner', 'postgres.passwords.json', 'run', 'runtime'])
  const [runtime = ''] = await readdir(join(dataDir, 'runtime'))
  expect(await readdir(join(dataDir, 'runtime'))).toEqual([runtime])
  // On one disk no second copy of the package is made.
  const program = join(dataDir, 'runtime', runtime, 'bin/postgres')
  const { nlink, dev } = await stat(program)
  expect(nlink > 1).toBe(dev === (await stat(import.meta.filename)).dev)
  expect(await modeOf(dataDir)).toBe(isRoot ? '711' : '700')
  for (const folder of ['postgres', 'run']) expect(await modeOf(join(dataDir, folder))).toBe('700')
  for (const file of ['postgres.passwords.json', 'postgres.owner']) {
    expect(await modeOf(join(dataDir, file))).toBe('600')
    expect((await stat(join(dataDir, file))).uid).toBe(process.getuid?.())
  }
  if (process.platform === 'linux') await expectProcessToBeHarmless(postgres.pid(), account.ids)

  const [facts] = await query(
    postgres.url,
    `SELECT current_setting('server_encoding') AS encoding, datcollate AS collation, current_setting('password_encryption') AS password,
      current_setting('data_checksums') AS checksums, current_setting('synchronous_commit') AS commit,
      current_setting('listen_addresses') AS addresses, current_setting('ssl') AS tls, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super,
      (SELECT count(*) > 0 FROM pg_stat_statements) AS statements
      FROM pg_database WHERE datname = current_database()`,
  )
  expect(facts).toEqual({
    encoding: 'UTF8',
    collation: 'C',
    password: 'scram-sha-256',
    checksums: 'on',
    commit: 'on',
    addresses: '',
    tls: 'off',
    super: false,
    statements: true,
  })
  await query(postgres.url, 'CREATE DATABASE clone TEMPLATE template0')
  await expect(query(postgres.url.replace(/:[^:@]*@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password authentication failed')
  await postgres.stop()
  expect(await findRunningUrl(dataDir)).toBeUndefined()
})

test('another major version and a lost password are refused with the cure; a damaged runtime folder is made again', async () => {
  const dataDir = join(await bench.makeFolder(), 'data')
  await (await bench.start(dataDir)).stop()

  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
  await expect(bench.start(dataDir)).rejects.toThrow(
    /created by PostgreSQL 17; this Vedette contains PostgreSQL 18.*"vedette export"/,
  )
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '18\n')

  const passwords = await readFile(join(dataDir, 'postgres.passwords.json'), 'utf8')
  await rm(join(dataDir, 'postgres.passwords.json'))
  await expect(bench.start(dataDir)).rejects.toThrow('is missing. Restore it')
  await writeFile(join(dataDir, 'postgres.passwords.json'), passwords, { mode: 0o600 })

  const library = join(dataDir, 'runtime', 'postgres-18.4.0-beta.17', 'lib', 'libpq.so.5.18')
  // A new file: this one may be the package's own.
  await rm(library)
  await writeFile(library, '')
  await (await bench.start(dataDir)).stop()
  expect((await stat(library)).size).toBeGreaterThan(0)
})

async function expectProcessToBeHarmless(pid: number, ids: { uid: number; gid: number } | undefined): Promise<void> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const uid = ids?.uid ?? process.getuid?.()
  expect(uid).not.toBe(0)
  expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'))
  const groups = /^Groups:(.*)$/m.exec(status)?.[1]?.trim()
  expect(groups === '' || !ids).toBe(true)
  expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('HOME=')
}

test('a folder that is in the place of the cluster and is none is left alone', async () => {
  const dataDir = await bench.makeFolder()
  await mkdir(join(dataDir, 'postgres'))
  await writeFile(join(dataDir, 'postgres', 'thesis.txt'), 'precious')
  await expect(bench.start(dataDir)).rejects.toThrow('Move it away')
  expect(await readFile(join(dataDir, 'postgres', 'thesis.txt'), 'utf8')).toBe('precious')
})

test.runIf(isRoot)('a parent that the service account cannot enter is named, with the cure [START-18]', async () => {
  const folder = await bench.makeFolder()
  const locked = join(folder, 'locked')
  await mkdir(join(locked, 'inner'), { recursive: true })
  await chmod(locked, 0o700)
  await expect(bench.start(join(locked, 'inner', 'data'))).rejects.toThrow(
    `has no permission to enter ${locked}. Run "chmod o+x ${locked}"`,
  )
})

test.runIf(isRoot)(
  'a folder of root with at most the secret stays root’s and can be entered, one that holds something is refused',
  async () => {
    const empty = await bench.makeFolder()
    await chmod(empty, 0o700)
    await makeDataFolder(empty)
    expect([(await stat(empty)).uid, await modeOf(empty)]).toEqual([0, '711'])

    const restored = await bench.makeFolder()
    await chmod(restored, 0o700)
    await writeFile(join(restored, 'secret.key'), 'the secret of the exported installation', { mode: 0o600 })
    await makeDataFolder(restored)
    expect([(await stat(restored)).uid, await modeOf(restored)]).toEqual([0, '711'])

    const full = await bench.makeFolder()
    await chmod(full, 0o700)
    await writeFile(join(full, 'mine'), '')
    await expect(makeDataFolder(full)).rejects.toThrow(`Run "chmod 711 ${full}"`)
    expect(await modeOf(full)).toBe('700')
  },
)

test.runIf(isRoot)('a planted password file is not believed', async () => {
  const dataDir = await bench.makeFolder()
  const planted = join(dataDir, 'postgres.passwords.json')
  await writeFile(planted, '{"superuser":"known","application":"known"}')
  await chown(planted, 65_534, 65_534)
  await expect(bench.start(dataDir)).rejects.toThrow('belongs to another user')
})

test('a place that cannot be written is an error that names it [START-18]', async () => {
  const [folder, closed] = [await bench.makeFolder(), await bench.makeFolder()]
  await writeFile(join(folder, 'file'), '')
  await chmod(closed, 0o500)
  // Below a file nobody can make a folder; in a closed folder root can.
  for (const parent of isRoot ? [join(folder, 'file')] : [join(folder, 'file'), closed])
    await expect(bench.start(join(parent, 'data'))).rejects.toThrow(
      new RegExp(`${parent}/data cannot be used .*VEDETTE_DATA_DIR`),
    )
})

test.runIf(isRoot)(
  'root refuses a data folder that another user can write into, and a planted runtime link, and says what to do',
  async () => {
    const [foreign, victim, linked] = [await bench.makeFolder(), await bench.makeFolder(), await bench.makeFolder()]
    await chown(foreign, 65_534, 65_534)
    await expect(bench.start(foreign)).rejects.toThrow(
      `Run Vedette as the owner of the folder, or run "chown root:root ${foreign}`,
    )

    await chmod(victim, 0o700)
    await writeFile(join(victim, 'precious'), 'kept')
    await symlink(victim, join(linked, 'runtime'))
    await expect(bench.start(linked)).rejects.toThrow(`${linked}/runtime is a symbolic link`)
    expect([await readdir(victim), await modeOf(victim)]).toEqual([['precious'], '700'])
  },
)
