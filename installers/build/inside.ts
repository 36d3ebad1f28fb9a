// What is inside of the programs, told in two ways: the licences for people, the SBOM for scanners.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bundle } from './program.ts'
import type { Target } from './targets.ts'
import type { Build } from './tools.ts'

const LIBATOMIC_WORDS = `libatomic, which lies beside the program on Linux, is part of GCC and comes as Debian built it. It is free software under the
GNU General Public License, version 3, with the GCC Runtime Library Exception, version 3.1; both follow. Its source is that of
Debian's package gcc-12.`

export const heading = (words: string) => `${'='.repeat(80)}\n${words}\n${'='.repeat(80)}\n\n`

/** One text with the licence of every part. `nodeFolder` is that of a base with its licence. */
export function writeLicences(build: Build, bundle: Bundle, nodeFolder: string): string {
  const own = readFileSync(join(build.root, 'LICENSE'), 'utf8')
  const node = readFileSync(join(nodeFolder, 'LICENSE'), 'utf8')
  const gcc = ['gcc-exception-3.1.txt', 'gpl-3.0.txt'].map((name) =>
    readFileSync(join(build.root, 'installers/licences', name), 'utf8'),
  )
  const packages = bundle.packages.map(({ name, version, licenseText }) => {
    if (licenseText === '') throw new Error(`${name} has no text of its licence`)
    return `${heading(`${name} ${version}`)}${licenseText.trimEnd()}\n\n`
  })
  return [
    heading('Vedette'),
    `${own.trimEnd()}\n\n`,
    ...packages,
    heading('libatomic'),
    `${LIBATOMIC_WORDS}\n\n${gcc.map((text) => text.trimEnd()).join('\n\n')}\n\n`,
    heading('Node.js, and what is inside of it'),
    `${node.trimEnd()}\n`,
  ].join('')
}

interface Component {
  type: 'application' | 'framework' | 'library'
  name: string
  version: string
  purl?: string
  licenses?: { license?: { id: string }; expression?: string }[]
  hashes?: { alg: string; content: string }[]
  'bom-ref': string
}

/** What is in the agents of these targets, as CycloneDX. `versions` are those of the Node that is inside. */
export function writeSbom(build: Build, bundle: Bundle, targets: readonly Target[], versions: NodeJS.ProcessVersions): string {
  const { version } = build
  const components: Component[] = [
    ...bundle.packages.map((one) => npmComponent(one.name, one.version, one.license)),
    ...targets.map(({ base }) => ({
      ...npmComponent(base.package, base.version, 'MIT'),
      type: 'framework' as const,
      hashes: [{ alg: 'SHA-512', content: Buffer.from(base.sha512, 'base64').toString('hex') }],
    })),
    ...targets.flatMap(({ libatomic }) => libatomicComponents(libatomic)),
    ...Object.entries(versions)
      .filter(([name, value]) => value !== undefined && !['node', 'modules', 'napi'].includes(name))
      .map(([name, value = '']): Component => ({ type: 'library', name, version: value, 'bom-ref': `node/${name}@${value}` })),
  ]
  const root = `pkg:generic/vedette-agent@${version}`
  const application = {
    type: 'application',
    name: 'vedette-agent',
    version,
    'bom-ref': root,
    licenses: [{ license: { id: 'Apache-2.0' } }],
  }
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

function npmComponent(name: string, version: string, license: string): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type: 'library', name, version, purl, licenses: [{ license: { id: license } }], 'bom-ref': purl }
}

function libatomicComponents(library: Target['libatomic']): Component[] {
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
