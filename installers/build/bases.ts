import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Base, Libatomic } from './targets.ts'
import { type Build, hashOfFile, run } from './tools.ts'

/** The folder of a base with its program and licence: that of the workspace, one of an earlier build, or from the registry. */
export async function fetchBase(build: Build, base: Base): Promise<string> {
  const cache = join(build.root, 'node_modules/.cache/vedette-bases')
  const kept = join(cache, `${base.package}-${base.version}`)
  for (const folder of [join(build.root, 'node_modules', base.package), kept]) {
    const program = join(folder, base.program)
    if (existsSync(program) && (await hashOfFile(program, 'sha256')) === base.sha256) return folder
  }
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'fetch-'))
  try {
    const [packed] = JSON.parse(await run(build, 'npm', ['pack', '--json', `${base.package}@${base.version}`], folder)) as [
      { filename: string },
    ]
    const tarball = join(folder, packed.filename)
    await expectHash(tarball, 'sha512', 'base64', base.sha512)
    await run(build, 'tar', ['-xzf', tarball], folder)
    await expectHash(join(folder, 'package', base.program), 'sha256', 'hex', base.sha256)
    rmSync(kept, { recursive: true, force: true })
    renameSync(join(folder, 'package'), kept)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return kept
}

/** The path of the library: that of this machine where it is a known one, or from Debian's archive. Throws where it is unknown. */
export async function fetchLibatomic(build: Build, library: Libatomic): Promise<string> {
  const known = new Set(Object.values(library.sha256))
  const own = join('/', library.path)
  if (existsSync(own) && known.has(await hashOfFile(own, 'sha256'))) return own
  const [name = ''] = library.package.split(':')
  const folder = join(build.work, name)
  mkdirSync(folder)
  await run(build, 'apt-get', ['download', '-o', 'APT::Sandbox::User=root', library.package], folder)
  await run(build, 'sh', ['-c', 'dpkg-deb -x ./*.deb .'], folder)
  const path = join(folder, library.path)
  if (known.has(await hashOfFile(path, 'sha256'))) return path
  throw new Error(`${library.package} of this Debian is none that is known (${Object.keys(library.sha256).join(', ')})`)
}

async function expectHash(path: string, algorithm: 'sha256' | 'sha512', encoding: 'hex' | 'base64', expected: string) {
  const found = await hashOfFile(path, algorithm, encoding)
  if (found !== expected) throw new Error(`${path} is not the pinned one: ${algorithm} ${found} in place of ${expected}`)
}
