// Licence texts and SBOMs of the programs.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bundle } from './program.ts'
import type { Libatomic, Target } from './targets.ts'
import type { Build } from './tools.ts'

const LIBATOMIC_NOTICE = `libatomic, a library of the program on Linux, is part of GCC, built by Debian. It is free software under the
GNU General Public License, version 3, with the GCC Runtime Library Exception, version 3.1; both follow. Its source is that of
Debian's package gcc-12.`

const heading = (words: string) => `${'='.repeat(80)}\n${words}\n${'='.repeat(80)}\n\n`

/** The licences of all parts as one text. `nodeFolder` is the folder of a base; `others` are titles and texts of further parts. */
export function writeLicences(
  build: Build,
  { packages }: Pick<Bundle, 'packages'>,
  nodeFolder: string,
  others: readonly (readonly [string, string])[] = [],
): string {
  const gcc = ['gcc-exception-3.1.txt', 'gpl-3.0.txt'].map((name) => readLicence(build, name).trimEnd())
  const sections: (readonly [string, string])[] = [
    ['Vedette', readFileSync(join(build.root, 'LICENSE'), 'utf8')],
    ...packages.map(({ name, version, licenseText }) => [`${name} ${version}`, licenseText] as const),
    ...others,
    ['libatomic', [LIBATOMIC_NOTICE, ...gcc].join('\n\n')],
    ['Node.js and its contents', readFileSync(join(nodeFolder, 'LICENSE'), 'utf8')],
  ]
  const missing = sections.find(([, text]) => text === '')
  if (missing) throw new Error(`${missing[0]} has no licence text`)
  return sections.map(([title, text]) => `${heading(title)}${text.trimEnd()}\n`).join('\n')
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

/** The contents of a program. */
export interface Contents {
  packages: readonly { name: string; version: string; license: string }[]
  targets: readonly Target[]
  /** `process.versions` of the included Node. */
  versions: NodeJS.ProcessVersions
  others?: readonly Component[]
}

/** The contents of a program on these targets as a CycloneDX SBOM. */
export function writeSbom(build: Build, program: 'vedette-agent' | 'vedette', inside: Contents): string {
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

/** CycloneDX separates single SPDX licences from expressions. */
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

/** A UUID (version 8) derived from the text, so that the same SBOM has the same one. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
