/** How a host is joined: by a script, where this backend hands out a release; else by a program or clone that is there already. */
export type HostSystem = 'unix' | 'windows' | 'linux' | 'macos' | 'clone'

interface Wish {
  origin: string
  key: string
}

/** Loopback may be plain http; elsewhere the agent wants to be told that it is meant. */
export const needsHttpLeave = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Lines for a shell of the host. The key goes by a file that only its owner reads: it shows in no process list. */
export function hostLines(system: HostSystem, { origin, key }: Wish): string[] {
  if (system === 'windows') return windowsLines({ origin, key })
  const leave = needsHttpLeave(origin) ? ' --allow-http' : ''
  const join = `--url ${origin} --api-key-file vedette.key${leave} && rm vedette.key`
  const keyFile = `(umask 077; printf '%s' '${key}' > vedette.key)`
  if (system === 'unix') return [keyFile, `curl -fsSL ${origin}/install.sh | sudo sh -s -- ${join}`]
  const agent = system === 'clone' ? 'npm run -s vedette-agent --' : 'sudo vedette-agent'
  return [keyFile, `${agent} register ${join}`, `${agent} run`]
}

/** For a PowerShell of an administrator, whose folder for temporary files others cannot read. */
function windowsLines({ origin, key }: Wish): string[] {
  const leave = needsHttpLeave(origin) ? ' -AllowHttp' : ''
  return [
    `Set-Content -NoNewline -Encoding ASCII "$env:TEMP\\vedette.key" '${key}'`,
    `& ([scriptblock]::Create((irm ${origin}/install.ps1))) -Url ${origin} -ApiKeyFile "$env:TEMP\\vedette.key"${leave}`,
    `Remove-Item "$env:TEMP\\vedette.key"`,
  ]
}
