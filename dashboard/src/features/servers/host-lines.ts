/** How a host is joined. Packages and an install script come later; until then a clone, or the built program, is what there is. */
export type HostSystem = 'linux' | 'macos' | 'clone'

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
  const leave = needsHttpLeave(origin) ? ' --allow-http' : ''
  const agent = system === 'clone' ? 'npm run -s vedette-agent --' : 'sudo vedette-agent'
  return [
    `(umask 077; printf '%s' '${key}' > vedette.key)`,
    `${agent} register --url ${origin} --api-key-file vedette.key${leave} && rm vedette.key`,
    `${agent} run`,
  ]
}
