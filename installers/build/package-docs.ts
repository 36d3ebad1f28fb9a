// What every package says about itself: licence, changes, home page.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Build } from './tools.ts'

export const MAINTAINER = 'Vedette maintainers <maintainers@vedette.invalid>'
/** Set both to real ones before the first release. */
export const HOMEPAGE = 'https://vedette.invalid/'

/** The entries of CHANGELOG.md for this version, each on one line; one entry where it has none. */
export function changesOf(build: Build): string[] {
  const sections = readFileSync(join(build.root, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  const own = sections.find((section) => section.startsWith(`[${build.version}]`)) ?? ''
  const entries = own.split(/^- /m).slice(1)
  const texts = entries.map(
    (entry) =>
      entry
        .split(/\n\n|\n#/)[0]
        ?.replaceAll(/\s+/g, ' ')
        .trim() ?? '',
  )
  return texts.length > 0 ? texts : [`Version ${build.version}.`]
}

/** Writes `copyright` and `changelog.gz` of a .deb below `root`. `licences` is the path of LICENSES.txt on the host. */
export function writeDebianDocs(build: Build, root: string, name: string, licences: string): void {
  const folder = join(root, 'usr/share/doc', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'copyright'), copyright(name, licences))
  const date = new Date(build.sourceEpoch * 1000).toUTCString().replace('GMT', '+0000')
  const entries = changesOf(build).map((text) => `  * ${text}\n`)
  const changelog = `${name} (${build.version}) unstable; urgency=medium\n\n${entries.join('')}\n -- ${MAINTAINER}  ${date}\n`
  writeFileSync(join(folder, 'changelog.gz'), gzipSync(changelog, { level: 9 }))
}

const copyright = (
  name: string,
  licences: string,
): string => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${name}
Upstream-Contact: ${MAINTAINER}
Source: ${HOMEPAGE}
Comment: The package contains parts of others, among them Node.js. ${licences}
 lists each with its licence.

Files: *
Copyright: the contributors of Vedette
License: Apache-2.0
 On Debian systems /usr/share/common-licenses/Apache-2.0 has the text.
`

/** The section %changelog of an .rpm. */
export function rpmChangelog(build: Build): string {
  const [day = '', date = '', month = '', year = ''] = new Date(build.sourceEpoch * 1000).toUTCString().split(/,? /)
  const entries = changesOf(build).map((text) => `- ${text.replaceAll('%', '%%')}`)
  return [`* ${day} ${month} ${date} ${year} ${MAINTAINER} - ${build.version}-1`, ...entries].join('\n')
}
