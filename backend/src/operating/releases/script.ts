import type { Release } from './release.ts'

export interface ScriptAddresses {
  /** Where agents reach this backend. */
  url: string
  /** Where the files of the release are. */
  releasesUrl: string
}

/** A word of a POSIX shell, whatever is in it. */
const inShell = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`
/** A word of PowerShell, whatever is in it; it takes the curly quotes for quotes too. */
const inPowerShell = (value: string): string => `'${value.replaceAll(/['\u2018\u2019\u201a\u201b]/g, (quote) => quote + quote)}'`

/** The script with what the backend knows; throws where a line that it fills in is gone. */
export function fillShell(script: string, addresses: ScriptAddresses, release: Release): string {
  return fill(script, {
    "BACKEND_URL=''": `BACKEND_URL=${inShell(addresses.url)}`,
    "RELEASES_URL=''": `RELEASES_URL=${inShell(addresses.releasesUrl)}`,
    "MANIFEST_SHA256=''": `MANIFEST_SHA256=${inShell(release.manifestSha256)}`,
    "RELEASE_KEYS=''": `RELEASE_KEYS=${inShell(release.keys)}`,
  })
}

export function fillPowerShell(script: string, addresses: ScriptAddresses, release: Release): string {
  return fill(script, {
    "$BackendUrl = ''": `$BackendUrl = ${inPowerShell(addresses.url)}`,
    "$ReleasesUrl = ''": `$ReleasesUrl = ${inPowerShell(addresses.releasesUrl)}`,
    "$BackendManifestSha256 = ''": `$BackendManifestSha256 = ${inPowerShell(release.manifestSha256)}`,
    "$ReleaseKeys = ''": `$ReleaseKeys = ${inPowerShell(release.keys)}`,
  })
}

function fill(script: string, lines: Record<string, string>): string {
  return Object.entries(lines).reduce((text, [empty, filled]) => {
    if (!text.includes(`\n${empty}\n`)) throw new Error(`the script has no line ${empty}`)
    return text.replace(`\n${empty}\n`, () => `\n${filled}\n`)
  }, script)
}
