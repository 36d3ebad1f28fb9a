// What is inside of the programs, told in two ways: the licences for people, the SBOM for scanners.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bundle } from './program.ts'
import type { Libatomic, Target } from './targets.ts'
import type { Build } from './tools.ts'

const LIBATOMIC_WORDS = `libatomic, which lies beside the program on Linux, is part of GCC and comes as Debian built it. It is free software under the
GNU General Public License, version 3, with the GCC Runtime Library Exception, version 3.1; both follow. Its source is that of
Debian's package gcc-12.`

export const heading = (words: string) => `${'='.repeat(80)}\n${words}\n${'='.repeat(80)}\n\n`

/** One text with the licence of every part. `nodeFolder` is that of a base with its licence. */
export function writeLicences(build: Build, bundle: Bundle, nodeFolder: string): string {
  const own = readFileSync(join(build.root, 'LICENSE'), 'utf8')
  const node = readFileSync(join(nodeFolder, 'LICENSE'), 'utf8')
  const packages = bundle.packages.map(({ name, version, licenseText }) => {
    if (licenseText === '') throw new Error(`${name} has no text of its licence`)
    return `${heading(`${name} ${version}`)}${licenseText.trimEnd()}\n\n`
  })
  return [
    heading('Vedette'),
    `${own.trimEnd()}\n\n`,
    ...packages,
    libatomicLicence(build),
    heading('Node.js, and what is inside of it'),
    `${node.trimEnd()}\n`,
  ].join('')
}

export function libatomicLicence(build: Build): string {
  const gcc = ['gcc-exception-3.1.txt', 'gpl-3.0.txt'].map((name) => readLicence(build, name))
  return [heading('libatomic'), `${LIBATOMIC_WORDS}\n\n${gcc.map((text) => text.trimEnd()).join('\n\n')}\n\n`].join('')
}

export const readLicence = (build: Build, name: string): string =>
  readFileSync(join(build.root, 'installers/licences', name), 'utf8')

export interface Component {
  type: 'application' | 'framework' | 'library'
  name: string
  version: string
  purl?: string
  licenses?: { license?: { id: string }; expression?: string }[]
  hashes?: { alg: string; content: string }[]
  'bom-ref': string
}

/** What a program has inside. */
export interface Inside {
  packages: readonly { name: string; version: string; license: string }[]
  targets: readonly Target[]
  /** Those of the Node that is inside, with all that it is made of. */
  versions: NodeJS.ProcessVersions
  others?: readonly Component[]
}

/** What is in a program on these targets, as CycloneDX. */
export function writeSbom(build: Build, program: 'vedette-agent' | 'vedette', inside: Inside): string {
  const { version } = build
  const components: Component[] = [
    ...inside.packages.map((one) => npmComponent(one.name, one.version, one.license)),
    ...inside.targets.map(({ base }) => ({
      ...npmComponent(base.package, base.version, 'MIT'),
      type: 'framework' as const,
      hashes: [{ alg: 'SHA-512', content: Buffer.from(base.sha512, 'base64').toString('hex') }],
    })),
    ...inside.targets.flatMap(({ libatomic }) => libatomicComponents(libatomic)),
    ...Object.entries(inside.versions)
      .filter(([name, value]) => value !== undefined && !['node', 'modules', 'napi'].includes(name))
      .map(([name, value = '']): Component => ({ type: 'library', name, version: value, 'bom-ref': `node/${name}@${value}` })),
    ...(inside.others ?? []),
  ]
  const root = `pkg:generic/${program}@${version}`
  const licenses = [{ license: { id: 'Apache-2.0' } }]
  const application = { type: 'application', name: program, version, 'bom-ref': root, licenses }
  const unique = [...new Map(components.map((component) => [component['bom-ref'], component])).values()]
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([application, unique]))}`,
    version: 1,
    metadata: { timestamp: new Date(build.sourceEpoch * 1000).toISOString(), component: application },
    components: unique,
    dependencies: [{ ref: root, dependsOn: unique.map((component) => component['bom-ref']) }],
  }
  return `${JSON.stringify(sbom, null, 2)}\n`
}

/** CycloneDX tells one licence of the SPDX list from an expression of several. */
function npmComponent(name: string, version: string, license: string): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const licenses = / (?:OR|AND|WITH) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }]
  return { type: 'library', name, version, purl, licenses, 'bom-ref': purl }
}

function libatomicComponents(library: Libatomic | undefined): Component[] {
  return Object.entries(library?.sha256 ?? {}).map(([version, content]) => ({
    type: 'library',
    name: 'libatomic',
    version,
    purl: `pkg:deb/debian/${library?.package.split(':')[0]}@${version}`,
    licenses: [{ expression: 'GPL-3.0-or-later WITH GCC-exception-3.1' }],
    hashes: [{ alg: 'SHA-256', content }],
    'bom-ref': `libatomic/${library?.package}@${version}`,
  }))
}

/** A UUID of version 8 that follows from the text: the same SBOM has the same number. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
