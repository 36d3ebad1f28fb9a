/** What the scripts install: a release, or the agent of this backend. */
export interface ScriptContents {
  /** Where agents reach this backend. */
  url: string
  /** Where the files of the release are; empty without a release. */
  releasesUrl: string
  /** Of the release; empty without one. */
  manifestSha256: string
  /** The public keys that may sign, PEM. */
  keys: string
  /** Of this backend's agent; empty with a release. */
  agentVersion: string
}

/** A word of a POSIX shell, whatever is in it. */
const inShell = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`
/** A word of PowerShell, whatever is in it; it takes the curly quotes for quotes too. */
const inPowerShell = (value: string): string => `'${value.replaceAll(/['\u2018\u2019\u201a\u201b]/g, (quote) => quote + quote)}'`

/** The script with what the backend knows; throws where a line that it fills in is gone. */
export function fillShell(script: string, contents: ScriptContents): string {
  return fill(script, {
    "BACKEND_URL=''": `BACKEND_URL=${inShell(contents.url)}`,
    "RELEASES_URL=''": `RELEASES_URL=${inShell(contents.releasesUrl)}`,
    "MANIFEST_SHA256=''": `MANIFEST_SHA256=${inShell(contents.manifestSha256)}`,
    "RELEASE_KEYS=''": `RELEASE_KEYS=${inShell(contents.keys)}`,
    "AGENT_VERSION=''": `AGENT_VERSION=${inShell(contents.agentVersion)}`,
  })
}

export function fillPowerShell(script: string, contents: ScriptContents): string {
  return fill(script, {
    "$BackendUrl = ''": `$BackendUrl = ${inPowerShell(contents.url)}`,
    "$ReleasesUrl = ''": `$ReleasesUrl = ${inPowerShell(contents.releasesUrl)}`,
    "$BackendManifestSha256 = ''": `$BackendManifestSha256 = ${inPowerShell(contents.manifestSha256)}`,
    "$ReleaseKeys = ''": `$ReleaseKeys = ${inPowerShell(contents.keys)}`,
    "$AgentVersion = ''": `$AgentVersion = ${inPowerShell(contents.agentVersion)}`,
  })
}

function fill(script: string, lines: Record<string, string>): string {
  return Object.entries(lines).reduce((text, [empty, filled]) => {
    if (!text.includes(`\n${empty}\n`)) throw new Error(`the script has no line ${empty}`)
    return text.replace(`\n${empty}\n`, () => `\n${filled}\n`)
  }, script)
}
