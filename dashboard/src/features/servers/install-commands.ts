/** How to install the agent: by the script of a release, or with a program or clone that is already on the host. */
export type InstallMethod = 'unix' | 'windows' | 'linux' | 'macos' | 'clone'

interface InstallTarget {
  origin: string
  key: string
}

/** Whether only this machine reaches the address. */
export const isLoopback = (origin: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(origin).hostname)

/** The agent needs the option for plain HTTP, except on loopback. */
export const needsAllowHttp = (origin: string): boolean => new URL(origin).protocol === 'http:' && !isLoopback(origin)

/** Shell commands for the host. The key is passed in a file that only its owner can read, so that no process list shows it. */
export function installCommands(system: InstallMethod, { origin, key }: InstallTarget): string[] {
  if (system === 'windows') return windowsCommands({ origin, key })
  const leave = needsAllowHttp(origin) ? ' --allow-http' : ''
  const join = `--url ${origin} --api-key-file vedette.key${leave} && rm vedette.key`
  const keyFile = `(umask 077; printf '%s' '${key}' > vedette.key)`
  if (system === 'unix') return [keyFile, `curl -fsSL ${origin}/install.sh | sudo sh -s -- ${join}`]
  const agent = system === 'clone' ? 'npm run -s vedette-agent --' : 'sudo vedette-agent'
  const start = system === 'linux' ? 'sudo systemctl enable --now vedette-agent' : `${agent} run`
  return [keyFile, `${agent} register ${join}`, start]
}

/** For PowerShell as administrator, whose temporary folder others cannot read. */
function windowsCommands({ origin, key }: InstallTarget): string[] {
  const leave = needsAllowHttp(origin) ? ' -AllowHttp' : ''
  return [
    `Set-Content -NoNewline -Encoding ASCII "$env:TEMP\\vedette.key" '${key}'`,
    `& ([scriptblock]::Create((irm ${origin}/install.ps1))) -Url ${origin} -ApiKeyFile "$env:TEMP\\vedette.key"${leave}`,
    `Remove-Item "$env:TEMP\\vedette.key"`,
  ]
}
