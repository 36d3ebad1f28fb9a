import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { withArchive } from '../src/operating/archive/index.ts'
import { makeFile } from '../src/operating/archive/new-file.ts'
import {
  makeFolderFor,
  makePrivateFolder,
  readOwnedText,
  readPrivateFile,
  UntrustedPathError,
  writePrivateFile,
} from '../src/platform/system/private-file.ts'

const NOBODY = 65_534

/** What another user can plant in a folder of their own. `victim` and `target` are in a folder of root's. */
const PLANTS: Record<string, (path: string, victim: string, target: string) => void> = {
  'a link to a file of root': (path, victim) => symlinkSync(victim, path),
  'a link to a name that root could make': (path, _victim, target) => symlinkSync(target, path),
  'a second name of a file of root': (path, victim) => linkSync(victim, path),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
  'a file of theirs': (path) => writeFileSync(path, 'theirs'),
}

const owner = { uid: NOBODY, gid: NOBODY }
const makeExport = (path: string) => makeFile(path, (file) => file.write(Buffer.from('rows')))

/** Changes of root's commands: under which name something is planted, and what runs. Each refuses all plants. */
const CHANGES: Record<string, (path: string) => unknown> = {
  'export FILE, backup': makeExport,
  'export FILE, backup: the part': (path) => makeExport(path.replace(/\.part$/, '')),
  'restore into a folder': (path) => makeFolderFor(path, owner),
  'serve: a private folder': makePrivateFolder,
  'serve, config: a private file': (path) => writePrivateFile(path, 'secret'),
}

/** What root's commands read: the owner of the folder decides about its contents, so that only the end of it is asserted. */
const READS: Record<string, (path: string) => unknown> = {
  'import FILE, backup': (path) => withArchive(path, () => Promise.resolve()),
  'the secret of the installation': readPrivateFile,
  'a file of the database': readOwnedText,
}

describe.skipIf(isMissing('root', 'mkfifo'))('root, in a folder of another user', () => {
  const rootFolder = mkdtempSync(join(tmpdir(), 'vdt-root-'))
  const victim = join(rootFolder, 'victim')
  const target = join(rootFolder, 'target')
  let home: string
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'vdt-planted-'))
    chownSync(home, NOBODY, NOBODY)
  })
  afterAll(() => {
    for (const folder of [home, rootFolder]) rmSync(folder, { recursive: true, force: true })
  })

  const victimState = () => {
    const { mode, uid, gid } = lstatSync(victim)
    return {
      text: readFileSync(victim, 'utf8'),
      mode: mode & 0o777,
      uid,
      gid,
      target: lstatSync(target, { throwIfNoEntry: false }),
    }
  }

  async function attack(plant: string, path: string, run: (path: string) => unknown) {
    writeFileSync(victim, 'of root')
    chmodSync(victim, 0o640)
    PLANTS[plant]!(path, victim, target)
    if (!plant.endsWith('of root')) chownPlant(path)
    const before = victimState()
    let error: unknown
    try {
      await run(path)
    } catch (thrown) {
      error = thrown
    }
    const after = victimState()
    rmSync(path, { recursive: true, force: true })
    rmSync(victim)
    return { error, before, after }
  }
  function chownPlant(path: string): void {
    if (!lstatSync(path).isSymbolicLink()) chownSync(path, NOBODY, NOBODY)
  }

  const all = (commands: object) => Object.keys(commands).flatMap((name) => Object.keys(PLANTS).map((plant) => [name, plant]))

  it.each(all(CHANGES))('%s: %s is refused, and nothing of root’s changes', async (name, plant) => {
    const path = join(home, name.endsWith('part') ? 'name.part' : 'name')
    const { error, before, after } = await attack(plant, path, CHANGES[name]!)
    expect(after).toEqual(before)
    expect(error).toBeInstanceOf(Error)
    expect((error as Error).message).toContain(path)
  })

  it.each(all(READS))('%s: %s changes nothing of root’s, and stops no command', async (name, plant) => {
    const { before, after } = await attack(plant, join(home, 'name'), READS[name]!)
    expect(after).toEqual(before)
  })

  it.each(Object.keys(PLANTS))('in the place of a private file, %s is refused with advice', async (plant) => {
    const { error } = await attack(plant, join(home, 'name'), CHANGES['serve, config: a private file']!)
    expect(error).toBeInstanceOf(UntrustedPathError)
  })
})
